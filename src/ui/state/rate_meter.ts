import type { Progress } from '../../hosts/api.ts';

export interface RatedProgress extends Progress {
  /** Units a second over the last seconds; null until there is enough to tell. */
  readonly perSecond: number | null;
  readonly remainingSeconds: number | null;
}

/** Long enough to smooth over bursts of a disk or a shader compiler, short enough to follow a slower phase. */
const WINDOW_MILLIS = 5000;
/** Rates from less than this are noise. */
const MIN_SPAN_MILLIS = 300;

/**
 * Adds rate and remaining time to progress reports, over a sliding window. A new stage, or progress that goes
 * back, starts afresh.
 * @param now clock in milliseconds
 */
export function createRateMeter(now: () => number): (progress: Progress) => RatedProgress {
  let stage = '';
  let samples: { at: number; done: number }[] = [];
  return (progress) => {
    const at = now();
    const last = samples.at(-1);
    if (progress.stage !== stage || (last !== undefined && progress.done < last.done)) {
      stage = progress.stage;
      samples = [];
    }
    samples.push({ at, done: progress.done });
    while (samples.length > 2 && samples[1].at <= at - WINDOW_MILLIS) samples.shift();
    const first = samples[0];
    const span = at - first.at;
    if (span < MIN_SPAN_MILLIS || progress.done <= first.done) {
      return { ...progress, perSecond: null, remainingSeconds: null };
    }
    const perSecond = ((progress.done - first.done) / span) * 1000;
    const remaining = Math.max(0, progress.total - progress.done);
    return { ...progress, perSecond, remainingSeconds: progress.total > 0 ? remaining / perSecond : null };
  };
}
