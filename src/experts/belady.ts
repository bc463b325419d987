/**
 * Offline replacement that knows the future: gives up the expert whose next use in a decoded token is the farthest (Belády,
 * "A study of replacement algorithms for a virtual-storage computer", 1966). No policy loads fewer rows; it is no bound on
 * missed layers, since one missing expert costs a layer as much as eight. For comparison only.
 */
import type { ExpertKey, PoolShape, ResidencyPolicy, SlotGroup } from '../compute/residency.ts';
import { hottestFirst } from './heat.ts';
import { coldest } from './select.ts';
import type { RoutingTrace, StepKind } from './trace.ts';

export class BeladyPolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  /** Times (step * layers + layer) of each expert's decode uses, in order, and the first that is not over. */
  readonly #uses: readonly number[][];
  readonly #next: Uint32Array;
  /** Negated time of the next use: the farthest is the coldest. */
  readonly #score: Float64Array;
  #step = 0;

  constructor(shape: PoolShape, trace: RoutingTrace) {
    this.#shape = shape;
    const { expertLayerCount, expertCount } = shape;
    const uses: number[][] = Array.from({ length: expertLayerCount * expertCount }, () => []);
    trace.steps.forEach(({ kind, layers }, step) => {
      if (kind !== 'decode') return;
      layers.forEach((experts, layer) => {
        for (const expert of experts) uses[layer * expertCount + expert].push(step * expertLayerCount + layer);
      });
    });
    this.#uses = uses;
    this.#next = new Uint32Array(uses.length);
    this.#score = Float64Array.from(uses, ([first]) => -(first ?? Infinity));
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#score).slice(0, group.slotCount);
  }

  routed(keys: readonly ExpertKey[], kind: StepKind): void {
    if (kind !== 'decode') return;
    const { expertLayerCount, expertCount } = this.#shape;
    for (const key of keys) {
      const now = this.#step * expertLayerCount + Math.floor(key / expertCount);
      while (this.#uses[key][this.#next[key]] <= now) this.#next[key] += 1;
      this.#score[key] = -(this.#uses[key][this.#next[key]] ?? Infinity);
    }
  }

  stepped(): void {
    this.#step += 1;
  }

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return coldest(candidates, count, this.#score);
  }
}
