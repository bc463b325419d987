import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChunkedStore } from '../../../src/storage/chunked_store.ts';
import { detectStorage, askForPersistence, storageEstimate } from '../../../src/storage/detect.ts';
import type { FileStore } from '../../../src/storage/file_store.ts';
import { createIdbStore } from '../../../src/storage/idb.ts';
import { createMapKeyValueStore, createMemoryStore } from '../../../src/storage/memory.ts';
import { createNodeFileStore } from '../../../src/storage/node_fs.ts';
import { noise } from './fake_model.ts';

let folder = '';
beforeAll(() => { folder = mkdtempSync(join(tmpdir(), 'hotset-store-')); });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STORES: [string, () => FileStore][] = [
  ['memory', () => createMemoryStore(64)],
  ['IndexedDB', () => createIdbStore(createMapKeyValueStore(new Map()))],
  ['Node', () => createNodeFileStore(mkdtempSync(join(folder, 'store-')))],
];

describe.each(STORES)('%s store', (_, create) => {
  it('writes, reads, truncates and reopens like a plain file', async () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('write'), at: fc.nat(900), length: fc.nat(200) }),
      fc.record({ kind: fc.constant('truncate'), at: fc.nat(900), length: fc.constant(0) }),
      fc.record({ kind: fc.constant('reopen'), at: fc.constant(0), length: fc.constant(0) }),
    );
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
      const store = create();
      let model = new Uint8Array(0);
      let file = await store.open('m', 'dense.pack', 'write');
      for (const [i, { kind, at, length }] of operations.entries()) {
        if (kind === 'write' && length > 0) {
          const bytes = noise(length, i + 1);
          await file.write(at, bytes);
          const grown = new Uint8Array(Math.max(model.byteLength, at + length));
          grown.set(model);
          grown.set(bytes, at);
          model = grown;
          bytes.fill(0xff);
        } else if (kind === 'truncate') {
          await file.truncate(at);
          const cut = new Uint8Array(at);
          cut.set(model.subarray(0, at));
          model = cut;
        } else if (kind === 'reopen') {
          await file.close();
          file = await store.open('m', 'dense.pack', 'write');
        }
        expect(await file.size()).toBe(model.byteLength);
        expect(Buffer.compare(await file.read(0, model.byteLength), model)).toBe(0);
      }
      await file.close();
      expect(await store.readWhole('m', 'dense.pack', 2000)).toEqual(model);
    }), { numRuns: 20 });
  });

  it('refuses reads outside the file, missing files and foreign names', async () => {
    const store = create();
    await expect(store.open('m', 'dense.pack', 'read')).rejects.toThrow(/m has no dense\.pack; delete it and import it again/);
    expect(await store.readWhole('m', 'dense.pack', 10)).toBeNull();
    const file = await store.open('m', 'dense.pack', 'write');
    await file.write(0, noise(50, 1));
    for (const [at, length] of [[0, 51], [-1, 2], [50, 1], [0.5, 1], [0, Number.NaN]]) {
      await expect(file.read(at, length)).rejects.toThrow(RangeError);
    }
    await file.close();
    await expect(store.readWhole('m', 'dense.pack', 49)).rejects.toThrow(/50 bytes, which is too much/);
    for (const id of ['../m', 'a/b', '', '.', 'A', 'x'.repeat(65)]) {
      await expect(async () => store.open(id, 'dense.pack', 'write')).rejects.toThrow(/is no model id/);
      await expect(async () => store.removeModel(id)).rejects.toThrow(/is no model id/);
    }
  });

  it('lists, renames over a file and removes', async () => {
    const store = create();
    expect(await store.listModels()).toEqual([]);
    for (const [id, name, seed] of [['a', 'manifest.json', 1], ['a', 'manifest.json.new', 2], ['b', 'dense.pack', 3]] as const) {
      const file = await store.open(id, name, 'write');
      await file.write(0, noise(150 - seed, seed));
      await file.close();
    }
    expect(await store.listModels()).toEqual(['a', 'b']);
    await store.rename('a', 'manifest.json.new', 'manifest.json');
    expect(await store.readWhole('a', 'manifest.json', 1000)).toEqual(noise(148, 2));
    expect(await store.readWhole('a', 'manifest.json.new', 1000)).toBeNull();
    await store.removeFile('a', 'manifest.json');
    await store.removeFile('a', 'manifest.json');
    expect(await store.readWhole('a', 'manifest.json', 1000)).toBeNull();
    await store.removeModel('b');
    await store.removeModel('b');
    expect(await store.listModels()).not.toContain('b');
  });

  it('reads into a buffer that is long enough', async () => {
    const file = await create().open('m', 'dense.pack', 'write');
    const bytes = noise(300, 1);
    await file.write(0, bytes);
    const buffer = new Uint8Array(200).fill(9);
    const read = await file.read(70, 150, buffer);
    expect(read.buffer).toBe(buffer.buffer);
    expect(read).toEqual(bytes.subarray(70, 220));
    expect(buffer.subarray(150)).toEqual(new Uint8Array(50).fill(9));
    const longer = await file.read(0, 300, buffer);
    expect(longer).toEqual(bytes);
    await file.close();
  });

  it('shares one file between two readers', async () => {
    const store = create();
    const writer = await store.open('m', 'dense.pack', 'write');
    await writer.write(0, noise(500, 1));
    await writer.flush();
    const [a, b] = [await store.open('m', 'dense.pack', 'read'), await store.open('m', 'dense.pack', 'read')];
    await a.close();
    expect(await b.read(100, 300)).toEqual(noise(500, 1).subarray(100, 400));
    await b.close();
    await writer.close();
  });
});

describe('chunked store', () => {
  it('removes the manifest before all else', async () => {
    const kv = createMapKeyValueStore(new Map());
    const removed: string[] = [];
    const store = createChunkedStore('indexeddb', { ...kv, del: async (key) => { removed.push(key); await kv.del(key); } });
    for (const name of ['dense.pack', 'manifest.json'] as const) {
      const file = await store.open('m', name, 'write');
      await file.write(0, noise(10, 1));
      await file.close();
    }
    await store.removeModel('m');
    expect(removed).toEqual(['m/manifest.json/size', 'm/manifest.json/0', 'm/dense.pack/size', 'm/dense.pack/0']);
  });

  it('keeps the old size until the chunks are written, and drops chunks cut off', async () => {
    const map = new Map<string, Uint8Array | number>();
    const store = createChunkedStore('indexeddb', createMapKeyValueStore(map), 64);
    const file = await store.open('m', 'dense.pack', 'write');
    await file.write(0, noise(64 * 20, 1));
    expect(map.get('m/dense.pack/size')).toBe(0);
    await file.flush();
    expect(map.get('m/dense.pack/size')).toBe(64 * 20);
    await file.truncate(70);
    await file.flush();
    expect([...map.keys()].sort()).toEqual(['m/dense.pack/0', 'm/dense.pack/1', 'm/dense.pack/size']);
    await file.close();
  });
});

describe('detection', () => {
  it('falls back to memory where the browser has no storage that works', async () => {
    // Node has neither OPFS nor IndexedDB.
    const refusing = { getDirectory: () => Promise.reject(new DOMException('private window', 'SecurityError')) };
    expect((await detectStorage({ storage: refusing })).kind).toBe('memory');
    expect((await detectStorage({})).store.kind).toBe('memory');
  });

  it('asks for persistence once, and never fails for want of an interface', async () => {
    let asked = 0;
    const persist = async () => { asked++; return true; };
    expect(await askForPersistence({ storage: { persisted: async () => false, persist } })).toBe(true);
    expect(await askForPersistence({ storage: { persisted: async () => true, persist } })).toBe(true);
    expect(asked).toBe(1);
    expect(await askForPersistence({})).toBe(false);
    expect(await storageEstimate({ storage: { estimate: async () => ({ quota: 5, usage: 1 }) } })).toEqual({ quota: 5, usage: 1 });
    expect(await storageEstimate({})).toEqual({});
  });
});
