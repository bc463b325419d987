/**
 * Copies of experts in more bits (Manifest.tier), in slots of their own that are numbered on behind the main slots: the
 * slot table decides which copy a product uses. Moves are decided by a TierPolicy and made at a fixed step, so that
 * answers depend on routing alone; their rows are read while the step before runs.
 */
import type { ExpertTier, ModelSource } from '../../storage/model_source.ts';
import { expertRowByteLength } from '../../storage/manifest.ts';
import type { Tracer } from '../../profile/trace.ts';
import { tierByteLength, tierSlotByteLengths } from '../pool_size.ts';
import type { ExpertKey, PoolShape, ResidencyCounters, SlotGroup, TierMove, TierOptions, TierPolicy } from '../residency.ts';
import { BufferSet } from './device.ts';
import { planSlotGroups } from './slot_groups.ts';
import { createFilledGroups, groupsByLayer, NO_SLOT, writeSlot, type FilledGroup } from './slot_memory.ts';
import type { UploadRing } from './upload_ring.ts';
import type { ExpertSlab } from './weights.ts';

/** Rows read at a time. */
const PARALLEL_READS = 8;

/** Moves that are decided, and their rows, which are being read; null where a read has failed. */
interface PendingMoves {
  readonly moves: readonly TierMove[];
  rows: Promise<readonly Uint8Array[]> | null;
}

/** What the pool lends. */
export interface TierServices {
  readonly device: GPUDevice;
  readonly source: ModelSource;
  readonly uploads: UploadRing;
  readonly counters: ResidencyCounters;
  readonly tracer: Tracer | null;
}

export class ExpertTierSlots {
  /** Number of each expert's slot in its group; NO_SLOT where the tier doesn't hold it. */
  readonly slots: Uint32Array;
  readonly gate: number | null;
  readonly #services: TierServices;
  readonly #tier: ExpertTier;
  readonly #policy: TierPolicy;
  readonly #buffers: BufferSet;
  readonly #groups: readonly FilledGroup[];
  readonly #groupOfLayer: ReadonlyMap<number, FilledGroup>;
  /** Number of the first tier slot of a group in the slot table: main slots come before. */
  readonly #firstSlot: number;
  readonly #expertCount: number;
  #pending: PendingMoves | null = null;
  /** Decided when the latest step ended: due once the next one has run. */
  #decided: PendingMoves | null = null;

  private constructor(
    services: TierServices, tier: ExpertTier, options: TierOptions, main: PoolShape, buffers: BufferSet, groups: readonly FilledGroup[],
  ) {
    this.#services = services;
    this.#tier = tier;
    this.#policy = options.createPolicy({ ...main, groups });
    this.#buffers = buffers;
    this.#groups = groups;
    this.#groupOfLayer = groupsByLayer(groups);
    this.#firstSlot = Math.max(...main.groups.map(({ slotCount }) => slotCount));
    this.#expertCount = main.expertCount;
    this.gate = options.gate;
    this.slots = new Uint32Array(main.expertLayerCount * main.expertCount).fill(NO_SLOT);
  }

  /** @throws Error with a sentence where the model has no second tier or the GPU no room for it */
  static async create(
    services: TierServices, options: TierOptions, main: PoolShape, maxBindingByteLength: number,
  ): Promise<ExpertTierSlots> {
    const { device, source: { manifest } } = services;
    const { tier, expertCount } = manifest;
    if (!tier) throw new Error(`${manifest.name} was not imported with a second tier of experts: import it again as '2-bit experts + FP4 tier'`);
    const rows = tierSlotByteLengths(manifest).map((rowByteLength, layerIndex) => ({ layerIndex, rowByteLength }));
    const byteLength = tierByteLength(options, manifest);
    const longest = Math.max(...rows.map(({ rowByteLength }) => rowByteLength));
    if (byteLength < longest) throw new Error(`a second tier of ${byteLength} bytes holds no expert: one takes ${longest}`);
    // By the tier's own size alone: which experts share slots must not depend on the main pool.
    const planned = planSlotGroups(rows, expertCount, 1, byteLength, maxBindingByteLength);
    const buffers = new BufferSet(device);
    try {
      const nameOf = ({ layerIndexes }: SlotGroup): string => `the second tier of layer ${tier.layers[layerIndexes[0]].layer}`;
      const groups = await createFilledGroups(buffers, planned, 'tier slots', nameOf, maxBindingByteLength);
      return new ExpertTierSlots(services, tier, options, main, buffers, groups);
    } catch (error) {
      buffers.destroy();
      throw error;
    }
  }

  get byteLength(): number {
    return this.#buffers.byteLength;
  }

  /** Bytes that fill() reads. */
  get fillByteLength(): number {
    return this.#groups.reduce((sum, group) => sum + this.#policy.initial(group).length * group.slotByteLength, 0);
  }

  get slotCount(): number {
    return this.#groups.reduce((sum, group) => sum + group.slotCount, 0);
  }

  isHeld(key: ExpertKey): boolean {
    return this.slots[key] !== NO_SLOT;
  }

  /** Slabs of a layer's tier slots, for the kernels. */
  slabs(layerIndex: number): ExpertSlab[] {
    const { slabs, slotByteLength } = this.#groupOf(layerIndex);
    const rows = { shapes: this.#tier.layers[layerIndex], strideByteLength: slotByteLength };
    return slabs.map((slab) => ({ ...slab, firstExpert: this.#firstSlot + slab.firstExpert, rows }));
  }

  /**
   * Fills the slots as far as the policy has a wish; the table is the caller's to upload.
   * @param onRows told of the bytes of each few rows
   */
  async fill(onRows: (byteLength: number) => void): Promise<void> {
    for (const group of this.#groups) {
      const moves = this.#policy.initial(group).map((key) => ({ key, evicts: null }));
      for (let at = 0; at < moves.length; at += PARALLEL_READS) {
        const some = moves.slice(at, at + PARALLEL_READS);
        await this.#make({ moves: some, rows: null });
        onRows(some.length * group.slotByteLength);
      }
    }
  }

  routed(keys: readonly ExpertKey[]): void {
    this.#policy.routed(keys);
  }

  /** A decode step is over: its rows are read while the next one runs. */
  stepped(): void {
    const moves = this.#policy.stepped();
    this.#pending = this.#decided;
    this.#decided = null;
    if (moves.length === 0) return;
    const rows = this.#read(moves);
    // Whoever awaits it is told; until then a failure is nobody's unhandled one.
    rows.catch(() => undefined);
    this.#decided = { moves, rows };
  }

  /** Makes the moves that are due before a step. @returns whether the table has changed */
  async beginStep(): Promise<boolean> {
    if (!this.#pending) return false;
    await this.#make(this.#pending);
    this.#pending = null;
    return true;
  }

  /** Brings in a step's experts at once. @returns how many of them came */
  async demand(keys: readonly ExpertKey[]): Promise<number> {
    const held = (): number => keys.reduce((count, key) => count + (this.isHeld(key) ? 1 : 0), 0);
    const before = held();
    // Moves are made in the order in which they were decided: a later one may give up what an earlier one brings.
    await this.beginStep();
    this.#pending = this.#decided;
    this.#decided = null;
    await this.beginStep();
    const moves = this.#policy.demanded(keys);
    for (let at = 0; at < moves.length; at += PARALLEL_READS) {
      await this.#make({ moves: moves.slice(at, at + PARALLEL_READS), rows: null });
    }
    return held() - before;
  }

  destroy(): void {
    this.#buffers.destroy();
  }

  #groupOf(layerIndex: number): FilledGroup {
    const group = this.#groupOfLayer.get(layerIndex);
    if (!group) throw new Error(`layer ${layerIndex} has no tier slots`);
    return group;
  }

  async #read(moves: readonly TierMove[]): Promise<Uint8Array[]> {
    const { source, tracer } = this.#services;
    const start = tracer?.on ? tracer.now() : 0;
    return Promise.all(moves.map(async ({ key }) => {
      const { layer } = this.#tier.layers[Math.floor(key / this.#expertCount)];
      const row = await source.readTierRow(layer, key % this.#expertCount);
      if (tracer?.on) tracer.read('storage', start, layer, key % this.#expertCount, row.byteLength);
      return row;
    }));
  }

  /** Uploads rows into slots. Where a read fails, no move is made, and the next attempt reads again. */
  async #make(pending: PendingMoves): Promise<void> {
    const { uploads, counters, tracer } = this.#services;
    const { moves } = pending;
    let rows: readonly Uint8Array[];
    try {
      rows = await (pending.rows ?? this.#read(moves));
    } catch (error) {
      pending.rows = null;
      throw error;
    }
    for (const [i, { key, evicts }] of moves.entries()) {
      const layerIndex = Math.floor(key / this.#expertCount);
      const group = this.#groupOf(layerIndex);
      const slot = evicts === null ? group.keys.indexOf(-1) : this.slots[evicts] - this.#firstSlot;
      if (this.isHeld(key) || !(slot >= 0 && slot < group.slotCount) || (evicts !== null && group.keys[slot] !== evicts)) {
        throw new Error('the tier policy made a move that it may not');
      }
      const start = tracer?.on ? tracer.now() : 0;
      const row = rows[i].subarray(0, expertRowByteLength(this.#tier.layers[layerIndex]));
      await writeSlot(uploads, group, slot, row);
      if (evicts !== null) this.slots[evicts] = NO_SLOT;
      group.keys[slot] = key;
      this.slots[key] = this.#firstSlot + slot;
      counters.promotions += 1;
      counters.byteLengthLoaded += row.byteLength;
      if (tracer?.on) this.#trace(tracer, start, key, row.byteLength);
    }
    uploads.flush();
  }

  #trace(tracer: Tracer, start: number, key: ExpertKey, byteLength: number): void {
    const { layer } = this.#tier.layers[Math.floor(key / this.#expertCount)];
    const end = tracer.now();
    tracer.current.uploadMs += end - start;
    tracer.current.bytesUploaded += byteLength;
    tracer.current.promotions += 1;
    tracer.span('upload', start, end, layer, key % this.#expertCount, byteLength);
    tracer.mark('promotion', layer, key % this.#expertCount);
  }
}
