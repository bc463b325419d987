/** A stored model that changes or vanishes while it is open: each read tells, none gives wrong bytes. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileStore, StoredFileName } from '../../../src/storage/file_store.ts';
import { DamagedModelError, lockedFile, StorageError } from '../../../src/storage/file_store.ts';
import { importModel } from '../../../src/storage/importer.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';
import { openPack } from '../../../src/storage/pack.ts';
import { withReadTimeout } from '../../../src/storage/read_timeout.ts';
import { fakeModel } from './fake_model.ts';

const ID = 'model-1';

async function stored(): Promise<{ store: FileStore; manifest: Manifest }> {
  const store = createMemoryStore(4096);
  return { store, manifest: await importModel({ ...fakeModel(), store, id: ID }) };
}

async function flipBit(store: FileStore, name: StoredFileName, at: number): Promise<void> {
  const file = await store.open(ID, name, 'write');
  const byte = await file.read(at, 1);
  await file.write(at, new Uint8Array([byte[0] ^ 16]));
  await file.close();
}

describe('an opened pack', () => {
  it('refuses a row that changed, names layer and expert, and serves the others', async () => {
    const { store, manifest } = await stored();
    const { byteOffset, byteLength } = manifest.expertLayers[0].down;
    const source = await openPack(store, ID);
    for (const at of [byteOffset, byteOffset + byteLength - 1, 0]) {
      await flipBit(store, 'experts.pack', 2 * manifest.expertStrideByteLength + at);
      const failing = source.readExpertRow(1, 2);
      await expect(failing).rejects.toThrow(
        'The stored model is damaged (expert 2 of layer 1 has changed since the import); delete it and re-import its files.');
      await expect(failing).rejects.toMatchObject({ name: 'DamagedModelError' });
      await source.readExpertRow(1, 1);
      await flipBit(store, 'experts.pack', 2 * manifest.expertStrideByteLength + at);
    }
    await source.readExpertRow(1, 2);
    await source.close();
  });

  it('checks rows that are read at the same time', async () => {
    const { store, manifest } = await stored();
    await flipBit(store, 'experts.pack', 100);
    const source = await openPack(store, ID);
    const into = Array.from({ length: 3 }, () => new Uint8Array(manifest.expertStrideByteLength));
    const results = await Promise.allSettled(into.map((buffer, expert) => source.readExpertRow(1, expert, buffer)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await source.close();
  });

  it('refuses dense tensors that changed, read whole or in pieces', async () => {
    const { store, manifest } = await stored();
    const entry = manifest.dense.find(({ name }) => name === 'token_embd.weight')!;
    await flipBit(store, 'dense.pack', entry.byteOffset + entry.byteLength - 1);
    const source = await openPack(store, ID);
    await expect(source.readDense(entry.name)).rejects.toThrow(/token_embd\.weight has changed since the import/);
    const pieces = async (): Promise<void> => {
      for (let at = 0; at < entry.byteLength; at += 100) {
        await source.readDense(entry.name, at, Math.min(100, entry.byteLength - at));
      }
    };
    await expect(pieces()).rejects.toThrow(/token_embd\.weight has changed since the import/);
    await flipBit(store, 'dense.pack', entry.byteOffset + entry.byteLength - 1);
    // A read out of order ends the check of that round; the next round is checked again.
    await source.readDense(entry.name, 0, 50);
    await source.readDense(entry.name, 100, 50);
    await pieces();
    await source.readDense('output_norm.weight');
    await source.close();
  });

  it('says which expert a cut-off file has not', async () => {
    const { store, manifest } = await stored();
    const source = await openPack(store, ID);
    const file = await store.open(ID, 'experts.pack', 'write');
    await file.truncate(2 * manifest.expertStrideByteLength + 5);
    await file.close();
    await source.readExpertRow(1, 1);
    const failing = source.readExpertRow(1, 2);
    await expect(failing).rejects.toThrow(/damaged \(expert 2 of layer 1 can't be read: experts\.pack of "Fake" has \d+ bytes instead of \d+\)/);
    await expect(failing).rejects.toBeInstanceOf(DamagedModelError);
    await source.close();
  });

  it('refuses a pack without its checksums', async () => {
    const { store } = await stored();
    await store.removeFile(ID, 'checksums.bin');
    await expect(openPack(store, ID)).rejects.toThrow(/checksums\.bin doesn't have/);
  });
});

/** A store whose open files can be taken away, as browsers do. */
function takenAway(inner: FileStore): FileStore & { take(): void; locked: boolean; opened: StoredFileName[] } {
  let generation = 0;
  const opened: StoredFileName[] = [];
  return {
    ...inner, opened, locked: false,
    take: () => { generation += 1; },
    async open(id, name, mode) {
      if (this.locked) throw lockedFile();
      const file = await inner.open(id, name, mode);
      opened.push(name);
      const mine = generation;
      return {
        ...file,
        read: async (...range) => {
          if (mine !== generation) throw new DOMException('The access handle was already closed', 'InvalidStateError');
          return file.read(...range);
        },
      };
    },
  };
}

describe('a file handle that the browser closed', () => {
  it('is opened again once for all who wait', async () => {
    const { store } = await stored();
    const taken = takenAway(store);
    const source = await openPack(taken, ID);
    taken.take();
    taken.opened.length = 0;
    await Promise.all([0, 1, 2].map((expert) => source.readExpertRow(1, expert)));
    expect(taken.opened).toEqual(['experts.pack']);
    await source.readDense('output_norm.weight');
    await source.close();
  });

  it('and is held by another tab now, or is gone: a sentence', async () => {
    const { store } = await stored();
    const taken = takenAway(store);
    const source = await openPack(taken, ID);
    taken.locked = true;
    taken.take();
    await expect(source.readExpertRow(1, 0)).rejects.toThrow('This model is open in another tab; close it there, then try again.');
    taken.locked = false;
    await source.readExpertRow(1, 0);
    taken.take();
    taken.open = async () => { throw new DOMException('gone', 'NotFoundError'); };
    await expect(source.readExpertRow(1, 1)).rejects.toThrow(
      /^expert 1 of layer 1 can't be read: experts\.pack was taken away by the browser \(gone\); close other tabs/);
  });
});

describe('a read that never returns', () => {
  afterEach(() => { vi.useRealTimers(); });

  const stuck = (answer: Promise<Uint8Array>): ModelSource => ({
    manifest: {} as Manifest, readDense: () => answer, readExpertRow: () => answer, readTierRow: () => answer,
    close: () => new Promise(() => undefined),
  });

  it('ends with a sentence that names it, and no read is trusted after it', async () => {
    vi.useFakeTimers();
    let answer: (row: Uint8Array) => void = () => undefined;
    const source = withReadTimeout(stuck(new Promise((resolve) => { answer = resolve; })));
    const failing = source.readExpertRow(3, 17);
    const outcome = expect(failing).rejects.toThrow(/storage has not answered for 30 s \(reading expert 17 of layer 3\)/);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await outcome;
    answer(new Uint8Array(1));
    await expect(source.readDense('x')).rejects.toBeInstanceOf(StorageError);
    await source.close();
  });

  it('is waited for through a sleep of the machine, and leaves no timer', async () => {
    vi.useFakeTimers();
    let answer: (row: Uint8Array) => void = () => undefined;
    const source = withReadTimeout(stuck(new Promise((resolve) => { answer = resolve; })), { millis: 300 });
    const reading = source.readTierRow(0, 0);
    // All of the sleep falls into one part of the wait.
    await vi.advanceTimersByTimeAsync(100);
    answer(new Uint8Array([7]));
    expect(await reading).toEqual(new Uint8Array([7]));
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
