/**
 * The second tier: products use the copy that the slot table names, moves depend on routing alone, and unsure steps run
 * again. Values are compared with the reference back end on the same decoded weights in F32.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import type { Backend, LoadedModel, SamplingParams } from '../../src/compute/ops.ts';
import type { ExpertKey, ExpertPoolOptions, PoolShape, TierOptions, TierPolicy } from '../../src/compute/residency.ts';
import { createWebGpuBackend, type WebGpuOptions } from '../../src/compute/webgpu/backend.ts';
import { HeatTierPolicy } from '../../src/experts/heat_tier.ts';
import { NextUsePolicy } from '../../src/experts/next_use.ts';
import type { ExpertLayerPlan, MatrixSlice } from '../../src/formats/model_plan.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { convertPlan, type StoragePlan } from '../../src/storage/convert_plan.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { createInThreadConverter } from '../../src/storage/expert_converter.ts';
import type { ModelSource } from '../../src/storage/model_source.ts';
import { asF32 } from '../support/decoded_slices.ts';
import { openModel, readReferenceRun } from '../support/model_files.ts';
import { relativeL2 } from '../../tools/kit/checks.ts';
import { LOGITS_TOLERANCE } from '../support/tolerances.ts';

const ARCHITECTURE = 'olmoe';
const SAMPLED: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1.1, penaltyLastN: 16, seed: 7,
};
const nextUse = (shape: PoolShape): NextUsePolicy => new NextUsePolicy(shape);
const heatTier = (shape: PoolShape): TierPolicy => new HeatTierPolicy(shape);

/** Holds these from the first step on, for good. */
function holding(isHeld: (key: ExpertKey) => boolean): (shape: PoolShape) => TierPolicy {
  return ({ expertCount }) => ({
    initial: ({ layerIndexes, slotCount }) => layerIndexes.flatMap((layer) =>
      Array.from({ length: expertCount }, (_, expert) => layer * expertCount + expert)).filter(isHeld).slice(0, slotCount),
    routed: () => undefined, stepped: () => [], demanded: () => [],
  });
}

let plan: StoragePlan;
let source: ModelSource;
let gpu: GPU;
beforeAll(async () => {
  plan = convertPlan(planModel(await openModel(ARCHITECTURE, 'safetensors')), 'w2+fp4', createInThreadConverter());
  source = rowsKept(createDirectSource(plan));
  gpu = await openDawn({ dawnFeatures: ['disable_workgroup_init'] });
});

/** Each row is converted once for all tests. */
function rowsKept(direct: ModelSource): ModelSource {
  const rows = new Map<string, Promise<Uint8Array>>();
  const once = (name: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    if (!rows.has(name)) rows.set(name, read());
    return rows.get(name)!;
  };
  return {
    ...direct, manifest: direct.manifest,
    readExpertRow: (layer, expert) => once(`${layer} ${expert}`, () => direct.readExpertRow(layer, expert)),
    readTierRow: (layer, expert) => once(`tier ${layer} ${expert}`, () => direct.readTierRow(layer, expert)),
  };
}

async function load(backend: Backend, from: ModelSource, experts?: ExpertPoolOptions): Promise<LoadedModel> {
  const { manifest } = from;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  return backend.load(from, graph, { contextLength: 64, ...(experts ? { experts } : {}) });
}

const expected = new Map<(key: ExpertKey) => boolean, Promise<Float32Array>>();
const expectedLogits = (isHeld: (key: ExpertKey) => boolean, tokens: readonly number[]): Promise<Float32Array> => {
  if (!expected.has(isHeld)) expected.set(isHeld, referenceLogits(isHeld, tokens));
  return expected.get(isHeld)!;
};

/** Logits by the reference back end where these experts have their copies of more bits, and all weights are F32. */
async function referenceLogits(isHeld: (key: ExpertKey) => boolean, tokens: readonly number[]): Promise<Float32Array> {
  const { expertCount } = source.manifest;
  const experts = await Promise.all(plan.experts.map(async (layer, index): Promise<ExpertLayerPlan> => {
    const of = (name: 'gate' | 'up' | 'down'): Promise<MatrixSlice[]> => Promise.all(layer[name].map((slice, expert) =>
      asF32(isHeld(index * expertCount + expert) ? plan.tier![index][name][expert] : slice)));
    return { layer: layer.layer, gate: await of('gate'), up: await of('up'), down: await of('down') };
  }));
  const model = await load(createReferenceBackend(), createDirectSource({ ...plan, experts, tier: null }));
  return batchLogits(model, tokens);
}

async function batchLogits(model: LoadedModel, tokens: readonly number[]): Promise<Float32Array> {
  const sequence = await model.createSequence();
  const { logits } = await model.step(sequence, tokens, { kind: 'logits', rows: [tokens.length - 1] });
  sequence.dispose();
  return logits![0].slice();
}

async function stepwiseLogits(model: LoadedModel, tokens: readonly number[]): Promise<Float32Array> {
  const sequence = await model.createSequence();
  let last = new Float32Array();
  for (const token of tokens) {
    const { logits } = await model.step(sequence, [token], { kind: 'logits', rows: [0] });
    last = logits![0].slice();
  }
  sequence.dispose();
  return last;
}

/** Sampled tokens, and at the end the logits' bits. */
async function sampledText(model: LoadedModel, prompt: readonly number[], length: number): Promise<number[]> {
  const sequence = await model.createSequence();
  await model.step(sequence, prompt.slice(0, -1), { kind: 'none' });
  const text = [prompt.at(-1)!];
  for (let i = 0; i < length; i++) {
    const { token } = await model.step(sequence, text.slice(-1), { kind: 'sample', sampling: SAMPLED, recentTokens: text });
    text.push(token!);
  }
  const { logits } = await model.step(sequence, text.slice(-1), { kind: 'logits', rows: [0] });
  sequence.dispose();
  return [...text, ...new Uint32Array(logits![0].slice().buffer)];
}

const tier = (share: number, createPolicy: (shape: PoolShape) => TierPolicy, gate: number | null = null): TierOptions =>
  ({ size: { share }, gate, createPolicy });

const [EVERYTHING, NOTHING, THIRD] = [() => true, () => false, (key: ExpertKey) => key % 3 === 0] as const;

describe.each<[string, Partial<WebGpuOptions>]>([
  ['a software adapter', {}], ['a graphics card', { gpuKernelsOnSoftware: true, maxBindingByteLength: 40 * 1024 }],
])('kernels of %s', (_, options) => {
  let backend: Backend;
  let tokens: readonly number[];
  beforeAll(async () => {
    backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources(), ...options });
    tokens = readReferenceRun(ARCHITECTURE).tokens.slice(0, 9);
  });
  afterAll(() => backend.dispose());

  it.each<[string, (key: ExpertKey) => boolean, number, number]>([
    ['all', EVERYTHING, 1, 1], ['every third, of a pool of half', THIRD, 0.4, 0.5],
  ])('uses the copies that the tier holds: %s', async (__, isHeld, share, pool) => {
    const experts = { size: { share: pool }, createPolicy: nextUse, tier: tier(share, holding(isHeld)) };
    const model = await load(backend, source, experts);
    const wanted = await expectedLogits(isHeld, tokens);
    expect(relativeL2(await batchLogits(model, tokens), wanted)).toBeLessThan(LOGITS_TOLERANCE.webgpu);
    expect(relativeL2(await stepwiseLogits(model, tokens), wanted)).toBeLessThan(LOGITS_TOLERANCE.webgpu);
    expect(relativeL2(await expectedLogits(NOTHING, tokens), wanted)).toBeGreaterThan(1e-2);
    model.dispose();
  });

  it('answers the same with every pool size, and changes with the tier', async () => {
    const texts: number[][] = [];
    for (const [pool, share, gate] of [[1, 0.2, 0.6], [0.3, 0.2, 0.6], [1, 0.2, null], [1, null, null]] as const) {
      const model = await load(backend, source, {
        size: { share: pool }, createPolicy: nextUse, tier: share === null ? null : tier(share, heatTier, gate),
      });
      texts.push(await sampledText(model, tokens, 12));
      if (gate !== null) {
        expect(model.residency!.gatedSteps).toBeGreaterThan(0);
        expect(model.residency!.steps).toBe(13);
      }
      expect(model.residency?.promotions ?? 0)[share === null ? 'toBe' : 'toBeGreaterThan'](0);
      model.dispose();
    }
    const [whole, paged, ungated, untiered] = texts;
    expect(paged).toEqual(whole);
    expect(ungated).not.toEqual(whole);
    expect(untiered).not.toEqual(ungated);
  });

  it('runs unsure steps again until all that they use is there', async () => {
    const always = await load(backend, source, { size: { share: 1 }, createPolicy: nextUse, tier: tier(1, heatTier, 1) });
    // Twice: by the second time everything that these tokens use has been promoted.
    await stepwiseLogits(always, tokens);
    const again = await stepwiseLogits(always, tokens);
    expect(relativeL2(again, await expectedLogits(EVERYTHING, tokens))).toBeLessThan(LOGITS_TOLERANCE.webgpu);
    always.dispose();
  });
});

it('is refused where the model has no second tier, and by the reference back end', async () => {
  const backend = await createWebGpuBackend({ gpu, shaderSources: await loadShaderSources() });
  const options = { size: { share: 1 }, createPolicy: nextUse, tier: tier(0.1, heatTier) };
  const plain: ModelSource = { ...source, manifest: { ...source.manifest, tier: null } };
  await expect(load(backend, plain, options)).rejects.toThrow(/without|second tier/);
  await expect(load(createReferenceBackend(), source, options)).rejects.toThrow(/second tier/);
  backend.dispose();
});
