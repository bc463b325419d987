/** What can be said of turns that took very different times: ratios of those that ran side by side. */
import { median } from '../measure.ts';

export interface RatioEstimate {
  readonly median: number;
  /** 95 % interval of the median. */
  readonly low: number;
  readonly high: number;
  /** Half of the single ratios lie between these. */
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
}

/** Standard deviations on either side that hold 95 % of a normal distribution. */
const NORMAL_95 = 1.96;

/**
 * The median of values[i] / bases[i]. Its interval is by ranks, so it needs no assumption about how turns spread: how many
 * of n ratios lie below the true median is binomial, of mean n/2 and deviation √n/2.
 * @throws RangeError where there are fewer than 6 pairs: then no two ranks hold 95 %
 */
export function pairedRatio(values: readonly number[], bases: readonly number[]): RatioEstimate {
  const count = values.length;
  if (count < 6 || bases.length !== count) throw new RangeError(`a ratio of ${count} and ${bases.length} turns: it takes 6 pairs`);
  const sorted = values.map((value, i) => value / bases[i]).sort((a, b) => a - b);
  const rank = Math.max(0, Math.floor((count - NORMAL_95 * Math.sqrt(count)) / 2));
  return {
    median: median(sorted), low: sorted[rank], high: sorted[count - 1 - rank],
    lowerQuartile: quantile(sorted, 0.25), upperQuartile: quantile(sorted, 0.75),
  };
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
}

/** In random order (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
