/** Weights are uploaded in pieces, split and stacked: whatever the way, a changed bit of any tensor is found. */
import { expect, it } from 'vitest';
import { projectionGroups } from '../../../src/compute/webgpu/fusion.ts';
import { uploadWeights } from '../../../src/compute/webgpu/weights.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import type { FileStore } from '../../../src/storage/file_store.ts';
import { importModel } from '../../../src/storage/importer.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import { openPack } from '../../../src/storage/pack.ts';
import { createFakeDevice } from '../../support/fake_device.ts';
import { modelFiles, openModel } from '../../support/model_files.ts';

const ID = 'model-1';

async function flipBit(store: FileStore, at: number): Promise<void> {
  const file = await store.open(ID, 'dense.pack', 'write');
  const byte = await file.read(at, 1);
  await file.write(at, new Uint8Array([byte[0] ^ 1]));
  await file.close();
}

it.each([2 ** 30, 40 * 1024])('bindings of %d bytes', async (maxBinding) => {
  const checkpoint = await openModel('qwen2_moe', 'gguf');
  const store = createMemoryStore();
  const manifest = await importModel({ checkpoint, plan: planModel(checkpoint), files: modelFiles('qwen2_moe', 'gguf'), store, id: ID });
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  const upload = async (): Promise<void> => {
    const source = await openPack(store, ID);
    try {
      await uploadWeights(createFakeDevice().device, source, graph, projectionGroups(graph), maxBinding, {});
    } finally {
      await source.close();
    }
  };
  await upload();
  const ofOneLayer = manifest.dense.filter(({ name }) => !/\.[1-9]\d*\./.test(name));
  expect(ofOneLayer.length).toBeGreaterThan(10);
  for (const { name, byteOffset, byteLength } of ofOneLayer) {
    const at = byteOffset + byteLength - 1;
    await flipBit(store, at);
    await expect(upload(), name).rejects.toThrow(`${name} has changed since the import`);
    await flipBit(store, at);
  }
});
