/** Experts and matrices in every ggml type, through planning, packing and decoding on both back ends, against llama.cpp. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '../../src/compute/ops.ts';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { createWebGpuBackend } from '../../src/compute/webgpu/backend.ts';
import { GGML_TYPES } from '../../src/formats/ggml_types.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { openModel } from '../support/model_files.ts';
import {
  loadQuantisedModel, logitsAtPositions, openQuantisedModel, QUANTISED_MODELS, readQuantisedRun,
} from '../support/quantised_models.ts';
import { relativeL2 } from '../../tools/kit/checks.ts';
import {
  EIGHT_BIT_ACTIVATIONS_TOLERANCE, F16_ACTIVATIONS_TOLERANCE, LOGITS_TOLERANCE, OTHER_EXPERT_TOLERANCE,
} from '../support/tolerances.ts';

const NAMES = Object.keys(QUANTISED_MODELS);
/** ggml's types that no tensor of a model has: what activations are rounded to, integers, doubles. */
const NOT_WEIGHTS = ['Q8_1', 'Q8_K', 'I8', 'I16', 'I32', 'I64', 'F64'];

function expectLlamaLogits(name: string, logits: readonly Float32Array[]): void {
  const run = readQuantisedRun(name);
  expect(logits).toHaveLength(run.logits.length);
  run.logit_positions.forEach((position, i) => {
    const usual = name === 'F16' ? F16_ACTIVATIONS_TOLERANCE : EIGHT_BIT_ACTIVATIONS_TOLERANCE;
    const tolerance = QUANTISED_MODELS[name].includes(position) ? OTHER_EXPERT_TOLERANCE : usual;
    expect(relativeL2(logits[i], run.logits[i]), `position ${position}`).toBeLessThan(tolerance);
  });
}

async function run(backend: Backend, name: string, decodeSteps: number): Promise<Float32Array[]> {
  const model = await loadQuantisedModel(backend, name);
  const logits = await logitsAtPositions(model, readQuantisedRun(name), decodeSteps);
  model.dispose();
  return logits;
}

describe('llama.cpp’s logits', () => {
  let gpu: GPU;
  let webgpu: Backend;
  beforeAll(async () => {
    // SwiftShader compiles the zeroing of workgroup memory for seconds; our kernels write before they read.
    gpu = await openDawn({ dawnFeatures: ['disable_workgroup_init'] });
    webgpu = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources() });
  });
  afterAll(() => webgpu.dispose());

  it.each(NAMES)('%s', async (name) => {
    const onReference = await run(createReferenceBackend({ decodedByteLength: 2 ** 29 }), name, 0);
    expectLlamaLogits(name, onReference);
    const onWebGpu = await run(webgpu, name, 3);
    expectLlamaLogits(name, onWebGpu);
    onWebGpu.forEach((row, i) => {
      expect(relativeL2(row, [...onReference[i]]), 'between the back ends').toBeLessThan(LOGITS_TOLERANCE.webgpu);
    });
  });

  it.each(['Q2_K', 'IQ2_XXS', 'experts-nvfp4'])('%s, decoded row by row', async (name) => {
    expectLlamaLogits(name, await run(createReferenceBackend({ decodedByteLength: 0 }), name, 0));
  });
});

it('every type that ggml has for weights is in these files or in those of the reference kit', async () => {
  const checkpoints = await Promise.all([...NAMES.map(openQuantisedModel), openModel('qwen3_moe', 'gguf')]);
  const covered = new Set(checkpoints.flatMap(({ tensors }) => [...tensors.values()].map(({ format }) => String(format))));
  const types = [...GGML_TYPES.values()].map(({ name }) => name).filter((name) => !NOT_WEIGHTS.includes(name));
  expect(types.filter((name) => !covered.has(name))).toEqual([]);
});
