import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { ModelFormatError } from '../../../src/formats/checkpoint.ts';
import { packRows } from '../../../src/quant/pack.ts';
import { modelId } from '../../../src/storage/fingerprint.ts';
import { importModel, type ImportOptions } from '../../../src/storage/importer.ts';
import { createLibrary } from '../../../src/storage/library.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import type { FileStore } from '../../../src/storage/file_store.ts';
import { createCrashStore, InjectedFault } from './crash_store.ts';
import { concat, fakeModel, sameBytes, type FakeModel } from './fake_model.ts';

const ID = 'model-1';
/** Small enough that matrices take several runs and the journal several records. */
const LIMITS = { runByteLength: 1500, journalIntervalByteLength: 4000 };

function optionsFor(model: FakeModel, store: FileStore, more: Partial<ImportOptions> = {}): ImportOptions {
  return { checkpoint: model.checkpoint, plan: model.plan, files: model.files, store, id: ID, limits: LIMITS, now: () => 7, ...more };
}

async function expectWhole(store: FileStore, model: FakeModel): Promise<void> {
  const library = createLibrary(store, () => 0);
  await library.verify(ID);
  for (const file of await library.exportFiles(ID)) {
    expect(file.byteLength).toBe(model.bytes.get(file.name)!.byteLength);
    expect(sameBytes(await concat(file.chunks()), model.bytes.get(file.name)), file.name).toBe(true);
  }
}

describe.each([['bounded runs', LIMITS], ['default limits', {}]])('import with %s', (_, limits) => {
  it('serves every weight in the packed layout', async () => {
    const model = fakeModel();
    const store = createMemoryStore(4096);
    const manifest = await importModel(optionsFor(model, store, { limits }));
    const pack = await createLibrary(store, () => 0).open(ID);
    expect(pack.manifest).toEqual(manifest);
    for (const { name, slice } of model.plan.dense) {
      const bytes = await slice.source.read(slice.byteOffset, slice.byteLength);
      const packed = packRows(slice.format, bytes, slice.rows, slice.cols);
      expect(sameBytes(await pack.readDense(name), packed), name).toBe(true);
      expect(await pack.readDense(name, 16, 32)).toEqual(packed.subarray(16, 48));
    }
    const [layer] = manifest.expertLayers;
    for (let expert = 0; expert < manifest.expertCount; expert++) {
      const row = await pack.readExpertRow(1, expert);
      expect(row.byteLength).toBe(manifest.expertStrideByteLength);
      for (const part of ['gate', 'up', 'down'] as const) {
        const slice = model.plan.experts[0][part][expert];
        const bytes = await slice.source.read(slice.byteOffset, slice.byteLength);
        const { byteOffset, byteLength } = layer[part];
        const packed = packRows(slice.format, bytes, slice.rows, slice.cols);
        expect(sameBytes(row.subarray(byteOffset, byteOffset + byteLength), packed), part).toBe(true);
      }
    }
    await expect(pack.readDense('no.such')).rejects.toThrow(RangeError);
    await expect(pack.readDense('output_norm.weight', 1000, 100)).rejects.toThrow(RangeError);
    await expect(pack.readExpertRow(0, 0)).rejects.toThrow(RangeError);
    await expect(pack.readExpertRow(1, 3)).rejects.toThrow(RangeError);
    await pack.close();
    await expectWhole(store, model);
  });
});

describe('import', () => {
  it('reports progress that rises to the total', async () => {
    const seen: [number, number][] = [];
    await importModel(optionsFor(fakeModel(), createMemoryStore(), { onProgress: (...p) => seen.push(p) }));
    const total = seen[0][1];
    expect(seen[0][0]).toBe(0);
    expect(seen.at(-1)).toEqual([total, total]);
    expect(seen.length).toBeGreaterThan(20);
    for (let i = 1; i < seen.length; i++) expect(seen[i][0]).toBeGreaterThanOrEqual(seen[i - 1][0]);
  });

  it('knows a model that is there and writes nothing', async () => {
    const store = createMemoryStore();
    const first = await importModel(optionsFor(fakeModel(), store));
    const watched = createCrashStore(store, { failAt: 1, mode: 'crash', survivingEvery: 0 });
    expect(await importModel(optionsFor(fakeModel(), watched))).toEqual(first);
  });

  it('imports a damaged model anew', async () => {
    const store = createMemoryStore();
    const model = fakeModel();
    await importModel(optionsFor(model, store));
    const file = await store.open(ID, 'experts.pack', 'write');
    await file.truncate(100);
    await file.close();
    await importModel(optionsFor(model, store));
    await expectWhole(store, model);
  });

  it('refuses too little room in one sentence and leaves nothing', async () => {
    const store = createMemoryStore();
    const refused = importModel(optionsFor(fakeModel(), store, { quota: async () => ({ quota: 5e9, usage: 4.9995e9 }) }));
    await expect(refused).rejects.toThrow(/"Fake" needs 0\.01 GB of browser storage and 0\.01 GB are free; delete a model/);
    expect(await store.listModels()).toEqual([]);
    await importModel(optionsFor(fakeModel(), store, { quota: async () => ({ quota: 5e9, usage: 1e9 }) }));
    await importModel(optionsFor(fakeModel(), store, { id: 'other', quota: async () => ({}) }));
  });

  it('refuses what the store has no room for, whatever the estimate says', async () => {
    const store: FileStore = { ...createMemoryStore(), hasRoom: async () => false };
    const refused = importModel(optionsFor(fakeModel(), store, { quota: async () => ({ quota: 5e9, usage: 0 }) }));
    await expect(refused).rejects.toThrow(/"Fake" needs 0\.01 GB of browser storage and the browser has less to give; delete a model/);
    expect(await store.listModels()).toEqual([]);
  });

  it('notes by time how far it got, so that a slow import cut off by a closed tab goes on from there', async () => {
    const limits = { runByteLength: 1500, journalIntervalByteLength: 1e9, journalIntervalMillis: 1000 };
    const store = createMemoryStore();
    let clock = 0;
    const crashing = createCrashStore(store, { failAt: 60, mode: 'crash', survivingEvery: 0 });
    await expect(importModel(optionsFor(fakeModel(), crashing, { limits, now: () => clock += 400 }))).rejects.toThrow(InjectedFault);
    const seen: number[] = [];
    await importModel(optionsFor(fakeModel(), store, { limits, onProgress: (done) => seen.push(done) }));
    expect(seen[0]).toBeGreaterThan(0);
    await expectWhole(store, fakeModel());
  });

  it('says that the storage ran full', async () => {
    const inner = createMemoryStore();
    const store: FileStore = {
      ...inner,
      async open(...args) {
        const file = await inner.open(...args);
        return args[1] === 'experts.pack' ? { ...file, write: () => Promise.reject(new DOMException('', 'QuotaExceededError')) } : file;
      },
    };
    await expect(importModel(optionsFor(fakeModel(), store))).rejects.toThrow(/ran full/);
  });

  it('keeps nothing of a model whose plan does not fit its file', async () => {
    const store = createMemoryStore();
    const model = fakeModel();
    const [first, ...rest] = model.plan.dense;
    const withSlice = (change: object) => ({ ...model, plan: { ...model.plan, dense: [{ ...first, slice: { ...first.slice, ...change } }, ...rest] } });
    await expect(importModel(optionsFor(withSlice({ byteLength: 10 }), store))).rejects.toThrow(/weights-1\.bin: token_embd\.weight has 10 bytes/);
    await expect(importModel(optionsFor(withSlice({ byteOffset: 1e12 }), store))).rejects.toThrow(ModelFormatError);
    const layer = { ...model.plan.experts[0], up: model.plan.experts[0].up.slice(1) };
    const missing = { ...model, plan: { ...model.plan, experts: [layer] } };
    await expect(importModel(optionsFor(missing, store))).rejects.toThrow(/layer 1 has 2 experts where the model says 3/);
    expect(await store.listModels()).toEqual([]);
  });

  it('stops when aborted, resumes without reading again what is stored, and can be discarded', async () => {
    const store = createMemoryStore();
    const library = createLibrary(store, () => 7);
    const abort = new AbortController();
    const onProgress = (done: number, total: number) => { if (done > total / 2) abort.abort(); };
    await expect(importModel(optionsFor(fakeModel(), store, { signal: abort.signal, onProgress }))).rejects.toThrow(/abort/i);
    expect(await library.list()).toMatchObject([{ id: ID, name: 'Fake', state: 'partial', importedAt: 7 }]);
    await expect(library.open(ID)).rejects.toThrow(/not imported to the end/);
    await expect(library.exportFiles(ID)).rejects.toThrow(/not imported to the end/);

    const model = fakeModel();
    let firstDone = -1;
    await importModel(optionsFor(model, store, { onProgress: (done, total) => { if (firstDone < 0) firstDone = done / total; } }));
    expect(firstDone).toBeGreaterThan(0.3);
    expect(await library.find(ID)).toMatchObject({ state: 'ready' });
    await expectWhole(store, model);

    await library.remove(ID);
    expect(await library.list()).toEqual([]);
    expect(await library.find(ID)).toBeNull();
  });

  it('does not resume another layout', async () => {
    const store = createMemoryStore();
    const abort = new AbortController();
    const onProgress = (done: number, total: number) => { if (done > total / 2) abort.abort(); };
    await expect(importModel(optionsFor(fakeModel(), store, { signal: abort.signal, onProgress }))).rejects.toThrow();
    const other = fakeModel();
    const changed = { ...other, plan: { ...other.plan, name: 'Renamed', dense: other.plan.dense.toReversed() } };
    await importModel(optionsFor(changed, store));
    await expectWhole(store, other);
    expect(await createLibrary(store, () => 0).find(ID)).toMatchObject({ name: 'Renamed' });
  });
});

describe('a failing store', () => {
  /** Counts the operations of an undisturbed import. */
  async function operationsOfImport(): Promise<number> {
    const store = createCrashStore(createMemoryStore(4096), { failAt: 0, mode: 'crash', survivingEvery: 0 });
    await importModel(optionsFor(fakeModel(), store));
    return store.operations();
  }

  it.each([
    ['crash', 0, 1], ['crash', 1, 3], ['crash', 2, 3], ['fail once', 0, 3],
  ] as const)('%s leaves no half model (survivors %i, every operation in %i)', async (mode, survivingEvery, step) => {
    const operations = await operationsOfImport();
    expect(operations).toBeGreaterThan(40);
    const model = fakeModel();
    let resumed = 0;
    for (let failAt = 1; failAt <= operations; failAt += step) {
      const disk = createMemoryStore(4096);
      const failing = importModel(optionsFor(model, createCrashStore(disk, { failAt, mode, survivingEvery })));
      await expect(failing).rejects.toThrow(InjectedFault);
      // What the next visit to the page sees:
      const library = createLibrary(disk, () => 0);
      for (const { state } of await library.list()) if (state === 'ready') await expectWhole(disk, model);
      let first = -1;
      await importModel(optionsFor(model, disk, { onProgress: (done) => { if (first < 0) first = done; } }));
      if (first > 0) resumed++;
      expect(await library.list()).toMatchObject([{ id: ID, state: 'ready' }]);
      await expectWhole(disk, model);
    }
    expect(resumed).toBeGreaterThan(operations / step / 4);
  });
});

describe('model id', () => {
  it('is the same for the same content and another for other content', async () => {
    const model = fakeModel();
    const id = await modelId(model.checkpoint, model.files);
    expect(id).toMatch(/^m[0-9a-f]{24}$/);
    const shuffled = model.files.toReversed().map((file) => ({ ...file, path: `copy/${file.path}` }));
    expect(await modelId(model.checkpoint, shuffled)).toBe(id);
    const junk = { path: 'fake/photo.jpg', source: bytesSource('photo.jpg', new Uint8Array(9)) };
    expect(await modelId(model.checkpoint, [...model.files, junk])).toBe(id);
    const other = fakeModel(2);
    expect(await modelId(other.checkpoint, other.files)).not.toBe(id);
  });

  it('samples large files to their end', async () => {
    const size = 40 * 1024 * 1024;
    const idOf = async (changedByte: number | null) => {
      const bytes = new Uint8Array(size);
      if (changedByte !== null) bytes[changedByte] = 1;
      const source = bytesSource('big', bytes);
      const { checkpoint } = fakeModel();
      return modelId({ ...checkpoint, sources: [source] }, [{ path: 'big', source }]);
    };
    const ids = await Promise.all([null, 0, size - 1].map(idOf));
    expect(new Set(ids).size).toBe(3);
  });
});
