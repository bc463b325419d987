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
  /** [layers, expertCount]: HELD and HELD_BETTER added up; null where all are held. */
  readonly resident: Uint8Array<ArrayBuffer> | null;
  readonly pool: PoolSnapshot | null;
}

/** An expert is on the device; its copy of more bits is. */
export const [HELD, HELD_BETTER] = [1, 2];

export interface PoolSnapshot {
  readonly slotCount: number;
  readonly usedSlots: number;
  /** The same for copies of more bits. */
  readonly tierSlotCount: number;
  readonly usedTierSlots: number;
  readonly byteLength: number;
}

/** @param since number of the first step wanted */
export function snapshotOf(tracer: Tracer, since: number): ProfileSnapshot {
  const { view, heat, steps } = tracer;
  const resident = view?.resident() ?? null;
  const count = (kind: number): number => resident?.reduce((sum, held) => sum + ((held & kind) === 0 ? 0 : 1), 0) ?? 0;
  return {
    recording: tracer.on,
    stepCount: steps?.count ?? 0,
    steps: steps?.since(since) ?? new Float64Array(),
    experts: view === null || heat === null || view.layers.length === 0 ? null : {
      layers: view.layers, expertCount: view.expertCount, topK: view.topK, heat: heat.slice(), resident,
      pool: view.pool && {
        ...view.pool, usedSlots: count(HELD), tierSlotCount: view.pool.tierSlotCount ?? 0, usedTierSlots: count(HELD_BETTER),
      },
    },
  };
}
