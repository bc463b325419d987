import { describe, expect, it } from 'vitest';
import { RamArena } from '../../../src/experts/ram_arena.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';

const STRIDE = 4096;
const LAYERS = [3, 7];
const EXPERTS = 4;

interface FakeRows extends ModelSource {
  readonly reads: string[];
  /** Holds reads back until release(). */
  hold(): () => void;
  fail: boolean;
  readonly isClosed: () => boolean;
}

/** Rows of one byte value each: layer * 16 + expert, of 100 bytes where the layer is 7. */
function fakeRows(): FakeRows {
  const reads: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  let closed = false;
  return {
    manifest: { expertLayers: LAYERS.map((layer) => ({ layer })), expertCount: EXPERTS, expertStrideByteLength: STRIDE } as unknown as Manifest,
    reads, fail: false, isClosed: () => closed,
    hold() {
      let release = (): void => undefined;
      gate = new Promise((resolve) => { release = resolve; });
      return () => release();
    },
    readDense: async () => new Uint8Array([1]),
    async readExpertRow(layer, expert, into) {
      reads.push(`${layer}.${expert}`);
      await gate;
      if (this.fail) throw new Error(`disk: ${layer}.${expert}`);
      const byteLength = layer === 7 ? 100 : STRIDE;
      const out = into?.subarray(0, byteLength) ?? new Uint8Array(byteLength);
      return out.fill(layer * 16 + expert);
    },
    readTierRow: async () => new Uint8Array([2]),
    close: async () => { closed = true; },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('RAM arena', () => {
  it('reads a row once, gives copies, and counts by tier', async () => {
    const rows = fakeRows();
    let now = 0;
    const arena = new RamArena(rows, { byteLength: 3 * STRIDE + 5, clock: () => (now += 2) });
    expect(arena.slotLimit).toBe(3);
    const into = new Uint8Array(STRIDE);
    const first = await arena.readExpertRow(7, 2, into);
    expect(first.buffer).toBe(into.buffer);
    expect([first.byteLength, first[0], first[99]]).toEqual([100, 114, 114]);
    into.fill(0);
    const again = await arena.readExpertRow(7, 2);
    expect([again.byteLength, again[0]]).toEqual([100, 114]);
    expect(rows.reads).toEqual(['7.2']);
    expect(arena.counters).toEqual({
      ramHits: 1, ramByteLength: 100, storageReads: 1, storageByteLength: 100, storageMillis: 2, joinedReads: 0, prefetches: 0,
    });
    expect(await arena.readDense('x')).toEqual(new Uint8Array([1]));
    expect(await arena.readTierRow(3, 0)).toEqual(new Uint8Array([2]));
  });

  it('stays within its budget and spares rows that were read again', async () => {
    const rows = fakeRows();
    const arena = new RamArena(rows, { byteLength: 2 * STRIDE });
    await arena.readExpertRow(3, 0);
    await arena.readExpertRow(3, 0);
    for (const expert of [1, 2, 3]) await arena.readExpertRow(3, expert);
    expect(arena.byteLength).toBe(2 * STRIDE);
    rows.reads.length = 0;
    // A run through others took the other slot, once the hand had passed the spared one.
    expect((await arena.readExpertRow(3, 3))[0]).toBe(51);
    expect(rows.reads).toEqual([]);
    for (let i = 0; i < 40; i++) {
      const [layer, expert] = [LAYERS[i % 2], (i * 7) % EXPERTS];
      expect((await arena.readExpertRow(layer, expert))[0]).toBe(layer * 16 + expert);
    }
    expect(arena.byteLength).toBe(2 * STRIDE);
  });

  it('joins reads of one row, and reads past a full arena without one', async () => {
    const rows = fakeRows();
    const release = rows.hold();
    const arena = new RamArena(rows, { byteLength: STRIDE });
    const reading = [arena.readExpertRow(3, 1), arena.readExpertRow(3, 1, new Uint8Array(STRIDE)), arena.readExpertRow(3, 2)];
    release();
    expect((await Promise.all(reading)).map((row) => row[0])).toEqual([49, 49, 50]);
    expect(rows.reads).toEqual(['3.1', '3.2']);
    expect(arena.counters).toMatchObject({ joinedReads: 1, storageReads: 2 });
  });

  it('tells a failure to all who wait, and tries again', async () => {
    const rows = fakeRows();
    rows.fail = true;
    const arena = new RamArena(rows, { byteLength: 8 * STRIDE });
    const results = await Promise.allSettled([arena.readExpertRow(3, 1), arena.readExpertRow(3, 1)]);
    expect(results.map((result) => (result.status === 'rejected' ? String(result.reason) : ''))).toEqual(
      ['Error: disk: 3.1', 'Error: disk: 3.1']);
    rows.fail = false;
    expect((await arena.readExpertRow(3, 1))[0]).toBe(49);
  });

  it('keeps nothing while it is told so', async () => {
    const rows = fakeRows();
    const arena = new RamArena(rows, { byteLength: 8 * STRIDE });
    arena.keeps = false;
    await arena.readExpertRow(3, 1);
    await arena.readExpertRow(3, 1);
    expect([rows.reads.length, arena.byteLength]).toEqual([2, 0]);
  });

  it('reads ahead, in order, what is not there; failures wait for whoever asks', async () => {
    const rows = fakeRows();
    const arena = new RamArena(rows, { byteLength: 8 * STRIDE, yieldToHost: async () => undefined });
    await arena.readExpertRow(3, 1);
    arena.prefetch([1, 4, 999, 6]);
    await settle();
    expect(rows.reads).toEqual(['3.1', '7.0', '7.2']);
    expect((await arena.readExpertRow(7, 2))[0]).toBe(114);
    expect(arena.counters).toMatchObject({ prefetches: 2, ramHits: 1, storageReads: 3 });
    rows.fail = true;
    arena.prefetch([0, 2, 3]);
    await settle();
    rows.fail = false;
    expect((await arena.readExpertRow(3, 0))[0]).toBe(48);
  });

  it('takes another budget while it runs: more rows fit, or whole blocks go, but none that is in use', async () => {
    const rows = fakeRows();
    const arena = new RamArena(rows, { byteLength: 2 * STRIDE });
    await arena.readExpertRow(3, 0);
    await arena.readExpertRow(3, 1);
    arena.resize(5 * STRIDE);
    for (const expert of [2, 3]) await arena.readExpertRow(3, expert);
    expect([arena.slotLimit, arena.byteLength]).toEqual([5, 5 * STRIDE]);
    const release = rows.hold();
    const reading = arena.readExpertRow(7, 0);
    // The later block, of three rows, is being read into; the first goes instead, and then the rest as soon as it may.
    arena.resize(STRIDE);
    expect(arena.byteLength).toBe(3 * STRIDE);
    release();
    expect((await reading)[0]).toBe(112);
    expect(arena.byteLength).toBe(0);
    rows.reads.length = 0;
    for (const expert of [0, 3, 3]) expect((await arena.readExpertRow(3, expert))[0]).toBe(48 + expert);
    expect([rows.reads, arena.byteLength]).toEqual([['3.0', '3.3'], STRIDE]);
    arena.resize(0);
    expect((await arena.readExpertRow(3, 3))[0]).toBe(51);
    expect([rows.reads.length, arena.byteLength]).toEqual([3, 0]);
  });

  it('passes experts on that the model has not, and closes with its reads', async () => {
    const rows = fakeRows();
    const arena = new RamArena(rows, { byteLength: 8 * STRIDE });
    await arena.readExpertRow(9, 0);
    await arena.readExpertRow(3, 4);
    expect([rows.reads, arena.byteLength]).toEqual([['9.0', '3.4'], 0]);
    const release = rows.hold();
    const late = arena.readExpertRow(3, 0);
    arena.prefetch([1, 2, 3, 4, 5]);
    const closing = arena.close();
    await settle();
    expect(rows.isClosed()).toBe(false);
    release();
    await closing;
    expect(rows.isClosed()).toBe(true);
    expect((await late)[0]).toBe(48);
    expect(arena.byteLength).toBe(0);
  });
});
