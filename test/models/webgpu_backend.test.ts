/**
 * The reference kit on WebGPU: as a software adapter runs it, and as a graphics card would (on the same adapter):
 * with subgroups, without any optional feature, and with a binding so small that tensors and experts are split.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWebGpuBackend, type WebGpuOptions } from '../../src/compute/webgpu/backend.ts';
import type { Backend } from '../../src/compute/ops.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { readReferenceRun, type ReferenceArchitecture } from '../support/model_files.ts';
import { continueGreedily, worstError } from '../../tools/kit/checks.ts';
import { loadReferenceModel, runReferenceKit } from '../support/reference_kit.ts';
import { LOGITS_TOLERANCE } from '../support/tolerances.ts';

let gpu: GPU;
// SwiftShader compiles the zeroing of workgroup memory for seconds; our kernels write before they read.
beforeAll(async () => { gpu = await openDawn({ dawnFeatures: ['disable_workgroup_init'] }); });

async function create(options: Partial<WebGpuOptions> = {}): Promise<Backend> {
  return createWebGpuBackend({ gpu, shaderSources: await loadShaderSources(), ...options });
}

describe('software adapter', () => runReferenceKit(() => create(), LOGITS_TOLERANCE.webgpu));

// Barriers are slow on a software adapter, so the variants take the architectures that differ in their kernels.
describe.each<[string, Partial<WebGpuOptions>, readonly ReferenceArchitecture[]]>([
  ['subgroups', {}, ['qwen3_moe', 'qwen2_moe', 'olmoe', 'granitemoeshared']],
  ['no optional features', { withoutFeatures: ['subgroups', 'shader-f16', 'timestamp-query'] }, ['qwen2_moe', 'mixtral']],
  ['bindings of 40 KiB', { maxBindingByteLength: 40 * 1024 }, ['qwen3_moe', 'granitemoe']],
])('kernels of a graphics card: %s', (_, options, architectures) => {
  let backend: Backend;
  beforeAll(async () => { backend = await create({ gpuKernelsOnSoftware: true, ...options }); });
  afterAll(() => backend.dispose());

  it.each(architectures)('%s', async (architecture) => {
    const model = await loadReferenceModel(backend, architecture, 'safetensors');
    for (const chunk of [Infinity, 1]) {
      expect(await worstError(model, readReferenceRun(architecture), chunk)).toBeLessThanOrEqual(LOGITS_TOLERANCE.webgpu);
    }
    const { tokens, greedy, greedy_prompt_len } = readReferenceRun(architecture);
    expect(await continueGreedily(model, tokens.slice(0, greedy_prompt_len), greedy.length)).toEqual(greedy);
    model.dispose();
  });
});
