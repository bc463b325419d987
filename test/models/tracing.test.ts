/** A recorded model answers as an unrecorded one, and the record agrees with what the model counts itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import type { ExpertPoolOptions } from '../../src/compute/residency.ts';
import { createWebGpuBackend } from '../../src/compute/webgpu/backend.ts';
import { LfruPolicy } from '../../src/experts/lfru.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { snapshotOf } from '../../src/profile/snapshot.ts';
import { stepRows, type StepField } from '../../src/profile/steps.ts';
import { Tracer } from '../../src/profile/trace.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { openModel } from '../support/model_files.ts';

const DECODED = 12;
const PROMPT = [3, 14, 15, 92, 65, 35, 89, 79, 32];
const QUARTER: ExpertPoolOptions = { size: { share: 0.25 }, createPolicy: (shape) => new LfruPolicy(shape) };
const GREEDY = { temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 1 };

async function load(backend: Backend, experts: ExpertPoolOptions | undefined, tracer: Tracer | undefined): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openModel('qwen3_moe', 'safetensors')));
  const { architecture, hyperparameters, dense } = source.manifest;
  const graph = buildGraph(architecture, hyperparameters, dense.map(({ name }) => name));
  return backend.load(source, graph, { contextLength: 64, ...(experts ? { experts } : {}), ...(tracer ? { tracer } : {}) });
}

/** A prompt and what follows it, on a fresh sequence. */
async function answer(model: LoadedModel): Promise<number[]> {
  const sequence = await model.createSequence();
  const tokens: number[] = [];
  let input = PROMPT;
  while (tokens.length <= DECODED) {
    const { token } = await model.step(sequence, input, { kind: 'sample', sampling: GREEDY, recentTokens: [] });
    tokens.push(token!);
    input = [token!];
  }
  sequence.dispose();
  return tokens;
}

describe.each([['webgpu'], ['reference']] as const)('%s', (kind) => {
  let backend: Backend;
  /** Of the model whose experts are all resident. */
  let heatOfAll: readonly number[] | null = null;
  beforeAll(async () => {
    backend = kind === 'reference' ? createReferenceBackend()
      : await createWebGpuBackend({ gpu: await openDawn({ dawnFeatures: ['disable_workgroup_init'] }), shaderSources: await loadShaderSources() });
  });
  afterAll(() => backend.dispose());

  it.each([['all experts resident', undefined], ['a quarter of them', QUARTER]] as const)('%s', async (_, pool) => {
    const plain = await load(backend, pool, undefined);
    const expected = await answer(plain);
    plain.dispose();

    const tracer = new Tracer();
    const model = await load(backend, pool, tracer);
    expect(await answer(model)).toEqual(expected);
    expect([tracer.eventCount, tracer.steps]).toEqual([0, null]);

    tracer.start({ kernels: false });
    const before = { ...model.residency };
    expect(await answer(model)).toEqual(expected);
    tracer.start({ kernels: true });
    expect(await answer(model)).toEqual(expected);
    tracer.stop();
    expect(await answer(model)).toEqual(expected);

    const { stepCount, steps, experts } = snapshotOf(tracer, 0);
    const rows = stepRows(steps);
    const decode = rows.filter((row) => row.isDecode === 1);
    expect([stepCount, rows.length, decode.length]).toEqual([2 * (DECODED + 1), 2 * (DECODED + 1), 2 * DECODED]);
    const { layers, expertCount, topK, heat } = experts!;
    expect(heat.length).toBe(layers.length * expertCount);
    expect(heat.reduce((sum, count) => sum + count, 0)).toBe(2 * DECODED * layers.length * topK);
    heatOfAll ??= [...heat];
    expect([...heat]).toEqual(heatOfAll);
    for (const row of decode) {
      expect(row.hits + row.misses).toBe(layers.length * topK);
      expect(row.durationMs + 1e-6).toBeGreaterThanOrEqual(row.waitMs + row.readMs);
      if (kind === 'webgpu') expect(row.waitMs).toBeGreaterThan(0);
    }
    expect(decode.some((row) => row.gpuMs > 0)).toBe(backend.info.features.includes('timestamp-query'));
    const names = new Set([...tracer.events()].map(({ event }) => event));
    expect(names).toContain('decode');
    expect(names).toContain('prefill');
    if (!pool) return;
    const sum = (field: StepField): number => decode.reduce((total, row) => total + row[field], 0);
    expect(sum('misses')).toBeGreaterThan(0);
    // WebGPU also loads what later layers are likely to need.
    expect(sum('storageReads')).toBeGreaterThanOrEqual(sum('misses'));
    expect(sum('bytesRead')).toBeGreaterThan(0);
    for (const event of ['loadStorage', 'eviction', ...(kind === 'webgpu' ? ['upload', 'missedLayer', 'wave'] as const : [])] as const) {
      expect(names).toContain(event);
    }
    const { slotCount, usedSlots } = experts!.pool!;
    expect(usedSlots).toBeGreaterThan(0);
    expect(usedSlots).toBeLessThanOrEqual(slotCount);
    expect(experts!.resident!.reduce((total, held) => total + held, 0)).toBe(usedSlots);
    if (kind === 'webgpu') expect(model.residency!.steps - before.steps!).toBe(3 * DECODED);
    model.dispose();
    expect(snapshotOf(tracer, 0).experts).toBeNull();
  });

  it('times kernels where the device can, and names them', async () => {
    const tracer = new Tracer();
    const model = await load(backend, QUARTER, tracer);
    tracer.start({ kernels: true });
    await answer(model);
    const kernels = [...tracer.events()].filter(({ event }) => event === 'kernel');
    expect(kernels.length > 0).toBe(backend.info.features.includes('timestamp-query'));
    const submits = [...tracer.events()].filter(({ event }) => event === 'submit');
    // Each resume of a step runs the sampler again.
    if (kernels.length > 0) expect(kernels.filter(({ label }) => label === 'sample')).toHaveLength(submits.length);
    for (const { label, start, end } of kernels) {
      expect(label).toMatch(/^\w+/);
      expect(end).toBeGreaterThanOrEqual(start);
    }
    model.dispose();
  });
});
