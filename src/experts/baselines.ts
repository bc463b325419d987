/** Textbook policies that the default one is measured against. */
import type { ExpertKey, PoolShape, ResidencyPolicy, SlotGroup } from '../compute/residency.ts';
import { hottestFirst } from './heat.ts';
import { coldest } from './select.ts';
import type { RoutingTrace } from './trace.ts';

/** Gives up the expert whose last use by a decoded token is the oldest. */
export class LruPolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  readonly #usedAt: Float64Array;
  #time = 0;

  constructor(shape: PoolShape) {
    this.#shape = shape;
    this.#usedAt = new Float64Array(shape.expertLayerCount * shape.expertCount);
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#usedAt).slice(0, group.slotCount);
  }

  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill'): void {
    if (kind === 'prefill') return;
    this.#time += 1;
    for (const key of keys) this.#usedAt[key] = this.#time;
  }

  stepped(): void {}

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return coldest(candidates, count, this.#usedAt);
  }
}

/** Keeps the hottest experts of a given profile for good; what else is needed goes through the slots of the coldest. */
export class StaticPolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  readonly #heat: Float64Array;

  /** @param heat [expertLayerCount * expertCount] */
  constructor(shape: PoolShape, heat: Float32Array) {
    this.#shape = shape;
    this.#heat = Float64Array.from(heat);
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#heat).slice(0, group.slotCount);
  }

  routed(): void {}

  stepped(): void {}

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return coldest(candidates, count, this.#heat);
  }
}

/** How often each expert is used by the first decode steps of a trace: a profile as one would ship it with a model. */
export function profileOf({ shape, steps }: RoutingTrace, share: number): Float32Array {
  const decoded = steps.filter(({ kind }) => kind === 'decode');
  const heat = new Float32Array(shape.expertLayerCount * shape.expertCount);
  for (const { layers } of decoded.slice(0, Math.ceil(decoded.length * share))) {
    layers.forEach((experts, layer) => experts.forEach((expert) => { heat[layer * shape.expertCount + expert] += 1; }));
  }
  return heat;
}
