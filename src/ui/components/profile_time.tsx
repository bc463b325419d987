import type { JSX } from 'preact';
import type { TimeSplit } from '../../profile/steps.ts';

interface Part {
  readonly key: keyof TimeSplit;
  readonly label: string;
  readonly color: string;
}

/** How a token's time is split, as a bar with its numbers. */
export function ProfileTime({ split, onCpu }: { split: TimeSplit; onCpu: boolean }): JSX.Element {
  const parts: Part[] = [
    { key: 'gpu', label: 'GPU', color: '--accent' },
    { key: 'wait', label: split.gpu === null ? 'GPU and waiting for it' : 'Waiting for the GPU', color: '--part-wait' },
    { key: 'fetch', label: 'Fetching experts', color: '--part-fetch' },
    { key: 'upload', label: 'Uploading experts', color: '--part-upload' },
    { key: 'rest', label: onCpu ? 'Computing on the CPU' : 'The rest', color: '--line-strong' },
  ];
  const shown = parts.filter(({ key }) => split[key] !== null && !(onCpu && (key === 'wait' || key === 'upload')));
  const total = shown.reduce((sum, { key }) => sum + (split[key] ?? 0), 0);
  return (
    <div class="profile-time" data-testid="profile-time">
      <div class="profile-bar" aria-hidden="true">
        {shown.map(({ key, color }) => (
          <span key={key} style={{ width: `${(100 * (split[key] ?? 0)) / Math.max(total, 1e-9)}%`, background: `var(${color})` }} />
        ))}
      </div>
      <dl>
        {shown.map(({ key, label, color }) => (
          <div key={key}>
            <dt class="profile-key"><i style={{ background: `var(${color})` }} />{label}</dt>
            <dd>{formatStepMillis(split[key] ?? 0)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Steps of fast models take a few milliseconds: '0.42 ms', '12.3 ms', '840 ms'. */
export function formatStepMillis(millis: number): string {
  return `${millis.toFixed(millis < 9.995 ? 2 : millis < 99.95 ? 1 : 0)} ms`;
}
