import { describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import { unpackRows } from '../../../src/quant/pack.ts';
import { packedLayout } from '../../../src/quant/packed.ts';
import { expertRowByteLength, manifestFromPlan } from '../../../src/storage/manifest.ts';
import { measureDecode, measurePrefill, median, promptTokens } from '../../../tools/bench/measure.ts';
import { BENCH_SHAPES } from '../../../tools/bench/shapes.ts';
import { RandomWeights } from '../../../tools/synthetic/random_weights.ts';
import { syntheticCheckpoint, syntheticSource } from '../../../tools/synthetic/synthetic_model.ts';

const FORMATS = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];

function manifestOf(format: WeightFormatName) {
  const formats = { embedding: format, attention: format, gateUp: format, down: format, head: format };
  return manifestFromPlan(planModel(syntheticCheckpoint(BENCH_SHAPES['tiny'], formats, 'tiny')));
}

function decoded(format: WeightFormatName, packed: Uint8Array, rows: number, cols: number): Float32Array {
  const { blockElems, blockByteLength, decodeBlock } = WEIGHT_FORMATS[format];
  const bytes = unpackRows(format, packed, rows, cols);
  const values = new Float32Array(rows * cols);
  for (let block = 0; block < values.length / blockElems; block++) {
    decodeBlock(bytes, block * blockByteLength, values, block * blockElems);
  }
  return values;
}

describe('synthetic models of the benchmark', () => {
  it.each(FORMATS)('makes %s weights of the deviation asked for, rows unlike each other', (format) => {
    const cols = 512;
    const rows = 64;
    const packed = new RandomWeights().matrix(format, rows, cols, 0.02, 5);
    expect(packed.byteLength).toBe(packedLayout(format, rows, cols).byteLength);
    const values = decoded(format, packed, rows, cols);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
    expect(deviation).toBeGreaterThan(0.016);
    expect(deviation).toBeLessThan(0.024);
    expect(Math.abs(mean)).toBeLessThan(0.004);
    expect(values.subarray(0, cols)).not.toEqual(values.subarray(cols, 2 * cols));
  });

  it('serves what its manifest says, whole and in parts, and experts unlike each other', async () => {
    const manifest = manifestOf('Q4_K');
    const source = syntheticSource(manifest);
    for (const { name, byteLength } of manifest.dense) {
      const whole = await source.readDense(name);
      expect(whole.byteLength, name).toBe(byteLength);
      expect(await source.readDense(name, 16, 32), name).toEqual(whole.subarray(16, 48));
    }
    const [first, second] = [await source.readExpertRow(1, 0), await source.readExpertRow(1, 1)];
    expect(first.byteLength).toBe(expertRowByteLength(manifest.expertLayers[1]));
    expect(first).not.toEqual(second);
  });

  it('measures a loaded model', async () => {
    const manifest = manifestOf('Q8_0');
    const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
    const model = await createReferenceBackend().load(syntheticSource(manifest), graph, { contextLength: 16 });
    const { vocabSize } = manifest.hyperparameters;
    const prefill = await measurePrefill(model, 6, vocabSize, 2);
    const decode = await measureDecode(model, 4, 3, vocabSize, 2);
    expect([prefill.tokens, prefill.runs.length, decode.tokens, decode.runs.length]).toEqual([6, 2, 3, 2]);
    expect([...prefill.runs, ...decode.runs].every((rate) => rate > 0 && Number.isFinite(rate))).toBe(true);
    model.dispose();
  });

  it('takes the middle run, and prompts within the vocabulary', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    const tokens = promptTokens(512, 100);
    expect(Math.max(...tokens)).toBeLessThan(100);
    expect(new Set(tokens).size).toBeGreaterThan(80);
  });
});
