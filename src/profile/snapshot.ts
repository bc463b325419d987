/** What a page is told of a recording: plain data and typed arrays, which cross a port at little cost. */
import type { Tracer } from './trace.ts';

export interface ProfileSnapshot {
  readonly recording: boolean;
  /** Steps recorded so far; the next call asks from here. */
  readonly stepCount: number;
  /** Rows of the steps from `since` on that are still kept (profile/steps.ts). */
  readonly steps: Float64Array<ArrayBuffer>;
  /** Null where no model with experts is open. */
  readonly experts: ExpertSnapshot | null;
}

export interface ExpertSnapshot {
  readonly layers: readonly number[];
  readonly expertCount: number;
  readonly topK: number;
  /** [layers, expertCount]: how often decode steps routed to each expert while recording. */
  readonly heat: Uint32Array<ArrayBuffer>;
  /** [layers, expertCount]: 1 where the expert is on the device; null where all are. */
  readonly resident: Uint8Array<ArrayBuffer> | null;
  readonly pool: { readonly slotCount: number; readonly usedSlots: number; readonly byteLength: number } | null;
}

/** @param since number of the first step wanted */
export function snapshotOf(tracer: Tracer, since: number): ProfileSnapshot {
  const { view, heat, steps } = tracer;
  const resident = view?.resident() ?? null;
  return {
    recording: tracer.on,
    stepCount: steps?.count ?? 0,
    steps: steps?.since(since) ?? new Float64Array(),
    experts: view === null || heat === null || view.layers.length === 0 ? null : {
      layers: view.layers, expertCount: view.expertCount, topK: view.topK, heat: heat.slice(), resident,
      pool: view.pool && { ...view.pool, usedSlots: resident?.reduce((sum, held) => sum + held, 0) ?? view.pool.slotCount },
    },
  };
}
