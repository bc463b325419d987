/** Dropped files → reader → plan → pack → library, with real containers and the file stores that need no browser. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { writeGguf, type GgufTensorSpec, type GgufTypedValue, type GgufWriteOptions } from '../../../src/formats/gguf_writer.ts';
import { openCheckpoint, type NamedSource } from '../../../src/formats/open_checkpoint.ts';
import { planModel } from '../../../src/models/registry.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import type { FileStore } from '../../../src/storage/file_store.ts';
import { modelId } from '../../../src/storage/fingerprint.ts';
import { createLibrary } from '../../../src/storage/library.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import { collectModelFiles, createNodeFileStore } from '../../../src/storage/node_fs.ts';
import { concat, sameBytes } from './fake_model.ts';

const MODELS = fileURLToPath(new URL('../../vectors/models/', import.meta.url));
type GgufTensorData = GgufTensorSpec & { readonly data: Uint8Array };

let folder = '';
beforeAll(() => { folder = mkdtempSync(join(tmpdir(), 'hotset-real-')); });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function importInto(store: FileStore, files: readonly NamedSource[]) {
  const checkpoint = await openCheckpoint(files);
  const plan = planModel(checkpoint);
  const id = await modelId(checkpoint, files);
  const library = createLibrary(store, () => 42);
  await library.import({ checkpoint, plan, files, id });
  return { library, plan, id };
}

async function expectExported(store: FileStore, files: readonly NamedSource[]): Promise<void> {
  const { library, plan, id } = await importInto(store, files);
  await library.verify(id);
  expect(await library.list()).toMatchObject([
    { id, state: 'ready', importedAt: 42, architecture: plan.architecture, container: plan.container },
  ]);
  const exported = await library.exportFiles(id);
  expect(exported.map((file) => file.name).sort()).toEqual(files.map((file) => file.path).sort());
  for (const file of exported) {
    const { source } = files.find(({ path }) => path === file.name)!;
    expect(sameBytes(await concat(file.chunks()), await source.read(0, source.byteLength)), file.name).toBe(true);
  }
}

describe('real models', () => {
  it.each(['olmoe/olmoe.gguf', 'olmoe', 'qwen2_moe', 'granitemoe', 'mixtral'])(
    '%s comes back byte for byte', async (name) => {
      // The folder holds the reference values and the GGUF besides; they are no part of the model.
      const files = (await collectModelFiles(join(MODELS, name))).filter((file) => !file.path.endsWith('reference.json'));
      await expectExported(createNodeFileStore(mkdtempSync(join(folder, 'library-'))), files);
    });

  it('comes back from a big-endian file', async () => {
    await expectExported(createMemoryStore(), [await rewrittenOlmoe({ bigEndian: true, alignment: 64 })]);
  });

  it('comes back with a tensor that no plan uses', async () => {
    const extra = { name: 'blk.0.rotary_emb.inv_freq', format: 'F32', shape: [33], data: new Uint8Array(33 * 4).fill(7) } as const;
    await expectExported(createMemoryStore(), [await rewrittenOlmoe({ version: 2 }, [extra])]);
  });

  it('serves the bytes that the direct source serves', async () => {
    const files = await collectModelFiles(join(MODELS, 'olmoe/olmoe.gguf'));
    const { library, plan, id } = await importInto(createMemoryStore(), files);
    const [pack, direct] = [await library.open(id), createDirectSource(plan)];
    expect(pack.manifest).toEqual(direct.manifest);
    for (const { name } of direct.manifest.dense) {
      expect(sameBytes(await pack.readDense(name), await direct.readDense(name)), name).toBe(true);
    }
    for (const { layer } of direct.manifest.expertLayers) {
      for (let e = 0; e < direct.manifest.expertCount; e++) {
        expect(sameBytes(await pack.readExpertRow(layer, e), await direct.readExpertRow(layer, e)), `${layer}/${e}`).toBe(true);
      }
    }
  });
});

describe('MODEL argument', () => {
  it('means a file, all shards beside a shard, or a folder', async () => {
    const shards = [1, 2, 3].map((n) => `m-0000${n}-of-00003.gguf`);
    for (const name of [...shards, 'm-00001-of-00002.gguf', 'other.gguf', 'photo.png']) writeFileSync(join(folder, name), name);
    const names = async (path: string) => (await collectModelFiles(path)).map((file) => file.path);
    expect(await names(join(folder, 'other.gguf'))).toEqual(['other.gguf']);
    expect(await names(join(folder, shards[1]))).toEqual(shards);
    expect(await names(join(folder, 'm-00001-of-00002.gguf'))).toEqual(['m-00001-of-00002.gguf']);
    expect(await names(folder)).not.toContain(`${basename(folder)}/photo.png`);
    expect(await names(join(MODELS, 'olmoe'))).toEqual(['olmoe/config.json', 'olmoe/model.safetensors', 'olmoe/reference.json']);
    const [file] = await collectModelFiles(join(folder, 'other.gguf'));
    expect(new TextDecoder().decode(await file.source.read(2, 4))).toBe('her.');
    await expect(file.source.read(2, 90)).rejects.toThrow(/other\.gguf: bytes 2 to 92 are outside its 10 bytes/);
  });

  it('says so where there is nothing', async () => {
    await expect(collectModelFiles(join(folder, 'none.gguf'))).rejects.toThrow(/none\.gguf: there is no such file or folder/);
    const empty = mkdtempSync(join(folder, 'empty-'));
    await expect(collectModelFiles(empty)).rejects.toThrow(/has no \.safetensors and no \.gguf file/);
  });
});

/** The fixture written anew, with other options or other tensors. */
async function rewrittenOlmoe(options: GgufWriteOptions, extra: readonly GgufTensorData[] = []): Promise<NamedSource> {
  const files = await collectModelFiles(join(MODELS, 'olmoe/olmoe.gguf'));
  const { tensors, metadata } = await openCheckpoint(files);
  if (metadata.kind !== 'gguf') throw new Error('the fixture is no GGUF');
  const values = new Map<string, GgufTypedValue>();
  for (const [key, value] of metadata.values) {
    if (typeof value === 'string') values.set(key, { type: 'string', value });
    // A whole number may be a float32 in the file (rope bases are); readers of our own take either.
    if (typeof value === 'number') values.set(key, { type: Number.isInteger(value) ? 'uint32' : 'float32', value });
  }
  const data = await Promise.all([...tensors.values()].map(async ({ name, format, shape, source, byteOffset, byteLength }) => (
    { name, format, shape, data: await source.read(byteOffset, byteLength) })));
  const bytes = writeGguf(values, [...data, ...extra], options);
  return { path: 'rewritten.gguf', source: bytesSource('rewritten.gguf', bytes) };
}
