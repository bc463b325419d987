/**
 * What makes a model answer otherwise than its stored experts do, each off unless a person chooses it. As pool options for
 * a back end.
 */
import type { ExpertPoolOptions, PoolShape } from '../compute/residency.ts';
import { HeatTierPolicy } from './heat_tier.ts';

export interface Approximations {
  /** Share of all experts that hold a copy of more bits on the GPU, where the model was stored with a second tier. */
  readonly tierShare: number;
  /** A token whose likeliest choice has this probability or less is computed again with more bits; null: none is. */
  readonly gate: number | null;
  /** Experts that a token may go without rather than wait for them. */
  readonly missTolerance: number;
}

export const EXACT: Approximations = { tierShare: 0, gate: null, missTolerance: 0 };

/** Where vLLM-Moet puts its precision gate: it computes 16 % of tokens again there. */
export const DEFAULT_GATE = 0.6;

export function isExact({ tierShare, missTolerance }: Approximations): boolean {
  return tierShare === 0 && missTolerance === 0;
}

/** @param heat uses a step by expert that the tier begins with; null: it begins empty */
export function approximationOptions(
  { tierShare, gate, missTolerance }: Approximations, heat: (shape: PoolShape) => Float32Array | null,
): Pick<ExpertPoolOptions, 'tier' | 'missTolerance'> {
  return {
    tier: tierShare === 0 ? null
      : { size: { share: tierShare }, gate, createPolicy: (shape) => new HeatTierPolicy(shape, { heat: heat(shape) }) },
    missTolerance,
  };
}
