/**
 * Replays a routing trace through a policy as the pool of the WebGPU back end would run it (compute/webgpu/expert_pool.ts
 * and paged_step.ts; a test holds the two together), with no model and no GPU: how often would a token have waited?
 */
import {
  emptyResidencyCounters, PROMPT_SLOT_SHARE, type ExpertKey, type PoolShape, type ResidencyCounters, type ResidencyPolicy,
  type SlotGroup,
} from '../compute/residency.ts';
import type { RoutingTrace, TraceShape, TraceStep } from './trace.ts';

/** A guess of the next layer's experts, taken along when a layer waits for its own anyway. */
export interface PrefetchModel {
  /** Share of the next layer's experts that are guessed right; each other guess names some expert of that layer. */
  readonly accuracy: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export interface SimulationOptions {
  readonly prefetch?: PrefetchModel;
}

/** Pool of a share of all experts, its slots in so many groups of neighbouring layers; at least topK slots each. */
export function poolShapeOf({ expertLayerCount, expertCount, topK }: TraceShape, share: number, groupCount = 1): PoolShape {
  const groups = Array.from({ length: groupCount }, (_, g): SlotGroup => {
    const [first, end] = [g, g + 1].map((i) => Math.floor(i * expertLayerCount / groupCount));
    const layerIndexes = Array.from({ length: end - first }, (__, i) => first + i);
    const slotCount = Math.max(topK, Math.min(layerIndexes.length * expertCount, Math.floor(layerIndexes.length * expertCount * share)));
    return { layerIndexes, slotCount, slotByteLength: 1 };
  });
  return { expertLayerCount, expertCount, topK, groups };
}

/** What the pool's counters would say after the run. @throws Error where the policy breaks its contract */
export function simulate(
  { steps }: RoutingTrace, shape: PoolShape, createPolicy: (shape: PoolShape) => ResidencyPolicy, options: SimulationOptions = {},
): ResidencyCounters {
  const policy = createPolicy(shape);
  const pool = new SimulatedPool(shape, policy, options.prefetch ?? null);
  for (const step of steps) {
    if (step.kind === 'decode') pool.decode(step);
    else pool.prefill(step);
    policy.stepped(step.kind);
  }
  return pool.counters;
}

interface Group extends SlotGroup {
  /** Expert in each slot; -1: empty. */
  readonly keys: Int32Array;
}

class SimulatedPool {
  readonly counters = emptyResidencyCounters();
  readonly #shape: PoolShape;
  readonly #policy: ResidencyPolicy;
  readonly #prefetch: PrefetchModel | null;
  readonly #groupOfLayer: readonly Group[];
  /** Slot of each expert; -1: none. */
  readonly #slots: Int32Array;

  constructor(shape: PoolShape, policy: ResidencyPolicy, prefetch: PrefetchModel | null) {
    this.#shape = shape;
    this.#policy = policy;
    this.#prefetch = prefetch;
    this.#slots = new Int32Array(shape.expertLayerCount * shape.expertCount).fill(-1);
    const groupOfLayer: Group[] = [];
    for (const group of shape.groups.map((planned): Group => ({ ...planned, keys: new Int32Array(planned.slotCount).fill(-1) }))) {
      for (const layer of group.layerIndexes) groupOfLayer[layer] = group;
      [...new Set(policy.initial(group))].slice(0, group.slotCount).forEach((key, slot) => this.#place(group, slot, key));
    }
    this.#groupOfLayer = groupOfLayer;
  }

  decode({ layers }: TraceStep): void {
    const { counters } = this;
    let missedLayers = 0;
    layers.forEach((experts, layer) => {
      const keys = this.#keysOf(layer, experts);
      const missing = keys.filter((key) => this.#slots[key] < 0);
      counters.hits += keys.length - missing.length;
      counters.misses += missing.length;
      this.#policy.routed(keys, 'decode', missing.length);
      if (missing.length === 0) return;
      missedLayers += 1;
      this.#load(this.#groupOfLayer[layer], missing, new Set(keys));
      if (this.#prefetch !== null && layer + 1 < layers.length) {
        const guess = this.#guess(layer + 1, layers[layer + 1], this.#prefetch);
        const group = this.#groupOfLayer[layer + 1];
        const unseen = guess.filter((key) => this.#slots[key] < 0);
        const pinned = new Set([...keys, ...guess]);
        if (group.slotCount >= pinned.size) this.#load(group, unseen, pinned);
      }
    });
    counters.steps += 1;
    counters.missedLayers += missedLayers;
    if (missedLayers === 0) counters.zeroMissSteps += 1;
  }

  prefill({ layers }: TraceStep): void {
    const { expertCount, topK } = this.#shape;
    layers.forEach((experts, layer) => {
      const group = this.#groupOfLayer[layer];
      const first = layer * expertCount;
      if (this.#slots.subarray(first, first + expertCount).every((slot) => slot >= 0)) return;
      let left = this.#keysOf(layer, experts);
      this.#policy.routed(left, 'prefill', 0);
      const stagingCount = Math.min(group.slotCount, Math.max(topK, Math.floor(group.slotCount * PROMPT_SLOT_SHARE)));
      const staging = this.#freeSlots(group, stagingCount, new Set());
      while (left.length > 0) {
        const here = new Set(left.filter((key) => this.#slots[key] >= 0));
        const room = staging.filter((slot) => !here.has(group.keys[slot]));
        const loads = left.filter((key) => !here.has(key)).slice(0, room.length);
        loads.forEach((key, i) => this.#place(group, room[i], key));
        this.counters.prefillLoads += loads.length;
        const finished = new Set([...here, ...loads]);
        left = left.filter((key) => !finished.has(key));
      }
    });
  }

  #keysOf(layer: number, experts: readonly number[]): ExpertKey[] {
    return experts.map((expert) => layer * this.#shape.expertCount + expert);
  }

  #guess(layer: number, experts: readonly number[], { accuracy, random }: PrefetchModel): ExpertKey[] {
    const guessed = experts.map((expert) => (random() < accuracy ? expert : Math.floor(random() * this.#shape.expertCount)));
    return this.#keysOf(layer, [...new Set(guessed)]);
  }

  #load(group: Group, keys: readonly ExpertKey[], pinned: ReadonlySet<ExpertKey>): void {
    const slots = this.#freeSlots(group, keys.length, pinned);
    keys.forEach((key, i) => this.#place(group, slots[i], key));
  }

  #freeSlots(group: Group, count: number, pinned: ReadonlySet<ExpertKey>): number[] {
    const slots: number[] = [];
    const candidates: ExpertKey[] = [];
    for (let slot = 0; slot < group.slotCount && slots.length < count; slot++) {
      const key = group.keys[slot];
      if (key < 0) slots.push(slot);
      else if (!pinned.has(key)) candidates.push(key);
    }
    if (slots.length === count) return slots;
    const victims = this.#policy.victims(candidates, count - slots.length);
    slots.push(...victims.map((key) => this.#slots[key]));
    if (new Set(slots).size !== count || victims.some((key) => pinned.has(key) || this.#slots[key] < 0)) {
      throw new Error('the policy gave up experts that it may not, or not as many as asked for');
    }
    return slots;
  }

  #place(group: Group, slot: number, key: ExpertKey): void {
    const before = group.keys[slot];
    if (before >= 0) {
      this.#slots[before] = -1;
      this.counters.evictions += 1;
    }
    group.keys[slot] = key;
    this.#slots[key] = slot;
    this.counters.rowsLoaded += 1;
    this.counters.byteLengthLoaded += group.slotByteLength;
  }
}
