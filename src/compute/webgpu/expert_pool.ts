/**
 * Experts in fewer slots than there are experts: slabs on the GPU, the slot table that shaders look experts up in, and
 * the moving of rows. Decides nothing itself: a ResidencyPolicy does. GPU work and uploads run in queue order, so a slot
 * may be overwritten as soon as the work that reads it has been submitted.
 */
import type { Manifest, ModelSource } from '../../storage/model_source.ts';
import { expertRowByteLength } from '../../storage/manifest.ts';
import type { Tracer } from '../../profile/trace.ts';
import type { LoadOptions } from '../ops.ts';
import { allExpertsByteLength, checkPoolHoldsOneLayer, poolByteLength, slotByteLengths } from '../pool_size.ts';
import {
  emptyResidencyCounters, PROMPT_SLOT_SHARE, type ExpertKey, type ExpertPoolOptions, type PoolShape, type ResidencyCounters,
  type ResidencyPolicy, type StepMode,
} from '../residency.ts';
import { ExpertTierSlots, type TierServices } from './expert_tier.ts';
import type { BufferView } from './kernel.ts';
import { planSlotGroups } from './slot_groups.ts';
import { createSlotMemory, groupsByLayer, NO_SLOT, writeSlot, type FilledGroup, type SlotMemory } from './slot_memory.ts';
import type { ExpertWeights } from './weights.ts';

/** Rows read at a time: bounds the memory beside the pool, and keeps a disk busy. */
const PARALLEL_READS = 8;
/** Rows that one resume of a step loads at most, beyond what it must: guesses aren't worth a long wait. */
const MAX_LOADS = 64;

/** Whether a pool of this size has a slot for every expert and no second tier, so that nothing needs to be looked up. */
export function coversAll(options: ExpertPoolOptions, manifest: Manifest): boolean {
  return !options.tier && poolByteLength(options, manifest) >= allExpertsByteLength(manifest);
}

interface Load {
  readonly group: FilledGroup;
  readonly slot: number;
  readonly key: ExpertKey;
}

const NO_SLOTS: ReadonlySet<number> = new Set();

/** Experts of one layer that a prompt needs, computed together. */
export interface ExpertWave {
  readonly keys: readonly ExpertKey[];
}

export class ExpertPool {
  readonly shape: PoolShape;
  readonly counters: ResidencyCounters;
  /** Copies of more bits; null without a second tier. */
  readonly tier: ExpertTierSlots | null;
  /** Most of its routed experts that a decode step may go on without. */
  readonly missTolerance: number;
  readonly stepMode: StepMode;
  /** [expertLayerCount * expertCount] u32: slot of each expert in its layer's group, NO_SLOT where it has none. */
  readonly table: BufferView;
  /** [expertCount] u32: the same for the experts of one layer that take part in a wave of a prompt. */
  readonly waveTable: BufferView;
  readonly #device: GPUDevice;
  readonly #source: ModelSource;
  readonly #policy: ResidencyPolicy;
  readonly #memory: SlotMemory;
  readonly #groupOfLayer: ReadonlyMap<number, FilledGroup>;
  readonly #slots: Uint32Array;
  readonly #tracer: Tracer | null;
  #usedSlots = 0;
  /** What each layer of the present decode step was routed to, where there is a second tier. */
  readonly #stepRouting: (readonly ExpertKey[])[] = [];
  /** The precision gate has the present step run again. */
  #isRerun = false;
  readonly #stagings: Uint8Array[] = [];

  private constructor(
    { device, source, counters, tracer }: TierServices, shape: PoolShape, memory: SlotMemory, tier: ExpertTierSlots | null,
    { createPolicy, missTolerance, stepMode }: ExpertPoolOptions,
  ) {
    this.tier = tier;
    this.missTolerance = missTolerance ?? 0;
    this.stepMode = stepMode ?? 'adaptive';
    this.counters = counters;
    this.#device = device;
    this.#source = source;
    this.#policy = createPolicy(shape);
    this.#tracer = tracer;
    this.shape = shape;
    this.#memory = memory;
    this.#groupOfLayer = groupsByLayer(memory.groups);
    this.table = memory.table;
    this.waveTable = memory.waveTable;
    this.#slots = new Uint32Array(shape.expertLayerCount * shape.expertCount).fill(NO_SLOT);
  }

  /** @throws Error with a sentence where the pool is too small to run or the GPU has no room for it. */
  static async create(
    device: GPUDevice, source: ModelSource, topK: number, options: ExpertPoolOptions, maxBindingByteLength: number,
    tracer: Tracer | null,
  ): Promise<ExpertPool> {
    const { expertLayers, expertCount } = source.manifest;
    const byteLength = poolByteLength(options, source.manifest);
    checkPoolHoldsOneLayer(byteLength, source.manifest, topK);
    const rows = slotByteLengths(source.manifest).map((rowByteLength, layerIndex) => ({ layerIndex, rowByteLength }));
    const planned = planSlotGroups(rows, expertCount, topK, byteLength, maxBindingByteLength);
    const shape: PoolShape = { expertLayerCount: expertLayers.length, expertCount, topK, groups: planned };
    const memory = await createSlotMemory(device, shape, expertLayers.map(({ layer }) => layer), maxBindingByteLength, PARALLEL_READS);
    try {
      const counters = emptyResidencyCounters();
      const services = { device, source, uploads: memory.uploads, counters, tracer };
      const tier = options.tier ? await ExpertTierSlots.create(services, options.tier, shape, maxBindingByteLength) : null;
      return new ExpertPool(services, shape, memory, tier, options);
    } catch (error) {
      memory.destroy();
      throw error;
    }
  }

  get byteLength(): number {
    return this.#memory.byteLength + (this.tier?.byteLength ?? 0);
  }

  get slotCount(): number {
    return this.#memory.groups.reduce((sum, group) => sum + group.slotCount, 0);
  }

  /** By expert: 1 where a slot holds it, 2 where the second tier does, 3 where both do. */
  residents(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.#slots, (slot, key) => (slot === NO_SLOT ? 0 : 1) + (this.tier?.isHeld(key) ? 2 : 0));
  }

  /** Where the kernels of a layer find its experts: slabs of slots, numbered as the tables number them. */
  weights(layerIndex: number): ExpertWeights {
    const { slabs, slotByteLength } = this.#group(layerIndex);
    const all = this.tier ? [...slabs, ...this.tier.slabs(layerIndex)] : slabs;
    return { entry: this.#source.manifest.expertLayers[layerIndex], strideByteLength: slotByteLength, slabs: all };
  }

  /** Fills the slots as far as the policies have a wish. */
  async fill({ onProgress, signal }: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void> {
    const wishes = this.#memory.groups.map((group) => ({ group, keys: [...new Set(this.#policy.initial(group))] }));
    const total = (this.tier?.fillByteLength ?? 0)
      + wishes.reduce((sum, { group, keys }) => sum + Math.min(keys.length, group.slotCount) * group.slotByteLength, 0);
    let done = 0;
    const filled = (byteLength: number): void => {
      signal?.throwIfAborted();
      done += byteLength;
      onProgress?.({ stage: 'read weights', done: Math.min(done, total), total, unit: 'bytes' });
    };
    await this.tier?.fill(filled);
    const loads = wishes.flatMap(({ group, keys }) =>
      keys.filter((key) => !this.tier?.isHeld(key)).slice(0, group.slotCount).map((key, slot) => ({ group, key, slot })));
    await this.#load(loads, ({ group }) => filled(group.slotByteLength));
  }

  /** Place of a layer in Manifest.expertLayers. */
  layerIndex(layer: number): number {
    const index = this.#source.manifest.expertLayers.findIndex((entry) => entry.layer === layer);
    if (index < 0) throw new Error(`layer ${layer} has no experts in the model`);
    return index;
  }

  key(layerIndex: number, expert: number): ExpertKey {
    return layerIndex * this.shape.expertCount + expert;
  }

  isResident(key: ExpertKey): boolean {
    return this.#slots[key] !== NO_SLOT || (this.tier?.isHeld(key) ?? false);
  }

  /** Whether every expert of the layer has a slot. */
  holdsLayer(layerIndex: number): boolean {
    for (let expert = 0; expert < this.shape.expertCount; expert++) {
      if (!this.isResident(this.key(layerIndex, expert))) return false;
    }
    return true;
  }

  /** To be called before each step: what the second tier moves by now is moved. */
  async beginStep(): Promise<void> {
    this.#isRerun = false;
    this.#stepRouting.length = 0;
    if (await this.tier?.beginStep()) this.#writeTable();
  }

  /**
   * The experts of the decode step that has just run are brought to the second tier, those with the largest weights in
   * their layers first. What is run next is the same step again: policies know of it already.
   * @returns false where the tier has no room for more of them than it held
   */
  async promoteStep(): Promise<boolean> {
    const ranks = Array.from({ length: this.shape.topK }, (_, rank) => rank);
    const keys = ranks.flatMap((rank) => this.#stepRouting.flatMap((routed) => routed.slice(rank, rank + 1)));
    const gained = await this.tier?.demand(keys) ?? 0;
    this.#writeTable();
    if (gained === 0) return false;
    this.#isRerun = true;
    this.counters.gatedSteps += 1;
    return true;
  }

  /** A decode step is over, with what the precision gate made of it. */
  finishStep(): void {
    this.tier?.stepped();
  }

  /**
   * Makes these experts of one layer resident for the decode step that needs them, and as far as slots can be given up,
   * those that its later layers are likely to need.
   * @throws what the source throws; what the table says is true then, too
   */
  async ensure(layerIndex: number, keys: readonly ExpertKey[], likely: readonly ExpertKey[] = []): Promise<void> {
    const wanted = new Set([...keys, ...likely]);
    const loads: Load[] = [];
    const taken = new Map<FilledGroup, Set<number>>();
    const plan = (group: FilledGroup, missing: readonly ExpertKey[], pinned: ReadonlySet<ExpertKey>): void => {
      const used = taken.get(group) ?? new Set();
      taken.set(group, used);
      const slots = this.#freeSlots(group, missing.length, pinned, used);
      missing.forEach((key, i) => {
        loads.push({ group, slot: slots[i], key });
        used.add(slots[i]);
      });
    };
    const group = this.#group(layerIndex);
    const missing = keys.filter((key) => !this.isResident(key));
    const spare = this.#spareSlots(group, wanted, NO_SLOTS);
    plan(group, missing, spare >= missing.length ? wanted : new Set(keys));
    const guessed = [...new Set(likely)].filter((key) => !this.isResident(key)).slice(0, Math.max(0, MAX_LOADS - loads.length));
    for (const of of this.#memory.groups) {
      const own = guessed.filter((key) => this.#group(Math.floor(key / this.shape.expertCount)) === of);
      if (own.length > 0) plan(of, own.slice(0, this.#spareSlots(of, wanted, taken.get(of) ?? NO_SLOTS)), wanted);
    }
    await this.#load(loads);
  }

  /** Tells the policies what a step used. */
  routed(keys: readonly ExpertKey[], kind: 'decode' | 'prefill', missing: number): void {
    if (this.#isRerun) return;
    this.#policy.routed(keys, kind, missing);
    if (kind === 'prefill' || !this.tier) return;
    this.tier.routed(keys);
    this.#stepRouting.push(keys);
  }

  /** A step has run, all its experts there. */
  stepped(kind: 'decode' | 'prefill', isZeroMiss: boolean): void {
    if (this.#isRerun) return;
    this.#policy.stepped(kind);
    if (kind === 'prefill') return;
    this.counters.steps += 1;
    if (isZeroMiss) this.counters.zeroMissSteps += 1;
  }

  /**
   * The experts of one layer that a prompt needs, in waves of those that the slots hold at a time. A prompt streams
   * through the coldest slots only. Each wave is resident, and the wave table names it, until the next is asked for:
   * submit its work before.
   */
  async *waves(layerIndex: number, needed: readonly ExpertKey[]): AsyncGenerator<ExpertWave, void, undefined> {
    const group = this.#group(layerIndex);
    const staging = this.#stagingSlots(group);
    let left = [...needed];
    while (left.length > 0) {
      const start = this.#tracer?.on ? this.#tracer.now() : 0;
      const resident = left.filter((key) => this.isResident(key));
      const here = new Set(resident);
      const room = staging.filter((slot) => !here.has(group.keys[slot]));
      const loads = left.filter((key) => !here.has(key)).slice(0, room.length);
      if (loads.length > 0) await this.#load(loads.map((key, i) => ({ group, slot: room[i], key })));
      this.counters.prefillLoads += loads.length;
      const wave = [...resident, ...loads];
      this.#writeWave(layerIndex, wave);
      if (this.#tracer?.on) this.#traceWave(this.#tracer, start, layerIndex, wave.length, loads.length);
      yield { keys: wave };
      const finished = new Set(wave);
      left = left.filter((key) => !finished.has(key));
    }
  }

  destroy(): void {
    this.#memory.destroy();
    this.tier?.destroy();
  }

  #group(layerIndex: number): FilledGroup {
    const group = this.#groupOfLayer.get(layerIndex);
    if (!group) throw new Error(`layer ${layerIndex} has no expert slots`);
    return group;
  }

  /** Empty slots first and those of experts that the tier holds, then those of the policy's victims; never one of `pinned`. */
  #freeSlots(group: FilledGroup, count: number, pinned: ReadonlySet<ExpertKey>, taken: ReadonlySet<number> = NO_SLOTS): number[] {
    const slots: number[] = [];
    const candidates: ExpertKey[] = [];
    for (let slot = 0; slot < group.slotCount && slots.length < count; slot++) {
      const key = group.keys[slot];
      if (taken.has(slot)) continue;
      if (key < 0 || (this.tier?.isHeld(key) && !pinned.has(key))) slots.push(slot);
      else if (!pinned.has(key)) candidates.push(key);
    }
    if (slots.length === count) return slots;
    const wanted = count - slots.length;
    if (candidates.length < wanted) throw new Error(`${wanted} expert slots are needed and ${candidates.length} may be given up`);
    const victims = this.#policy.victims(candidates, wanted);
    for (const key of victims) {
      if (pinned.has(key) || this.#slots[key] === NO_SLOT) throw new Error('the residency policy gave up an expert that it may not');
      slots.push(this.#slots[key]);
    }
    if (new Set(slots).size !== count) throw new Error(`the residency policy gave ${victims.length} experts up where ${wanted} were asked for`);
    return slots;
  }

  /** Slots that are empty or hold nothing of `pinned`. */
  #spareSlots(group: FilledGroup, pinned: ReadonlySet<ExpertKey>, taken: ReadonlySet<number>): number {
    let count = 0;
    for (let slot = 0; slot < group.slotCount; slot++) {
      if (!pinned.has(group.keys[slot]) && !taken.has(slot)) count += 1;
    }
    return count;
  }

  /** Reads rows into slots. Whatever fails, table and slots say the same afterwards. */
  async #load(loads: readonly Load[], onPlaced?: (load: Load) => void): Promise<void> {
    try {
      for (let at = 0; at < loads.length; at += PARALLEL_READS) {
        const batch = loads.slice(at, at + PARALLEL_READS);
        const rows = await this.#read(batch.map(({ key }) => key));
        for (const [i, load] of batch.entries()) {
          await this.#place(load.group, load.slot, load.key, rows[i]);
          onPlaced?.(load);
        }
      }
    } finally {
      this.#finishLoads();
    }
  }

  /** The slots that a prompt may overwrite. */
  #stagingSlots(group: FilledGroup): number[] {
    const count = Math.min(group.slotCount, Math.max(this.shape.topK, Math.floor(group.slotCount * PROMPT_SLOT_SHARE)));
    return this.#freeSlots(group, count, new Set());
  }

  async #read(keys: readonly ExpertKey[]): Promise<Uint8Array[]> {
    const { expertCount } = this.shape;
    const { expertLayers, expertStrideByteLength } = this.#source.manifest;
    const tracer = this.#tracer?.on ? this.#tracer : null;
    const start = tracer ? tracer.now() : 0;
    const reads = keys.map(async (key, i) => {
      this.#stagings[i] ??= new Uint8Array(expertStrideByteLength);
      const entry = expertLayers[Math.floor(key / expertCount)];
      const expert = key % expertCount;
      const tier = tracer ? this.#source.rowTier?.(entry.layer, expert) ?? 'storage' : null;
      const row = await this.#source.readExpertRow(entry.layer, expert, this.#stagings[i]);
      if (tier) tracer?.read(tier, start, entry.layer, expert, row.byteLength);
      return row.subarray(0, expertRowByteLength(entry));
    });
    // Where one fails, another under way would still write into its staging buffer, and the next step uses that again.
    await Promise.allSettled(reads);
    const rows = await Promise.all(reads);
    if (tracer) tracer.current.readMs += tracer.now() - start;
    return rows;
  }

  #traceWave(tracer: Tracer, start: number, layerIndex: number, expertCount: number, loadCount: number): void {
    tracer.current.hits += expertCount - loadCount;
    tracer.current.misses += loadCount;
    tracer.span('wave', start, tracer.now(), tracer.layerAt(layerIndex), expertCount, loadCount);
  }

  #traceUpload(tracer: Tracer, start: number, key: ExpertKey, evicted: ExpertKey, byteLength: number): void {
    const { expertCount } = this.shape;
    const layer = (of: ExpertKey): number => this.#source.manifest.expertLayers[Math.floor(of / expertCount)].layer;
    const end = tracer.now();
    tracer.current.uploadMs += end - start;
    tracer.current.bytesUploaded += byteLength;
    tracer.span('upload', start, end, layer(key), key % expertCount, byteLength);
    if (evicted < 0) {
      tracer.mark('occupancy', this.#usedSlots);
    } else {
      tracer.current.evictions += 1;
      tracer.mark('eviction', layer(evicted), evicted % expertCount);
    }
  }

  /** Uploads a row into a slot, by finishLoads at the latest; whoever held it is no longer resident. */
  async #place(group: FilledGroup, slot: number, key: ExpertKey, row: Uint8Array): Promise<void> {
    const before = group.keys[slot];
    if (before >= 0) {
      this.#slots[before] = NO_SLOT;
      this.counters.evictions += 1;
    } else {
      this.#usedSlots += 1;
    }
    const start = this.#tracer?.on ? this.#tracer.now() : 0;
    await writeSlot(this.#memory.uploads, group, slot, row);
    group.keys[slot] = key;
    this.#slots[key] = slot;
    this.counters.rowsLoaded += 1;
    this.counters.byteLengthLoaded += row.byteLength;
    if (this.#tracer?.on) this.#traceUpload(this.#tracer, start, key, before, row.byteLength);
  }

  /** Submits uploads and table: what is submitted next finds the rows. */
  #finishLoads(): void {
    this.#memory.uploads.flush();
    this.#writeTable();
  }

  #writeTable(): void {
    const { tier } = this;
    const entries = tier ? this.#slots.map((_, key) => this.#entry(key)) : this.#slots;
    this.#device.queue.writeBuffer(this.table.buffer, 0, entries as Uint32Array<ArrayBuffer>);
  }

  /** What the tables say of an expert: the slot of its better copy. */
  #entry(key: ExpertKey): number {
    return this.tier?.isHeld(key) ? this.tier.slots[key] : this.#slots[key];
  }

  #writeWave(layerIndex: number, keys: readonly ExpertKey[]): void {
    const { expertCount } = this.shape;
    const wave = new Uint32Array(expertCount).fill(NO_SLOT);
    for (const key of keys) wave[key - layerIndex * expertCount] = this.#entry(key);
    this.#device.queue.writeBuffer(this.waveTable.buffer, 0, wave);
  }
}
