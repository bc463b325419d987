/**
 * A model whose weights are stored as quantising libraries store them runs exactly as the same model with the values that
 * they stand for: names, shapes, stacked and separate experts, factors of whole tensors, through planning and packing.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { collectLogits } from '../../src/engine/logits.ts';
import { openCheckpoint } from '../../src/formats/open_checkpoint.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { readReferenceRun } from '../support/model_files.ts';
import { applyScheme, CHECKPOINT_SCHEMES, checkpointFiles, qwen3Matrices } from '../support/quantised_checkpoint.ts';
import { floats, type Matrix } from '../support/quantised_weights.ts';
import type { SafetensorsTensor } from '../support/safetensors_writer.ts';

const { tokens } = readReferenceRun('qwen3_moe');
const POSITIONS = [3, 15];

let original: readonly Matrix[];
beforeAll(async () => { original = await qwen3Matrices(); });

async function logits(tensors: readonly SafetensorsTensor[], quantization: object | null): Promise<Float32Array[]> {
  const source = createDirectSource(planModel(await openCheckpoint(checkpointFiles(tensors, quantization))));
  const { architecture, hyperparameters, dense } = source.manifest;
  const graph = buildGraph(architecture, hyperparameters, dense.map(({ name }) => name));
  const model = await createReferenceBackend({}).load(source, graph, { contextLength: 32 });
  const rows = await collectLogits(model, tokens.slice(0, POSITIONS[1] + 1), POSITIONS, model.maxStepTokens);
  model.dispose();
  return rows;
}

describe('stored quantised', () => {
  it.each(Object.keys(CHECKPOINT_SCHEMES))('%s', async (key) => {
    const scheme = CHECKPOINT_SCHEMES[key];
    const matrices = applyScheme(scheme, original);
    expect(matrices.filter(({ quantised }) => quantised).length).toBeGreaterThanOrEqual(3);
    const plain = matrices.map(({ matrix: { name, shape, values }, quantised }) => floats(name, shape, quantised?.values ?? values));
    const stored = matrices.flatMap(({ quantised }, i) => quantised?.tensors ?? [plain[i]]);
    expect(await logits(stored, scheme.config)).toEqual(await logits(plain, null));
  });
});
