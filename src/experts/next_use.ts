/**
 * The default residency policy: gives up the expert that the next token is least likely to need. Models differ in what
 * their routing repeats (some have favourite experts, some ask again for those of the last tokens), so the likelihood
 * isn't a formula: experts are sorted into cells by how often they were used (decayed) and how many steps ago, and each
 * cell counts how often its experts were used by the next token. A model with favourites makes it act like LFU, one with
 * bursts like LRU, topics like something between.
 *
 * A token waits for a layer whether it lacks one expert or all of them, so an expert is worth more in a layer that mostly
 * finds all of its own: layers that are nearly whole become whole, and those that miss anyway give up slots first.
 *
 * Measured in tools/residency/README.md: layers that a token waits for, against the best of LRU, LFU and LFRU, are 5 % fewer
 * on the demo model's chats (25 % of experts resident), 6 to 34 % fewer where the last experts come again, 1 % more where a
 * few favourites are all there is. Of the constants below missingLayerWorth matters (more: fewer loads, more waits); halving or
 * doubling another changes the demo's numbers by about 2 %.
 */
import type { ExpertKey, PoolShape, ResidencyPolicy, SlotGroup } from '../compute/residency.ts';
import { hottestFirst } from './heat.ts';
import { coldest } from './select.ts';

export interface NextUseOptions {
  /** Use counts kept from one decode step to the next. */
  readonly decay: number;
  /** How much of a decoded use a prompt's use counts; prompts use almost all experts, so it says little. */
  readonly promptUse: number;
  /** Worth of an expert in a layer that never finds all of its own; in one that always does, 1 more. Infinity: all alike. */
  readonly missingLayerWorth: number;
  /** Uses a step by expert, as heat() of an earlier session gave them. */
  readonly heat: Float32Array | null;
}

export const NEXT_USE_DEFAULTS: NextUseOptions = { decay: 0.995, promptUse: 0.1, missingLayerWorth: 0.5, heat: null };

/** First steps since the last use of each age bucket; the last holds all older ones. */
const AGE_BUCKETS = [0, 1, 2, 3, 4, 6, 10, 20, 50] as const;
const MAX_AGE = AGE_BUCKETS[AGE_BUCKETS.length - 1];
const AGE_BUCKET = Uint8Array.from({ length: MAX_AGE + 1 }, (_, age) => AGE_BUCKETS.findLastIndex((first) => first <= age));
/** Buckets of use frequency, so many an octave, centred on that of even routing. */
const USE_BUCKETS = 20;
const EVEN_BUCKET = 9;
const BUCKETS_PER_OCTAVE = 1.5;
/** Steps of even routing that a frequency starts from, so that one use makes no favourite. */
const EVEN_STEPS = 5;
/** Steps that saved heat counts for: a head start that a new chat's own routing soon outweighs. */
const SAVED_HEAT_STEPS = 50;
/** Observations that the first guess of a cell counts for. */
const GUESS_WEIGHT = 50;
/** Steps after which what cells have learnt counts half. */
const LEARNING_STEPS = 256;
/** Part of the latest step in a layer's share of steps without a miss. */
const LAYER_RATE = 0.02;

export class NextUsePolicy implements ResidencyPolicy {
  readonly #shape: PoolShape;
  readonly #options: NextUseOptions;
  /** Decayed count of uses, as of the layer's latest step. */
  readonly #uses: Float64Array;
  /** Decayed count of steps. */
  #stepWeight = 0;
  /** Step of the last use; at the start, long ago. */
  readonly #usedAt: Int32Array;
  readonly #useBucket: Uint8Array;
  /** Uses from which on an expert is in each use bucket, as of this step. */
  readonly #useBucketFrom = new Float64Array(USE_BUCKETS);
  /** Cell (use bucket, age bucket) of each expert since its layer's latest step. */
  readonly #cell: Uint16Array;
  /** By cell: experts that were in it when a token came, and those of them that it used. */
  readonly #cellSeen = new Float64Array(USE_BUCKETS * AGE_BUCKETS.length);
  readonly #cellUsed = new Float64Array(USE_BUCKETS * AGE_BUCKETS.length);
  /** Share of recent steps in which a layer lacked no expert. */
  readonly #wholeRate: Float64Array;
  readonly #worth: Float64Array;
  #step = 0;

  constructor(shape: PoolShape, options: Partial<NextUseOptions> = {}) {
    this.#shape = shape;
    this.#options = { ...NEXT_USE_DEFAULTS, ...options };
    const count = shape.expertLayerCount * shape.expertCount;
    this.#uses = new Float64Array(count);
    const { heat } = this.#options;
    if (heat?.length === count) {
      this.#uses.set(heat.map((usesPerStep) => usesPerStep * SAVED_HEAT_STEPS));
      this.#stepWeight = SAVED_HEAT_STEPS;
    }
    this.#usedAt = new Int32Array(count).fill(-MAX_AGE);
    this.#useBucket = new Uint8Array(count).fill(EVEN_BUCKET);
    this.#cell = new Uint16Array(count);
    this.#wholeRate = new Float64Array(shape.expertLayerCount).fill(0.5);
    this.#worth = new Float64Array(count);
    this.#learnAfresh(0);
    this.#moveBuckets();
    for (let layer = 0; layer < shape.expertLayerCount; layer++) this.#judge(layer);
  }

  /** Uses a decode step by expert, to be saved with the model; in a layer they sum up to about topK. */
  heat(): Float32Array {
    const steps = Math.max(1, this.#stepWeight);
    return Float32Array.from(this.#uses, (uses) => uses / steps);
  }

  initial(group: SlotGroup): readonly ExpertKey[] {
    return hottestFirst(group, this.#shape, this.#uses).slice(0, group.slotCount);
  }

  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill', missing: number): void {
    if (kind === 'prefill') {
      for (const key of keys) this.#uses[key] += this.#options.promptUse;
      return;
    }
    const { expertCount } = this.#shape;
    const { decay } = this.#options;
    const [uses, cell, cellSeen] = [this.#uses, this.#cell, this.#cellSeen];
    const layer = Math.floor(keys[0] / expertCount);
    for (let key = layer * expertCount; key < (layer + 1) * expertCount; key++) {
      cellSeen[cell[key]] += 1;
      uses[key] *= decay;
    }
    for (const key of keys) {
      this.#cellUsed[this.#cell[key]] += 1;
      this.#uses[key] += 1;
      this.#usedAt[key] = this.#step;
    }
    this.#wholeRate[layer] += LAYER_RATE * ((missing === 0 ? 1 : 0) - this.#wholeRate[layer]);
    this.#judge(layer);
  }

  stepped(kind: 'decode' | 'prefill'): void {
    if (kind === 'prefill') return;
    this.#step += 1;
    this.#stepWeight = this.#stepWeight * this.#options.decay + 1;
    this.#moveBuckets();
    if (this.#step % LEARNING_STEPS === 0) this.#learnAfresh(0.5);
  }

  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return coldest(candidates, count, this.#worth);
  }

  /** Sorts a layer's experts into cells anew and gives each its worth. */
  #judge(layer: number): void {
    const { expertCount } = this.#shape;
    const { missingLayerWorth } = this.#options;
    const layerWorth = missingLayerWorth === Infinity ? 1 : missingLayerWorth + this.#wholeRate[layer];
    // Fields in locals: this loop runs over every expert of the model once a token.
    const [useBucket, from, cells, worth, usedAt, step] = [
      this.#useBucket, this.#useBucketFrom, this.#cell, this.#worth, this.#usedAt, this.#step];
    const [allUses, cellUsed, cellSeen] = [this.#uses, this.#cellUsed, this.#cellSeen];
    for (let key = layer * expertCount; key < (layer + 1) * expertCount; key++) {
      const uses = allUses[key];
      let bucket = useBucket[key];
      while (bucket + 1 < USE_BUCKETS && uses >= from[bucket + 1]) bucket++;
      while (bucket > 0 && uses < from[bucket]) bucket--;
      useBucket[key] = bucket;
      const cell = bucket * AGE_BUCKETS.length + AGE_BUCKET[Math.min(MAX_AGE, step - usedAt[key])];
      cells[key] = cell;
      // Within a cell the more used one is worth more.
      worth[key] = layerWorth * (cellUsed[cell] / cellSeen[cell] + 1e-6 * uses);
    }
  }

  #moveBuckets(): void {
    const even = this.#shape.topK / this.#shape.expertCount;
    for (let bucket = 0; bucket < USE_BUCKETS; bucket++) {
      const frequency = even * 2 ** ((bucket - 0.5 - EVEN_BUCKET) / BUCKETS_PER_OCTAVE);
      this.#useBucketFrom[bucket] = frequency * (this.#stepWeight + EVEN_STEPS) - even * EVEN_STEPS;
    }
  }

  /** Keeps this share of what cells have learnt, and the first guess for the rest: the frequency, a little more if recent. */
  #learnAfresh(kept: number): void {
    const even = this.#shape.topK / this.#shape.expertCount;
    for (let bucket = 0; bucket < USE_BUCKETS; bucket++) {
      const frequency = Math.min(0.9, even * 2 ** ((bucket - EVEN_BUCKET) / BUCKETS_PER_OCTAVE));
      for (let age = 0; age < AGE_BUCKETS.length; age++) {
        const cell = bucket * AGE_BUCKETS.length + age;
        const guess = frequency / (1 + 0.1 * age);
        this.#cellSeen[cell] = kept * this.#cellSeen[cell] + (1 - kept) * GUESS_WEIGHT;
        this.#cellUsed[cell] = kept * this.#cellUsed[cell] + (1 - kept) * GUESS_WEIGHT * guess;
      }
    }
  }
}
