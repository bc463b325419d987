/** What a token takes at least where experts are paged: the arithmetic, and the bytes that must cross to the card. */
import type { PoolShape } from '../../../src/compute/residency.ts';
import { BeladyPolicy } from '../../../src/experts/belady.ts';
import { simulate } from '../../../src/experts/simulate.ts';
import type { RoutingTrace } from '../../../src/experts/trace.ts';

/**
 * Rows a decoded token that even the offline optimum has to load in this pool.
 * @param skippedSteps decode steps at the trace's begin that only fill the pool
 */
export function fewestRows(trace: RoutingTrace, pool: PoolShape, skippedSteps: number): number {
  const decoded = trace.steps.flatMap(({ kind }, index) => (kind === 'decode' ? [index] : []));
  if (skippedSteps >= decoded.length) throw new RangeError(`a trace of ${decoded.length} decoded tokens has none after ${skippedSteps}`);
  // The whole trace is the policy's future in both runs, so what the first steps loaded is the same in both.
  const rowsOf = (steps: RoutingTrace['steps']): number => {
    const { rowsLoaded, prefillLoads } = simulate({ ...trace, steps }, pool, (shape) => new BeladyPolicy(shape, trace));
    return rowsLoaded - prefillLoads;
  };
  const rows = rowsOf(trace.steps) - rowsOf(trace.steps.slice(0, decoded[skippedSteps]));
  return rows / (decoded.length - skippedSteps);
}

/**
 * Milliseconds a token at least: where rows are loaded when they are missed, and where all are known early enough to be
 * loaded while steps run.
 * @param uploadRate bytes a second
 */
export function stepBounds(residentMs: number, uploadedByteLength: number, uploadRate: number): { readonly onDemand: number; readonly duringSteps: number } {
  const uploadMs = 1000 * uploadedByteLength / uploadRate;
  return { onDemand: residentMs + uploadMs, duringSteps: Math.max(residentMs, uploadMs) };
}
