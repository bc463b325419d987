import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { useApp } from '../context.ts';
import { webGpuHelp } from '../lib/webgpu_help.ts';
import { Icon } from './icons.tsx';

/** Why the page runs on the reference back end, and how to turn WebGPU on. */
export function WebGpuBanner(): JSX.Element | null {
  const { app } = useApp();
  const hidden = useSignal(false);
  const reason = app.environment.value?.backend.fallbackReason ?? null;
  if (reason === null || hidden.value) return null;
  const help = webGpuHelp(navigator.userAgent, window.isSecureContext);
  return (
    <section class="banner" aria-label="WebGPU is off" data-testid="webgpu-banner">
      <Icon name="info" />
      <div>
        <p>{reason}</p>
        <p class="hint">Models run on the reference back end instead: right, but slow.</p>
        <details>
          <summary>How to turn WebGPU on in {help.browser}</summary>
          <ul>{help.steps.map((step) => <li key={step}>{step}</li>)}</ul>
        </details>
      </div>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => { hidden.value = true; }}>
        <Icon name="close" />
      </button>
    </section>
  );
}
