/** Stored models that something changed behind our back: every one is refused in a sentence, none is believed. */
import { describe, expect, it } from 'vitest';
import { createCrc32 } from '../../../src/storage/checksum.ts';
import type { FileStore, StoredFileName } from '../../../src/storage/file_store.ts';
import { importModel } from '../../../src/storage/importer.ts';
import { createLibrary } from '../../../src/storage/library.ts';
import { manifestFromJson, manifestToJson } from '../../../src/storage/manifest_check.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import type { Manifest } from '../../../src/storage/model_source.ts';
import { decodeRecords, encodeRecord, writeRecord } from '../../../src/storage/records.ts';
import { fakeModel } from './fake_model.ts';

const ID = 'model-1';

async function stored(): Promise<{ store: FileStore; manifest: Manifest }> {
  const store = createMemoryStore(4096);
  const manifest = await importModel({ ...fakeModel(), store, id: ID });
  return { store, manifest };
}

async function change(store: FileStore, name: StoredFileName, at: number): Promise<void> {
  const file = await store.open(ID, name, 'write');
  const byte = await file.read(at, 1);
  await file.write(at, new Uint8Array([byte[0] ^ 1]));
  await file.close();
}

describe('damaged files', () => {
  it.each(['dense.pack', 'experts.pack', 'extra.pack'] as const)('names a truncated or missing %s', async (name) => {
    const { store } = await stored();
    const library = createLibrary(store, () => 0);
    const file = await store.open(ID, name, 'write');
    const size = await file.size();
    await file.truncate(size - 1);
    await file.close();
    await expect(library.open(ID)).rejects.toThrow(
      `The stored model is damaged (${name} of "Fake" has ${size - 1} bytes instead of ${size}); delete it and re-import its files.`);
    await store.removeFile(ID, name);
    await expect(library.open(ID)).rejects.toThrow(new RegExp(`has no ${name.replace('.', '\\.')}; delete it`));
  });

  it('finds one changed bit anywhere and names the tensor', async () => {
    const { store, manifest } = await stored();
    const library = createLibrary(store, () => 0);
    await library.verify(ID);
    const norm = manifest.dense.find((entry) => entry.name === 'output_norm.weight')!;
    const downOffset = manifest.expertLayers[0].down.byteOffset;
    const cases = [
      ['dense.pack', norm.byteOffset + norm.byteLength - 1, /output_norm\.weight has changed/],
      ['experts.pack', 2 * manifest.expertStrideByteLength + downOffset, /expert 2 of layer 1 has changed/],
      ['extra.pack', 5, /extra\.pack has changed/],
    ] as const;
    for (const [name, at, message] of cases) {
      await change(store, name, at);
      await expect(library.verify(ID)).rejects.toThrow(message);
      await change(store, name, at);
    }
    await library.verify(ID);
    await store.removeFile(ID, 'checksums.bin');
    await expect(library.verify(ID)).rejects.toThrow(/checksums\.bin doesn't have/);
  });

  it('shows a model with a torn manifest as partial', async () => {
    const { store } = await stored();
    await change(store, 'manifest.json', 200);
    const library = createLibrary(store, () => 0);
    expect(await library.list()).toMatchObject([{ id: ID, state: 'partial' }]);
    await expect(library.open(ID)).rejects.toThrow(/not imported to the end/);
  });

  it('lists a folder without a summary, so that it can be deleted', async () => {
    const { store } = await stored();
    await store.removeFile(ID, 'summary.json');
    const library = createLibrary(store, () => 0);
    expect(await library.list()).toMatchObject([{ id: ID, name: 'Unfinished import', state: 'partial' }]);
    await library.remove(ID);
    expect(await library.list()).toEqual([]);
  });

  it('refuses an origin that does not fit', async () => {
    const { store } = await stored();
    const library = createLibrary(store, () => 0);
    const crc = await createCrc32();
    const segments = [
      [{ kind: 'dense', index: 99 }], [{ kind: 'extra', byteOffset: 0, byteLength: 1e9 }], [{ kind: 'dense', index: 0 }], 7,
      [{ kind: 'experts', layerIndex: 0, matrix: 'gate', first: 2, count: 2 }], [{ kind: 'experts', layerIndex: 1 }],
      [{ kind: 'experts', layerIndex: 0, matrix: '__proto__', first: 0, count: 1 }],
    ];
    for (const list of segments) {
      const origin = { extraByteLength: 100, files: [{ name: '../../x', byteLength: 3, segments: list }] };
      await writeRecord(crc, store, ID, 'origin.json', origin);
      await expect(library.exportFiles(ID)).rejects.toThrow(/The stored model is damaged/);
    }
    const origin = { extraByteLength: 100, files: [{ name: '/../../x', byteLength: 3, segments: [{ kind: 'extra', byteOffset: 0, byteLength: 3 }] }] };
    await writeRecord(crc, store, ID, 'origin.json', origin);
    expect((await library.exportFiles(ID))[0].name).toBe('x');
  });
});

describe('manifest', () => {
  /** Sets the value at a path of keys in a deep copy. */
  function withValue(manifest: unknown, path: readonly (string | number)[], value: unknown): unknown {
    const copy = structuredClone(manifest) as Record<string | number, unknown>;
    let at = copy;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
    at[path.at(-1)!] = value;
    return copy;
  }

  it('survives JSON, infinite scores too', async () => {
    const { manifest } = await stored();
    expect(manifestFromJson(JSON.parse(JSON.stringify(manifestToJson(manifest))))).toEqual(manifest);
  });

  it.each<[(string | number)[], unknown]>([
    [['formatVersion'], 2], [['container'], 'zip'], [['name'], 3], [['denseByteLength'], 1], [['denseByteLength'], -1],
    [['dense'], {}], [['dense', 0, 'byteOffset'], 17], [['dense', 1, 'byteOffset'], 0], [['dense', 0, 'byteLength'], 1],
    [['dense', 0, 'rows'], 1e15], [['dense', 0, 'cols'], 255], [['dense', 0, 'format'], 'Q9_Z'],
    [['dense', 0, 'format'], 'constructor'], [['dense', 1, 'name'], 'token_embd.weight'], [['dense', 2, 'byteOffset'], 2 ** 40],
    [['expertCount'], 4], [['expertCount'], 2 ** 50], [['expertStrideByteLength'], 4096], [['expertStrideByteLength'], 100_000],
    [['expertStrideByteLength'], 2 ** 52], [['expertLayers', 0, 'layer'], -1], [['expertLayers', 0, 'up', 'byteOffset'], 0],
    [['expertLayers', 0, 'gate', 'byteOffset'], 16], [['expertLayers', 0, 'down'], null], [['expertLayers'], null],
    [['hyperparameters', 'hiddenSize'], '256'], [['hyperparameters', 'layerCount'], 1e9], [['hyperparameters', 'ropeTheta'], null],
    [['hyperparameters', 'ropeStyle'], 'both'], [['hyperparameters', 'denseLayers'], [-1]], [['hyperparameters'], []],
    [['tokenizer', 'kind'], 'other'], [['tokenizer', 'tokens'], [1]], [['tokenizer'], 5], [['chatTemplate'], 5],
    [['sourceFiles'], [{ name: 'x' }]],
  ])('refuses %j = %j', async (path, value) => {
    const { manifest } = await stored();
    const json = JSON.parse(JSON.stringify(manifestToJson(manifest)));
    expect(() => manifestFromJson(withValue(json, path, value))).toThrow(/^The stored model is damaged \(.*\); delete it/);
  });
});

describe('records', () => {
  it('stops at the first record that is not whole, wherever it is cut', async () => {
    const crc = await createCrc32();
    const records = [{ a: 1 }, 'é\n', [3]].map((value) => encodeRecord(crc, value));
    const all = new Uint8Array(records.reduce((sum, r) => sum + r.byteLength, 0));
    let at = 0;
    const ends = records.map((record) => {
      all.set(record, at);
      return at += record.byteLength;
    });
    for (let cut = 0; cut <= all.byteLength; cut++) {
      const whole = ends.filter((end) => end <= cut).length;
      const decoded = decodeRecords(crc, all.subarray(0, cut));
      expect(decoded.values).toEqual([{ a: 1 }, 'é\n', [3]].slice(0, whole));
      expect(decoded.byteLength).toBe(whole === 0 ? 0 : ends[whole - 1]);
    }
    all[ends[0] + 10] ^= 4;
    expect(decodeRecords(crc, all).values).toEqual([{ a: 1 }]);
  });
});
