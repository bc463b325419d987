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

/** One expert's copy of more bits comes to the GPU, in a free slot of the tier or in that of the expert given up. */
export interface TierMove {
  readonly key: ExpertKey;
  readonly evicts: ExpertKey | null;
}

/**
 * Decides which experts hold a copy of more bits on the GPU (Manifest.tier). Products with those experts use it, so this
 * changes what a model answers: it must be a function of the routing of decode steps alone, never of memory or time. It
 * keeps track of what the tier holds; a move that was given counts as made.
 */
export interface TierPolicy {
  /** What each group's slots hold before the first step; no more than they are. */
  initial(group: SlotGroup): readonly ExpertKey[];
  /** Distinct experts that one layer of a decode step was routed to. */
  routed(keys: readonly ExpertKey[]): void;
  /** A decode step is over: what moves by the step after the next. */
  stepped(): readonly TierMove[];
  /** A step is run again: moves that bring in as many of its experts, most wanted first, as the tier has room for. */
  demanded(keys: readonly ExpertKey[]): readonly TierMove[];
}

export interface TierOptions {
  /** Device memory for copies of more bits: a share of all experts, or bytes. */
  readonly size: { readonly share: number } | { readonly byteLength: number };
  /**
   * A decode step whose likeliest token has this probability or less is run again with its experts in the tier; null:
   * none is.
   */
  readonly gate: number | null;
  /** @param shape its groups' slots are those of the tier */
  createPolicy(shape: PoolShape): TierPolicy;
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
  /** Copies of more bits that came to the GPU, and decode steps that the precision gate ran again. */
  promotions: number;
  gatedSteps: number;
  /** Decode steps that went on without some of their experts, and how many those were: see missTolerance. */
  toleratedSteps: number;
  toleratedMisses: number;
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
  /** Changes answers, for the better: experts of more bits, as far as the model was stored with them. */
  readonly tier?: TierOptions | null;
  /**
   * Changes answers, for the worse: a decode step that lacks this many of its routed experts or fewer goes on without
   * them. 0: none does.
   */
  readonly missTolerance?: number;
  /** 'adaptive' where it is absent; back ends that don't submit steps ignore it. */
  readonly stepMode?: StepMode;
}

/** What was counted between two looks at counters. */
export function countersSince(before: Readonly<ResidencyCounters>, now: Readonly<ResidencyCounters>): ResidencyCounters {
  const difference = { ...now };
  for (const name of Object.keys(now) as (keyof ResidencyCounters)[]) difference[name] -= before[name];
  return difference;
}

export function emptyResidencyCounters(): ResidencyCounters {
  return {
    steps: 0, zeroMissSteps: 0, stepwiseSteps: 0, missedLayers: 0, hits: 0, misses: 0, prefillLoads: 0, rowsLoaded: 0,
    byteLengthLoaded: 0, evictions: 0, promotions: 0, gatedSteps: 0, toleratedSteps: 0, toleratedMisses: 0,
  };
}
