/** Checkpoints whose tensors are put together from several: imported, served and given back, without keeping codes twice. */
import { describe, expect, it } from 'vitest';
import { storedCodes } from '../../../src/formats/code_order.ts';
import { openCheckpoint } from '../../../src/formats/open_checkpoint.ts';
import { planModel } from '../../../src/models/registry.ts';
import { WEIGHT_FORMATS } from '../../../src/quant/formats.ts';
import { planeViews, packRows } from '../../../src/quant/pack.ts';
import { packedLayout } from '../../../src/quant/packed.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import { modelId } from '../../../src/storage/fingerprint.ts';
import { createLibrary } from '../../../src/storage/library.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import { buildOrigin } from '../../../src/storage/origin.ts';
import { applyScheme, CHECKPOINT_SCHEMES, checkpointFiles, qwen3Matrices } from '../../support/quantised_checkpoint.ts';
import { floats } from '../../support/quantised_weights.ts';
import { concat, sameBytes } from './fake_model.ts';

/** The files, and how many of their bytes an import keeps in packed matrices: plain tensors, and codes (the first part). */
async function filesOf(key: string) {
  const scheme = CHECKPOINT_SCHEMES[key];
  const parts = applyScheme(scheme, await qwen3Matrices()).map(({ matrix: { name, shape, values }, quantised }) =>
    quantised?.tensors ?? [floats(name, shape, values)]);
  const packedByteLength = parts.reduce((sum, [first]) => sum + first.data.byteLength, 0);
  return { files: checkpointFiles(parts.flat(), scheme.config), packedByteLength };
}

describe.each(Object.keys(CHECKPOINT_SCHEMES))('%s', (key) => {
  it('comes back byte for byte, and is served as without import', async () => {
    const { files, packedByteLength } = await filesOf(key);
    const checkpoint = await openCheckpoint(files);
    const plan = planModel(checkpoint);
    const library = createLibrary(createMemoryStore(), () => 42);
    const id = await modelId(checkpoint, files);
    await library.import({ checkpoint, plan, files, id });
    await library.verify(id);
    for (const file of await library.exportFiles(id)) {
      const { source } = files.find(({ path }) => path === file.name)!;
      expect(sameBytes(await concat(file.chunks()), await source.read(0, source.byteLength)), file.name).toBe(true);
    }
    const [pack, direct] = [await library.open(id), createDirectSource(plan)];
    for (const { name } of direct.manifest.dense) {
      expect(sameBytes(await pack.readDense(name), await direct.readDense(name)), name).toBe(true);
    }
    const row = await direct.readExpertRow(1, 3);
    expect(sameBytes((await pack.readExpertRow(1, 3)).subarray(0, row.byteLength), row)).toBe(true);
    const total = files.reduce((sum, { source }) => sum + source.byteLength, 0);
    expect(buildOrigin(plan, files).origin.extraByteLength).toBe(total - packedByteLength);
  });
});

describe('stored codes', () => {
  it.each(['gptq', 'awq'] as const)('%s, however few bytes are held at a time', async (order) => {
    const [rows, cols] = [24, 64];
    const layout = packedLayout('INT4_32', rows, cols);
    const file = Uint8Array.from({ length: rows * (cols / 32) * WEIGHT_FORMATS.INT4_32.blockByteLength }, (_, i) => (i * 73) & 255);
    const [plane] = planeViews(layout, packRows('INT4_32', file, rows, cols));
    const all = async (runByteLength: number) => concat(storedCodes(
      order, rows, plane.byteLength, async (at, length) => plane.slice(at, at + length), runByteLength));
    const whole = await all(2 ** 20);
    expect(whole.byteLength).toBe(plane.byteLength);
    for (const runByteLength of [1, 70, 200]) expect(await all(runByteLength)).toEqual(whole);
  });
});
