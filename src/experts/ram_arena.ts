/**
 * The tier between GPU slots and the pack file: expert rows kept in RAM up to a budget. Rows lie in slots of a few large
 * buffers, made as they are needed, so that no row is ever left to the garbage collector. Which row makes room is decided
 * by second chance: a slot that was read since the hand passed is spared once, so one prompt that runs through many
 * experts doesn't drive out those that come back.
 */
import type { ExpertKey } from '../compute/residency.ts';
import type { RowTier } from '../profile/trace.ts';
import type { Manifest, ModelSource } from '../storage/model_source.ts';

/** Memory is taken in pieces of this: one failed allocation costs little, and an unused budget costs nothing. */
const BLOCK_BYTE_LENGTH = 64 * 2 ** 20;
/** Rows read ahead at a time: the reads that a step waits for share the disk with them. */
const PARALLEL_PREFETCHES = 2;
const EMPTY = -1;

/** What the tiers below the GPU did; they only grow. */
export interface ArenaCounters {
  /** Rows asked for that were in RAM, and their bytes. */
  ramHits: number;
  ramByteLength: number;
  /** Rows read from storage, those read ahead included, their bytes and the milliseconds spent (reads overlap). */
  storageReads: number;
  storageByteLength: number;
  storageMillis: number;
  /** Rows asked for that another read was bringing already. */
  joinedReads: number;
  /** Rows read ahead. */
  prefetches: number;
}

export interface ArenaOptions {
  /** Most bytes of RAM for rows. */
  readonly byteLength: number;
  /** Milliseconds. */
  readonly clock?: () => number;
  /** Lets other work of the thread run between two rows that are read ahead: reads may block the thread. */
  readonly yieldToHost?: () => Promise<void>;
}

interface Slot {
  readonly bytes: Uint8Array;
  key: ExpertKey;
  /** Bytes of the row. */
  byteLength: number;
  /** Readers that copy from it or wait for it: it may not be given up. */
  users: number;
  referenced: boolean;
  /** The read that fills it; null when it is filled. */
  filling: Promise<void> | null;
}

export class RamArena implements ModelSource {
  readonly counters: ArenaCounters = {
    ramHits: 0, ramByteLength: 0, storageReads: 0, storageByteLength: 0, storageMillis: 0, joinedReads: 0, prefetches: 0,
  };
  /**
   * Whether rows that are read stay in RAM. Off while a GPU pool is filled: what the GPU holds is not asked for again
   * soon, and would take the place of what is.
   */
  keeps = true;
  readonly #source: ModelSource;
  readonly #clock: () => number;
  readonly #yieldToHost: () => Promise<void>;
  readonly #layerIndex: ReadonlyMap<number, number>;
  readonly #slots: Slot[] = [];
  readonly #slotOf = new Map<ExpertKey, Slot>();
  #slotLimit: number;
  #hand = 0;
  #ahead: ExpertKey[] = [];
  #prefetching = 0;
  #closed = false;

  constructor(source: ModelSource, { byteLength, clock, yieldToHost }: ArenaOptions) {
    this.#source = source;
    this.#yieldToHost = yieldToHost ?? (() => new Promise((resolve) => setTimeout(resolve, 0)));
    this.#clock = clock ?? ((): number => performance.now());
    this.#layerIndex = new Map(source.manifest.expertLayers.map(({ layer }, index) => [layer, index]));
    this.#slotLimit = this.#slotsIn(byteLength);
  }

  get manifest(): Manifest { return this.#source.manifest; }

  /** Rows that there is room for. */
  get slotLimit(): number { return this.#slotLimit; }

  /** Bytes taken so far. */
  get byteLength(): number { return this.#slots.length * this.manifest.expertStrideByteLength; }

  readDense(...range: Parameters<ModelSource['readDense']>): Promise<Uint8Array> {
    return this.#source.readDense(...range);
  }

  readTierRow(...row: Parameters<ModelSource['readTierRow']>): Promise<Uint8Array> {
    return this.#source.readTierRow(...row);
  }

  rowTier(layer: number, expert: number): RowTier {
    const key = this.#key(layer, expert);
    const known = key === null ? undefined : this.#slotOf.get(key);
    return known && !known.filling ? 'memory' : 'storage';
  }

  /** A copy of the row, in `into` where it is given. @throws what the source throws, to all who wait for the row */
  async readExpertRow(layer: number, expert: number, into?: Uint8Array): Promise<Uint8Array> {
    const key = this.#key(layer, expert);
    const known = key === null ? undefined : this.#slotOf.get(key);
    if (known) {
      if (known.filling) this.counters.joinedReads += 1;
      else {
        this.counters.ramHits += 1;
        this.counters.ramByteLength += known.byteLength;
      }
      known.referenced = true;
      return this.#copy(known, into);
    }
    const slot = key === null || !this.keeps ? null : this.#takeSlot();
    if (key === null || slot === null) return this.#timed(() => this.#source.readExpertRow(layer, expert, into));
    this.#fill(slot, key, layer, expert);
    return this.#copy(slot, into);
  }

  /**
   * Reads rows ahead in the background, the first first; those that are there or come too late for a free slot are left
   * out. Replaces what an earlier call had not begun. Failures are left to whoever asks for the row.
   */
  prefetch(keys: readonly ExpertKey[]): void {
    this.#ahead = [...keys];
    while (this.#prefetching < PARALLEL_PREFETCHES && this.#ahead.length > 0) void this.#prefetchNext();
  }

  /**
   * Changes the budget while rows are read. A larger one is taken when rows need it. For a smaller one whole blocks are
   * given up, those made last first: the rows read ahead first, the hottest, stay. A block whose rows are being read or
   * copied goes as soon as that is over.
   */
  resize(byteLength: number): void {
    if (this.#closed) return;
    this.#slotLimit = this.#slotsIn(byteLength);
    this.#trim();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ahead = [];
    this.#slotLimit = 0;
    await Promise.allSettled(this.#slots.map((slot) => slot.filling));
    this.#slotOf.clear();
    this.#slots.length = 0;
    await this.#source.close();
  }

  #slotsIn(byteLength: number): number {
    const { expertLayers, expertCount, expertStrideByteLength } = this.manifest;
    const most = expertLayers.length * expertCount;
    return expertStrideByteLength === 0 ? 0 : Math.max(0, Math.min(most, Math.floor(byteLength / expertStrideByteLength)));
  }

  /** Frees blocks where there are too many, until the budget is kept or all that is left is in use. */
  #trim(): void {
    if (this.#slots.length <= this.#slotLimit) return;
    const blocks = [...new Set(this.#slots.map(({ bytes }) => bytes.buffer))];
    while (this.#slots.length > this.#slotLimit && blocks.length > 0) {
      const block = blocks.pop();
      const own = this.#slots.filter(({ bytes }) => bytes.buffer === block);
      if (own.some(({ users, filling }) => users > 0 || filling !== null)) continue;
      for (const { key } of own) this.#slotOf.delete(key);
      this.#slots.splice(this.#slots.indexOf(own[0]), own.length);
    }
    this.#hand = 0;
  }

  /** Null for an expert that the model has not: the source refuses it in its own words. */
  #key(layer: number, expert: number): ExpertKey | null {
    const index = this.#layerIndex.get(layer);
    const { expertCount } = this.manifest;
    return index === undefined || !(Number.isInteger(expert) && expert >= 0 && expert < expertCount) ? null : index * expertCount + expert;
  }

  async #copy(slot: Slot, into: Uint8Array | undefined): Promise<Uint8Array> {
    slot.users += 1;
    try {
      await slot.filling;
      const row = slot.bytes.subarray(0, slot.byteLength);
      if (!into || into.byteLength < row.byteLength) return row.slice();
      into.set(row);
      return into.subarray(0, row.byteLength);
    } finally {
      slot.users -= 1;
      this.#trim();
    }
  }

  #fill(slot: Slot, key: ExpertKey, layer: number, expert: number): void {
    slot.key = key;
    slot.referenced = false;
    this.#slotOf.set(key, slot);
    const filling = this.#timed(() => this.#source.readExpertRow(layer, expert, slot.bytes)).then((row) => {
      // A source that has the row in memory may give that instead of reading into the slot.
      if (row.buffer !== slot.bytes.buffer || row.byteOffset !== slot.bytes.byteOffset) slot.bytes.set(row);
      slot.byteLength = row.byteLength;
      slot.filling = null;
      this.#trim();
    }, (error: unknown) => {
      this.#slotOf.delete(key);
      slot.key = EMPTY;
      slot.filling = null;
      this.#trim();
      throw error;
    });
    // Readers see the failure through `filling`; a prefetch may have none.
    filling.catch(() => undefined);
    slot.filling = filling;
  }

  /** An empty or a new slot, else the first that was not read since the hand passed; null where all are in use. */
  #takeSlot(): Slot | null {
    if (this.#slots.length < this.#slotLimit) this.#grow();
    const count = this.#slots.length;
    for (let i = 0; i < 2 * count; i++) {
      const slot = this.#slots[this.#hand];
      this.#hand = (this.#hand + 1) % count;
      if (slot.users > 0 || slot.filling) continue;
      if (slot.key !== EMPTY && slot.referenced) {
        slot.referenced = false;
        continue;
      }
      if (slot.key !== EMPTY) this.#slotOf.delete(slot.key);
      slot.key = EMPTY;
      return slot;
    }
    return null;
  }

  /** Adds a block of empty slots where all are taken. */
  #grow(): void {
    if (this.#slotOf.size < this.#slots.length) return;
    const stride = this.manifest.expertStrideByteLength;
    const count = Math.min(Math.max(1, Math.floor(BLOCK_BYTE_LENGTH / stride)), this.#slotLimit - this.#slots.length);
    let block: ArrayBuffer;
    try {
      block = new ArrayBuffer(count * stride);
    } catch {
      // The machine has less than the budget says: what is there is used.
      this.#slotLimit = this.#slots.length;
      return;
    }
    this.#hand = this.#slots.length;
    for (let i = 0; i < count; i++) {
      this.#slots.push({
        bytes: new Uint8Array(block, i * stride, stride), key: EMPTY, byteLength: 0, users: 0, referenced: false, filling: null,
      });
    }
  }

  async #prefetchNext(): Promise<void> {
    this.#prefetching += 1;
    try {
      for (let key = this.#ahead.shift(); key !== undefined && !this.#closed; key = this.#ahead.shift()) {
        const { expertLayers, expertCount } = this.manifest;
        const layer = expertLayers[Math.floor(key / expertCount)]?.layer;
        const slot = layer === undefined || this.#slotOf.has(key) ? null : this.#takeSlot();
        if (layer === undefined || slot === null) continue;
        this.counters.prefetches += 1;
        this.#fill(slot, key, layer, key % expertCount);
        await slot.filling;
        await this.#yieldToHost();
      }
    } catch {
      // Told to whoever asks for the row.
    } finally {
      this.#prefetching -= 1;
    }
    if (this.#ahead.length > 0 && !this.#closed && this.#prefetching < PARALLEL_PREFETCHES) void this.#prefetchNext();
  }

  async #timed(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const started = this.#clock();
    const row = await read();
    this.counters.storageReads += 1;
    this.counters.storageByteLength += row.byteLength;
    this.counters.storageMillis += this.#clock() - started;
    return row;
  }
}
