/**
 * Least frequently and recently used: each expert has a heat that each decoded use raises by 1 and each step multiplies by
 * a decay, so old uses fade; an expert used in the last steps is spared while others are there. Without decay and grace it
 * is LFU. What the default policy (next_use.ts) is measured against, and simple enough to predict in tests.
 */
import type { ExpertKey, PoolShape, ResidencyPolicy, SlotGroup } from '../compute/residency.ts';
import { hottestFirst } from './heat.ts';
import { coldest } from './select.ts';

export interface LfruOptions {
  /** Heat kept from one decode step to the next; 1: heat is the number of uses. */
  readonly decay: number;
  /** Heat that an expert gets from a prompt that used it. */
  readonly promptHeat: number;
  /** Steps, that of the use included, for which a used expert is spared while others are there; 0: none is. */
  readonly graceSteps: number;
}

export const LFRU_DEFAULTS: LfruOptions = { decay: 0.99, promptHeat: 0.25, graceSteps: 5 };

/** More than any heat's logarithm. */
const FRESH = 1e9;

export class LfruPolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  readonly #options: LfruOptions;
  readonly #coolingPerStep: number;
  /**
   * Logarithm of the heat plus what cooling has taken off since the start. All experts cool alike, so their order is
   * that of the heat at any time, and a step has nothing to update ("forward decay", Cormode et al., ICDE 2009).
   */
  readonly #logHeat: Float64Array;
  readonly #usedAt: Float64Array;
  /** logHeat, and FRESH more for those spared. */
  readonly #worth: Float64Array;
  /** Experts used in each of the last steps, in a ring. */
  readonly #usedIn: ExpertKey[][];
  #step = 0;

  constructor(shape: PoolShape, options: Partial<LfruOptions> = {}) {
    this.#shape = shape;
    this.#options = { ...LFRU_DEFAULTS, ...options };
    this.#coolingPerStep = -Math.log(this.#options.decay);
    const count = shape.expertLayerCount * shape.expertCount;
    this.#logHeat = new Float64Array(count).fill(-Infinity);
    this.#worth = new Float64Array(count).fill(-Infinity);
    this.#usedAt = new Float64Array(count).fill(-Infinity);
    this.#usedIn = Array.from({ length: this.#options.graceSteps }, () => []);
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#worth).slice(0, group.slotCount);
  }

  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill'): void {
    const cooled = this.#step * this.#coolingPerStep;
    const added = kind === 'decode' ? 1 : this.#options.promptHeat;
    for (const key of keys) {
      this.#logHeat[key] = cooled + Math.log(Math.exp(this.#logHeat[key] - cooled) + added);
      if (kind === 'decode') this.#usedAt[key] = this.#step;
      this.#judge(key);
    }
    if (kind === 'decode') this.#usedIn[this.#step % this.#options.graceSteps]?.push(...keys);
  }

  stepped(kind: 'decode' | 'prefill'): void {
    if (kind === 'prefill') return;
    this.#step += 1;
    const slot = this.#step % this.#options.graceSteps;
    const cooling = this.#usedIn[slot] ?? [];
    if (cooling.length > 0) this.#usedIn[slot] = [];
    for (const key of cooling) this.#judge(key);
  }

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return coldest(candidates, count, this.#worth);
  }

  #judge(key: ExpertKey): void {
    const isFresh = this.#step - this.#usedAt[key] < this.#options.graceSteps;
    this.#worth[key] = this.#logHeat[key] + (isFresh ? FRESH : 0);
  }
}
