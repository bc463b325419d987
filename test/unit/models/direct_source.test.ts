import { describe, expect, it } from 'vitest';
import { planModel } from '../../../src/models/registry.ts';
import { decodePackedRows, decodeRows, planeViews } from '../../../src/quant/pack.ts';
import { packedLayout } from '../../../src/quant/packed.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import { openCheckpoint } from '../../../src/formats/open_checkpoint.ts';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { readVector } from '../../support/model_files.ts';

async function openQuantised(): Promise<ReturnType<typeof planModel>> {
  const source = bytesSource('q.gguf', readVector('quantised/qwen3moe-Q4_K_S.gguf'));
  return planModel(await openCheckpoint([{ path: 'q.gguf', source }]));
}

describe('a direct source', () => {
  it('serves an expert\'s row with the matrices where the manifest says', async () => {
    const plan = await openQuantised();
    const source = createDirectSource(plan);
    const entry = source.manifest.expertLayers[1];
    const row = await source.readExpertRow(1, 3);
    for (const matrix of ['gate', 'up', 'down'] as const) {
      const { format, rows, cols, byteOffset, byteLength } = entry[matrix];
      const slice = plan.experts[1][matrix][3];
      const expected = decodeRows(format, await slice.source.read(slice.byteOffset, slice.byteLength), rows, cols);
      const layout = packedLayout(format, rows, cols);
      const planes = planeViews(layout, row.subarray(byteOffset, byteOffset + byteLength));
      expect(decodePackedRows(layout, planes, 0, rows)).toEqual(expected);
    }
  });

  it('serves parts of a dense tensor as the whole says', async () => {
    const source = createDirectSource(await openQuantised());
    const whole = await source.readDense('blk.0.attn_q.weight');
    expect(whole.byteLength).toBe(source.manifest.dense.find(({ name }) => name === 'blk.0.attn_q.weight')!.byteLength);
    expect(await source.readDense('blk.0.attn_q.weight', 32, 64)).toEqual(whole.subarray(32, 96));
    expect(await source.readDense('blk.0.attn_q.weight', whole.byteLength - 16)).toEqual(whole.subarray(-16));
  });

  it('refuses what it doesn\'t have', async () => {
    const source = createDirectSource(await openQuantised());
    await expect(source.readDense('blk.9.attn_q.weight')).rejects.toThrow(/no dense tensor blk\.9/);
    await expect(source.readDense('output_norm.weight', 0, 1e6)).rejects.toThrow(RangeError);
    await expect(source.readExpertRow(0, 99)).rejects.toThrow(/no expert 99 in layer 0/);
    await expect(source.readExpertRow(99, 0)).rejects.toThrow(/no expert 0 in layer 99/);
  });
});
