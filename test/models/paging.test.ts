/** Paged experts give the same bits as resident ones, however small the pool and whatever is evicted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, LoadedModel, SamplingParams } from '../../src/compute/ops.ts';
import type { ExpertKey, ExpertPoolOptions, PoolShape, ResidencyPolicy } from '../../src/compute/residency.ts';
import { createWebGpuBackend, type WebGpuOptions } from '../../src/compute/webgpu/backend.ts';
import { LfruPolicy } from '../../src/experts/lfru.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { manifestFromPlan } from '../../src/storage/manifest.ts';
import type { ModelSource } from '../../src/storage/model_source.ts';
import { BENCH_SHAPES } from '../../tools/bench/shapes.ts';
import { syntheticCheckpoint, syntheticSource } from '../../tools/synthetic/synthetic_model.ts';
import { openModel, readReferenceRun, type ReferenceArchitecture } from '../support/model_files.ts';
import { randomStream } from '../support/random_weights.ts';

let gpu: GPU;
beforeAll(async () => { gpu = await openDawn({ dawnFeatures: ['disable_workgroup_init'] }); });

const SAMPLED: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1.1, penaltyLastN: 16, seed: 7,
};
const GREEDY: SamplingParams = { ...SAMPLED, temperature: 0 };

/** Evicts at random: whatever a policy does, only speed may change. */
class RandomPolicy implements ResidencyPolicy {
  readonly #random = randomStream(5);
  initial(): readonly ExpertKey[] { return []; }
  routed(): void {}
  stepped(): void {}
  victims(candidates: readonly ExpertKey[], count: number): readonly ExpertKey[] {
    return [...candidates].map((key) => [this.#random(), key] as const).sort((a, b) => a[0] - b[0]).slice(0, count).map(([, key]) => key);
  }
}

/** Reads that come late and out of order. */
function delayed(source: ModelSource): ModelSource {
  const random = randomStream(9);
  return {
    ...source, manifest: source.manifest,
    readExpertRow: async (layer, expert, into) => {
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
      return source.readExpertRow(layer, expert, into);
    },
  };
}

async function load(
  backend: Backend, architecture: ReferenceArchitecture, experts: ExpertPoolOptions | undefined, late = false,
): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openModel(architecture, 'safetensors')));
  const { manifest } = source;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  return backend.load(late ? delayed(source) : source, graph, { contextLength: 64, ...(experts ? { experts } : {}) });
}

/** Logits of a prompt (as one batch and one token at a time) and what follows it, greedy and sampled. */
async function trace(model: LoadedModel, architecture: ReferenceArchitecture): Promise<unknown> {
  const { tokens } = readReferenceRun(architecture);
  const prompt = tokens.slice(0, 13);
  const found: unknown[] = [];
  for (const chunk of [model.maxStepTokens, 1]) {
    const sequence = await model.createSequence();
    for (let at = 0; at < prompt.length; at += chunk) {
      const part = prompt.slice(at, at + chunk);
      const { logits } = await model.step(sequence, part, { kind: 'logits', rows: [part.length - 1] });
      found.push([...new Uint32Array(logits![0].slice().buffer)]);
    }
    sequence.dispose();
  }
  for (const sampling of [GREEDY, SAMPLED]) {
    const sequence = await model.createSequence();
    for (let at = 0; at < prompt.length - 1; at += model.maxStepTokens) {
      await model.step(sequence, prompt.slice(at, Math.min(prompt.length - 1, at + model.maxStepTokens)), { kind: 'none' });
    }
    const text = [prompt.at(-1)!];
    for (let i = 0; i < 6; i++) {
      const { token } = await model.step(sequence, text.slice(-1), { kind: 'sample', sampling, recentTokens: text });
      text.push(token!);
    }
    found.push(text);
    sequence.dispose();
  }
  return found;
}

/** Bytes of the least pool that can run: one layer's active experts. */
async function leastPool(architecture: ReferenceArchitecture): Promise<number> {
  const { manifest } = createDirectSource(planModel(await openModel(architecture, 'safetensors')));
  const rows = manifest.expertLayers.map(({ down }) => Math.ceil((down.byteOffset + down.byteLength) / 16) * 16);
  return Math.max(...rows) * manifest.hyperparameters.expertUsedCount;
}

const lfru = (shape: PoolShape): ResidencyPolicy => new LfruPolicy(shape);
const POOLS: readonly (readonly [string, (least: number) => ExpertPoolOptions, boolean])[] = [
  ['half', () => ({ size: { share: 0.5 }, createPolicy: lfru, stepMode: 'stepwise' }), false],
  ['a quarter, late reads', () => ({ size: { share: 0.25 }, createPolicy: lfru, stepMode: 'stepwise' }), true],
  ['a quarter', () => ({ size: { share: 0.25 }, createPolicy: lfru }), false],
  ['the least that can run', (byteLength) => ({ size: { byteLength }, createPolicy: lfru, stepMode: 'whole' }), false],
  ['a third, random evictions', () => ({ size: { share: 0.34 }, createPolicy: () => new RandomPolicy(), stepMode: 'stepwise' }), false],
];

/** Each pool with each kind of kernels and each kind of graph at least once; all with all would take minutes. */
describe.each<[string, Partial<WebGpuOptions>, readonly (readonly [ReferenceArchitecture, readonly string[]])[]]>([
  ['a software adapter', {}, [
    ['qwen3_moe', ['a quarter, late reads', 'a quarter', 'the least that can run']], ['qwen2_moe', ['a third, random evictions']],
  ]],
  ['a graphics card', { gpuKernelsOnSoftware: true }, [
    ['qwen3_moe', ['the least that can run']], ['granitemoeshared', ['half']],
  ]],
  ['bindings of 40 KiB', { gpuKernelsOnSoftware: true, maxBindingByteLength: 40 * 1024 }, [['qwen3_moe', ['half']]]],
])('kernels of %s', (_, options, cases) => {
  let backend: Backend;
  beforeAll(async () => { backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources(), ...options }); });
  afterAll(() => backend.dispose());

  it.each(cases)('%s answers the same with fewer slots: %j', async (architecture, names) => {
    const resident = await load(backend, architecture, undefined);
    const expected = await trace(resident, architecture);
    expect(resident.residency).toBeNull();
    resident.dispose();
    const least = await leastPool(architecture);
    for (const [name, pool, late] of POOLS.filter(([candidate]) => names.includes(candidate))) {
      const model = await load(backend, architecture, pool(least), late);
      expect(await trace(model, architecture), name).toEqual(expected);
      const { steps, zeroMissSteps, stepwiseSteps, misses, evictions } = model.residency!;
      expect(misses, name).toBeGreaterThan(0);
      expect(evictions, name).toBeGreaterThan(0);
      expect(zeroMissSteps, name).toBeLessThan(steps);
      const { stepMode } = pool(least);
      if (stepMode) expect(stepwiseSteps, name).toBe(stepMode === 'stepwise' ? steps : 0);
      model.dispose();
    }
  });
});

it('answers the same in many pieces, layers missed in several of them', async () => {
  const backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources() });
  // On a software adapter a piece is about a layer.
  const checkpoint = syntheticCheckpoint({ ...BENCH_SHAPES.tiny, layerCount: 8 }, {
    embedding: 'F32', attention: 'Q8_0', head: 'Q8_0', gateUp: 'W2', down: 'W2',
  }, 'deep');
  const source = syntheticSource(manifestFromPlan(planModel(checkpoint)));
  const { manifest } = source;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  const texts: number[][] = [];
  for (const stepMode of [null, 'whole', 'stepwise', 'adaptive'] as const) {
    const experts = stepMode === null ? {} : { experts: { size: { share: 0.25 }, createPolicy: lfru, stepMode } };
    const model = await backend.load(source, graph, { contextLength: 16, ...experts });
    const sequence = await model.createSequence();
    const text = [1];
    for (let i = 0; i < 10; i++) {
      text.push((await model.step(sequence, text.slice(-1), { kind: 'sample', sampling: SAMPLED, recentTokens: [] })).token!);
    }
    texts.push(text);
    if (stepMode !== null) {
      const { missedLayers, steps, stepwiseSteps } = model.residency!;
      expect(missedLayers).toBeGreaterThan(steps);
      if (stepMode !== 'adaptive') expect(stepwiseSteps).toBe(stepMode === 'whole' ? 0 : steps);
    }
    model.dispose();
  }
  for (const text of texts) expect(text).toEqual(texts[0]);
  backend.dispose();
});

describe('a running model', () => {
  let backend: Backend;
  beforeAll(async () => { backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources() }); });
  afterAll(() => backend.dispose());

  /** Greedy and sampled tokens by turns behind a prompt, on one sequence. */
  async function write(model: LoadedModel, between: (step: number) => Promise<void> = async () => undefined): Promise<number[]> {
    const prompt = readReferenceRun('qwen3_moe').tokens.slice(0, 5);
    const sequence = await model.createSequence();
    await model.step(sequence, prompt.slice(0, -1), { kind: 'none' });
    const text = [prompt.at(-1)!];
    for (let i = 0; i < 8; i++) {
      await between(i);
      const { token } = await model.step(sequence, text.slice(-1), { kind: 'sample', sampling: i % 2 === 0 ? GREEDY : SAMPLED, recentTokens: text });
      text.push(token!);
    }
    sequence.dispose();
    return text;
  }

  it('goes on with other memory for its experts as if nothing had happened', async () => {
    const resident = await load(backend, 'qwen3_moe', undefined);
    const expected = await write(resident);
    resident.dispose();
    const model = await load(backend, 'qwen3_moe', { size: { share: 0.5 }, createPolicy: lfru });
    const paged: boolean[] = [];
    const text = await write(model, async (step) => {
      if (step === 2) await model.replaceExperts!({ size: { share: 0.25 }, createPolicy: lfru }, {});
      if (step === 4) await model.replaceExperts!(undefined, {});
      if (step === 6) await model.replaceExperts!({ size: { share: 0.5 }, createPolicy: lfru }, {});
      // What is too small is refused, and the model goes on.
      if (step === 7) await expect(model.replaceExperts!({ size: { byteLength: 100 }, createPolicy: lfru }, {})).rejects.toThrow(/smaller than one/);
      paged.push(model.residency !== null);
    });
    expect(text).toEqual(expected);
    expect(paged).toEqual([true, true, true, true, false, false, true, true]);
    model.dispose();
  });

  it('goes without as many experts as it may, and says how many', async () => {
    const pool = { size: { share: 0.25 }, createPolicy: lfru } as const;
    const patient = await load(backend, 'qwen3_moe', pool);
    const exact = await write(patient);
    patient.dispose();
    const hasty = await load(backend, 'qwen3_moe', { ...pool, missTolerance: 1000 });
    await write(hasty);
    const { steps, zeroMissSteps, toleratedSteps, toleratedMisses, misses, hits } = hasty.residency!;
    expect(toleratedSteps).toBeGreaterThan(0);
    expect(zeroMissSteps + toleratedSteps).toBe(steps);
    expect(toleratedMisses).toBe(misses);
    expect((hits + misses) % steps).toBe(0);
    hasty.dispose();
    const strict = await load(backend, 'qwen3_moe', { ...pool, missTolerance: 0 });
    expect(await write(strict)).toEqual(exact);
    expect(strict.residency!.toleratedSteps).toBe(0);
    strict.dispose();
  });
});

it('refuses a pool that cannot hold one token\'s experts', async () => {
  const backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources() });
  await expect(load(backend, 'qwen3_moe', { size: { byteLength: 100 }, createPolicy: lfru })).rejects.toThrow(/smaller than one layer's \d+ active experts/);
  backend.dispose();
});
