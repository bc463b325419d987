/**
 * Which experts a device holds: the contract between a back end (which has slots and moves rows) and a policy (which
 * decides; src/experts). Experts are numbered by their row in the pack: layer's place in Manifest.expertLayers times
 * expertCount, plus expert.
 */

/** layerIndex * expertCount + expert */
export type ExpertKey = number;

/** Share of a group's slots that a prompt may use for experts it streams: the rest stays as decode left it. */
export const PROMPT_SLOT_SHARE = 0.25;

/** Slots of one stride that a run of layers shares. */
export interface SlotGroup {
  /** Places in Manifest.expertLayers. */
  readonly layerIndexes: readonly number[];
  readonly slotCount: number;
  readonly slotByteLength: number;
}

export interface PoolShape {
  readonly expertLayerCount: number;
  readonly expertCount: number;
  readonly topK: number;
  readonly groups: readonly SlotGroup[];
}

/** Decides without moving anything; told of every routing in order, so that it is a function of the tokens alone. */
export interface ResidencyPolicy {
  /** The experts to load into a group's slots before the first step, most wanted first; may be fewer or more than fit. */
  initial(group: SlotGroup): readonly ExpertKey[];
  /**
   * Distinct experts that one layer of a step was routed to, told before any of them is loaded.
   * @param missing how many of them a decode step has to wait for; 0 for prefill, which streams
   */
  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill', missing: number): void;
  /** A step is over. */
  stepped(kind: 'decode' | 'prefill'): void;
  /**
   * The `count` residents to give up, first to go first.
   * @param candidates residents of one group that no running step needs; at least `count`
   */
  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[];
}

/** Counters of a model whose experts are paged; they only grow. */
export interface ResidencyCounters {
  /** Decode steps, and those that found every expert resident. */
  steps: number;
  zeroMissSteps: number;
  /** Decode steps that were submitted stepwise: see StepMode. */
  stepwiseSteps: number;
  /** Layers that had to wait for an expert, and layers computed, over all decode steps. */
  missedLayers: number;
  /** Routed experts of decode steps that were resident when asked for, and those that weren't. */
  hits: number;
  misses: number;
  /** Expert rows loaded by prefill. */
  prefillLoads: number;
  rowsLoaded: number;
  byteLengthLoaded: number;
  evictions: number;
}

/**
 * How a decode step is submitted: 'whole' goes on as a guess behind a layer that lacks an expert, which tells what all later
 * layers lack; 'stepwise' is cut short there. 'adaptive' takes the faster one. The answer is the same.
 */
export type StepMode = 'adaptive' | 'whole' | 'stepwise';

export interface ExpertPoolOptions {
  /** Device memory for expert slots: a share of all experts (1: all stay resident), or bytes. */
  readonly size: { readonly share: number } | { readonly byteLength: number };
  createPolicy(shape: PoolShape): ResidencyPolicy;
  /** 'adaptive' where it is absent; back ends that don't submit steps ignore it. */
  readonly stepMode?: StepMode;
}

export function emptyResidencyCounters(): ResidencyCounters {
  return {
    steps: 0, zeroMissSteps: 0, stepwiseSteps: 0, missedLayers: 0, hits: 0, misses: 0, prefillLoads: 0, rowsLoaded: 0,
    byteLengthLoaded: 0, evictions: 0,
  };
}
