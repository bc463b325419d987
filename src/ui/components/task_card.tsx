import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { formatBytes, formatCount, formatSeconds } from '../lib/format.ts';
import type { RatedProgress } from '../state/rate_meter.ts';

/** The long step in progress: how much, how fast, how much longer, and how to stop it. */
export function TaskCard(): JSX.Element | null {
  const { app } = useApp();
  const task = app.tasks.current.value;
  if (task === null) return null;
  const { progress } = task;
  const fraction = progress !== null && progress.total > 0 ? Math.min(1, progress.done / progress.total) : null;
  return (
    <section class="task-card" aria-label={task.title} data-testid="progress">
      <div class="task-head">
        <strong>{task.title}</strong>
        <div class="task-actions">
          {task.actions.map((action) => (
            <button key={action.label} type="button" class="button small" title={action.hint} data-testid={`progress-${action.label.toLowerCase()}`} onClick={action.run}>
              {action.label}
            </button>
          ))}
        </div>
      </div>
      <div class={`bar${fraction === null ? ' unknown' : ''}`} role="progressbar" aria-label={progress?.stage ?? task.title}
        aria-valuemin={0} aria-valuemax={100} aria-valuenow={fraction === null ? undefined : Math.round(fraction * 100)}>
        <div style={{ transform: `scaleX(${fraction ?? 0.3})` }} />
      </div>
      <div class="task-detail" data-testid="progress-detail">{progress === null ? 'Starting…' : describe(progress)}</div>
    </section>
  );
}

/** 'Importing · 1.2 of 4.8 GB · 210 MB/s · 17 s left' */
function describe({ stage, done, total, unit, perSecond, remainingSeconds }: RatedProgress): string {
  const amount = unit === 'bytes'
    ? `${formatBytes(done)} of ${formatBytes(total)}`
    : `${formatCount(done)} of ${formatCount(total)} ${unit}`;
  const parts = [stage, amount];
  if (perSecond !== null) parts.push(unit === 'bytes' ? `${formatBytes(perSecond)}/s` : `${perSecond.toFixed(1)} ${unit}/s`);
  if (remainingSeconds !== null && done < total) parts.push(`${formatSeconds(remainingSeconds)} left`);
  return parts.join(' · ');
}
