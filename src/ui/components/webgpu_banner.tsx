import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useApp } from '../context.ts';
import { webGpuHelp } from '../lib/webgpu_help.ts';
import { Icon } from './icons.tsx';

/** Why the page runs on a slower back end than it could, and how to turn WebGPU on where it is off. */
export function WebGpuBanner(): JSX.Element | null {
  const { app } = useApp();
  const hidden = useSignal(false);
  const backend = app.environment.value?.backend ?? null;
  const reason = backend?.fallbackReason ?? null;
  if (backend === null || reason === null || hidden.value) return null;
  const off = backend.kind === 'reference';
  const help = webGpuHelp(navigator.userAgent, window.isSecureContext);
  return (
    <section class="banner" aria-label={off ? 'WebGPU is off' : 'WebGPU is slow'} data-testid="webgpu-banner">
      <Icon name="info" />
      <div>
        <p>{reason}</p>
        {off && (
          <>
            <p class="hint">Models run on the reference back end instead: correct, but slow.</p>
            <details>
              <summary>How to turn WebGPU on in {help.browser}</summary>
              <ul>{help.steps.map((step) => <li key={step}>{step}</li>)}</ul>
            </details>
          </>
        )}
      </div>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => { hidden.value = true; }}>
        <Icon name="close" />
      </button>
    </section>
  );
}
