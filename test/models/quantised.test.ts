/** Quantised experts and matrices, through planning, packing and decoding, against llama.cpp. */
import { expect, it } from 'vitest';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { collectLogits } from '../../src/engine/logits.ts';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import { openCheckpoint } from '../../src/formats/open_checkpoint.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { readVector, type ReferenceRun } from '../support/model_files.ts';
import { relativeL2 } from '../support/reference_kit.ts';
import { EIGHT_BIT_ACTIVATIONS_TOLERANCE } from '../support/tolerances.ts';

it.each([
  ['Q4_K_S', 'kept decoded', 2 ** 29], ['Q2_K', 'kept decoded', 2 ** 29], ['Q2_K', 'decoded row by row', 0],
])('%s (%s)', async (type, _, decodedByteLength) => {
  const path = `quantised/qwen3moe-${type}`;
  const run = JSON.parse(new TextDecoder().decode(readVector(`${path}.logits.json`))) as ReferenceRun;
  const file = bytesSource(`${type}.gguf`, readVector(`${path}.gguf`));
  const source = createDirectSource(planModel(await openCheckpoint([{ path: file.name, source: file }])));
  const { architecture, hyperparameters, dense } = source.manifest;
  const graph = buildGraph(architecture, hyperparameters, dense.map(({ name }) => name));
  const model = await createReferenceBackend({ decodedByteLength }).load(source, graph, { contextLength: 96 });
  const logits = await collectLogits(model, run.tokens, run.logit_positions, model.maxStepTokens);
  logits.forEach((row, i) => expect(relativeL2(row, run.logits[i])).toBeLessThan(EIGHT_BIT_ACTIVATIONS_TOLERANCE));
});
