/**
 * The default policy of the second tier: the experts that recent tokens used most hold copies of more bits. Uses count
 * less with every step, and an expert must be clearly hotter than the one that it drives out, so that a full tier comes to
 * rest: each move costs a read and changes answers.
 */
import type { ExpertKey, PoolShape, SlotGroup, TierMove, TierPolicy } from '../compute/residency.ts';
import { hottestFirst } from './heat.ts';
import { coldest } from './select.ts';

export interface HeatTierOptions {
  /** Use counts kept from one decode step to the next. */
  readonly decay: number;
  /** How many times hotter than the coldest an expert must be to take its place. */
  readonly hysteresis: number;
  /** Most moves a step: their rows must be read within one. */
  readonly movesPerStep: number;
  /** Steps without a use after which an expert may be driven out. */
  readonly coldSteps: number;
  /** Uses a step by expert, as an earlier session gave them; null: the tier starts empty. */
  readonly heat: Float32Array | null;
}

/** Eight moves a step, and two steps' rest before a copy goes, are DESIGN's; the others make the demo's tier settle. */
export const HEAT_TIER_DEFAULTS: HeatTierOptions = { decay: 0.99, hysteresis: 1.5, movesPerStep: 8, coldSteps: 2, heat: null };

/** Steps that saved heat counts for. */
const SAVED_HEAT_STEPS = 50;
/** Counts are kept in units that grow, so that a step needn't touch all of them; before they overflow they are scaled. */
const LARGEST_UNIT = 1e100;

export class HeatTierPolicy implements TierPolicy {
  readonly #shape: PoolShape;
  readonly #options: HeatTierOptions;
  /** In units of #unit. */
  readonly #uses: Float64Array;
  #unit = 1;
  readonly #usedAt: Int32Array;
  readonly #held: readonly Set<ExpertKey>[];
  readonly #groupOfLayer: ReadonlyMap<number, number>;
  #used: ExpertKey[] = [];
  #step = 0;

  constructor(shape: PoolShape, options: Partial<HeatTierOptions> = {}) {
    this.#shape = shape;
    this.#options = { ...HEAT_TIER_DEFAULTS, ...options };
    const count = shape.expertLayerCount * shape.expertCount;
    this.#uses = new Float64Array(count);
    const { heat } = this.#options;
    if (heat?.length === count) this.#uses.set(heat.map((usesPerStep) => usesPerStep * SAVED_HEAT_STEPS));
    this.#usedAt = new Int32Array(count).fill(-1_000_000);
    this.#groupOfLayer = new Map(shape.groups.flatMap((group, g) => group.layerIndexes.map((layer) => [layer, g] as const)));
    this.#held = shape.groups.map((group) => new Set(this.initial(group)));
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#uses).slice(0, group.slotCount).filter((key) => this.#uses[key] > 0);
  }

  routed(keys: readonly ExpertKey[]): void {
    for (const key of keys) {
      this.#uses[key] += this.#unit;
      this.#usedAt[key] = this.#step;
      this.#used.push(key);
    }
  }

  stepped(): readonly TierMove[] {
    const { movesPerStep, hysteresis, coldSteps, decay } = this.#options;
    const moves: TierMove[] = [];
    for (const key of this.#hottestFirst(this.#used)) {
      if (moves.length === movesPerStep) break;
      const move = this.#moveFor(key, (held) => this.#usedAt[held] <= this.#step - coldSteps, hysteresis);
      if (move) moves.push(move);
    }
    this.#used = [];
    this.#step += 1;
    this.#unit /= decay;
    if (this.#unit > LARGEST_UNIT) this.#rescale();
    return moves;
  }

  demanded(keys: readonly ExpertKey[]): readonly TierMove[] {
    const wanted = new Set(keys);
    return keys.flatMap((key) => this.#moveFor(key, (held) => !wanted.has(held), 0) ?? []);
  }

  /** Makes room for an expert and notes that it has come; null where it is there or nothing may go. */
  #moveFor(key: ExpertKey, mayGo: (held: ExpertKey) => boolean, hysteresis: number): TierMove | null {
    const group = this.#groupOfLayer.get(Math.floor(key / this.#shape.expertCount))!;
    const held = this.#held[group];
    if (held.has(key)) return null;
    let evicts: ExpertKey | null = null;
    if (held.size >= this.#shape.groups[group].slotCount) {
      [evicts = null] = coldest([...held].filter(mayGo), 1, this.#uses);
      if (evicts === null || this.#uses[key] < hysteresis * this.#uses[evicts]) return null;
      held.delete(evicts);
    }
    held.add(key);
    return { key, evicts };
  }

  #hottestFirst(keys: readonly ExpertKey[]): ExpertKey[] {
    return [...keys].sort((a, b) => this.#uses[b] - this.#uses[a] || a - b);
  }

  #rescale(): void {
    for (let key = 0; key < this.#uses.length; key++) this.#uses[key] /= this.#unit;
    this.#unit = 1;
  }
}
