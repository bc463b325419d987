/**
 * The default residency policy: least frequently and recently used. Each expert has a heat that each decoded use raises
 * by 1 and each step multiplies by a decay, so old uses fade; an expert used in the last steps is spared while others are
 * there (hysteresis), since routing repeats itself from token to token. Prompts warm experts little: they use almost all.
 */
import type { ExpertKey, PoolShape, ResidencyPolicy, SlotGroup } from '../compute/residency.ts';

export interface LfruOptions {
  /** Heat kept from one decode step to the next. */
  readonly decay: number;
  /** Heat that an expert gets from a prompt that used it. */
  readonly promptHeat: number;
  /** Steps for which a used expert is spared while colder ones are there. */
  readonly graceSteps: number;
  /** Heat of an earlier session, by expert. */
  readonly initialHeat?: Float32Array;
}

export const LFRU_DEFAULTS: LfruOptions = { decay: 0.99, promptHeat: 0.25, graceSteps: 4 };

export class LfruPolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  readonly #options: LfruOptions;
  /** Heat as of #touched; decays lazily. */
  readonly #heat: Float64Array;
  readonly #touched: Float64Array;
  readonly #usedAt: Float64Array;
  #step = 0;

  constructor(shape: PoolShape, options: Partial<LfruOptions> = {}) {
    this.#shape = shape;
    this.#options = { ...LFRU_DEFAULTS, ...options };
    const count = shape.expertLayerCount * shape.expertCount;
    this.#heat = new Float64Array(count);
    if (options.initialHeat?.length === count) this.#heat.set(options.initialHeat);
    this.#touched = new Float64Array(count);
    this.#usedAt = new Float64Array(count).fill(-Infinity);
  }

  /** Current heat by expert, to be saved with the model. */
  heat(): Float32Array {
    return Float32Array.from(this.#heat, (_, key) => this.#heatOf(key));
  }

  initial({ layerIndexes, slotCount }: SlotGroup): readonly ExpertKey[] {
    const { expertCount } = this.#shape;
    // Without heat all are equal, and the same share of each layer is the best guess.
    const keys = Array.from({ length: expertCount }, (_, expert) => layerIndexes.map((layer) => layer * expertCount + expert)).flat();
    return keys.sort((a, b) => this.#heatOf(b) - this.#heatOf(a)).slice(0, slotCount);
  }

  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill'): void {
    for (const key of keys) {
      this.#heat[key] = this.#heatOf(key) + (kind === 'decode' ? 1 : this.#options.promptHeat);
      this.#touched[key] = this.#step;
      if (kind === 'decode') this.#usedAt[key] = this.#step;
    }
  }

  stepped(kind: 'decode' | 'prefill'): void {
    if (kind === 'decode') this.#step += 1;
  }

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return [...candidates].sort((a, b) => this.#worth(a) - this.#worth(b) || a - b).slice(0, count);
  }

  #heatOf(key: ExpertKey): number {
    return this.#heat[key] * this.#options.decay ** (this.#step - this.#touched[key]);
  }

  #worth(key: ExpertKey): number {
    const isFresh = this.#step - this.#usedAt[key] <= this.#options.graceSteps;
    return this.#heatOf(key) + (isFresh ? 1e6 : 0);
  }
}
