import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { formatCount } from '../lib/format.ts';

/** From here on the end of the context is near enough to say so. */
const NEARLY_FULL = 0.85;

/** How much of the model's context this chat takes. */
export function ContextMeter(): JSX.Element | null {
  const { app } = useApp();
  const opened = app.session.model.value;
  if (opened === null) return null;
  const length = opened.info.contextLength;
  const used = app.conversation.contextUsed.value;
  const fraction = used === null ? 0 : Math.min(1, used / length);
  const label = `Context: ${used === null ? 'unknown' : formatCount(used)} of ${formatCount(length)} tokens used`;
  return (
    <div class={`context-meter${fraction >= NEARLY_FULL ? ' full' : ''}`} role="meter" aria-label="Context used" aria-valuemin={0}
      aria-valuemax={length} aria-valuenow={used ?? 0} aria-valuetext={label} title={label} data-testid="context-meter">
      <span class="context-text">{used === null ? '–' : formatCount(used)}<span> / {formatCount(length)}</span></span>
      <span class="context-bar" aria-hidden="true"><span style={{ transform: `scaleX(${fraction})` }} /></span>
    </div>
  );
}
