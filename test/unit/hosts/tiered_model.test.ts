/** Opening a stored model with its experts in three tiers, on a back end whose memory ends where a test says. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DeviceMemoryError } from '../../../src/compute/memory_error.ts';
import type { Backend, LoadOptions } from '../../../src/compute/ops.ts';
import { allExpertsByteLength, allTierByteLength, poolByteLength, tierByteLength } from '../../../src/compute/pool_size.ts';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import type { PoolShape } from '../../../src/compute/residency.ts';
import { EXACT, type Approximations } from '../../../src/experts/approximations.ts';
import type { ExpertBudget } from '../../../src/experts/budget.ts';
import { ExpertHeat } from '../../../src/hosts/expert_heat.ts';
import { openTieredModel, type TieredModelRequest } from '../../../src/hosts/tiered_model.ts';
import { usableApproximations } from '../../../src/hosts/usable_approximations.ts';
import { planModel } from '../../../src/models/registry.ts';
import { convertPlan } from '../../../src/storage/convert_plan.ts';
import { createInThreadConverter } from '../../../src/storage/expert_converter.ts';
import { createLibrary, type ModelLibrary } from '../../../src/storage/library.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';
import type { Manifest } from '../../../src/storage/model_source.ts';
import { modelFiles, openModel } from '../../support/model_files.ts';

const ID = 'model-1';
const TIERED_ID = 'model-2';
let library: ModelLibrary;
let plain: Manifest;
let tiered: Manifest;
let allBytes = 0;

beforeAll(async () => {
  const checkpoint = await openModel('qwen3_moe', 'gguf');
  library = createLibrary(createMemoryStore(), () => 0);
  const plan = planModel(checkpoint);
  const files = modelFiles('qwen3_moe', 'gguf');
  plain = await library.import({ checkpoint, plan, files, id: ID });
  tiered = await library.import({ checkpoint, plan: convertPlan(plan, 'w2+fp4', createInThreadConverter()), files, id: TIERED_ID });
  allBytes = allExpertsByteLength(plain);
});

/** The reference as a device that has this much memory for experts; it runs copies of more bits as if there were none. */
function device(memory: number): Backend & { readonly loads: (LoadOptions['experts'])[] } {
  const reference = createReferenceBackend();
  const loads: (LoadOptions['experts'])[] = [];
  return {
    ...reference, loads, info: { ...reference.info, kind: 'webgpu' },
    async load(source, graph, options) {
      const { manifest } = source;
      // The self-test loads a few layers, with all their experts.
      if (graph.kvLayers.length < manifest.hyperparameters.layerCount) return reference.load(source, graph, options);
      loads.push(options.experts);
      const { experts } = options;
      const byteLength = experts ? poolByteLength(experts, manifest) + (experts.tier ? tierByteLength(experts.tier, manifest) : 0)
        : allExpertsByteLength(manifest);
      if (byteLength > memory) throw new DeviceMemoryError('no memory left');
      return reference.load(source, graph, experts ? { ...options, experts: { ...experts, tier: null } } : options);
    },
  };
}

const request = (backend: Backend, budget: ExpertBudget): TieredModelRequest => ({
  library, id: ID, backend, budget, deviceMemory: 8, now: () => 0, engine: { contextLength: 32 },
});

describe('an opened model', () => {
  it('holds all experts where that is what fits, and no RAM beside', async () => {
    const backend = device(Infinity);
    const { engine, experts } = await openTieredModel(request(backend, { gpu: 'auto', ramByteLength: null }));
    expect(experts).toEqual({ expertByteLength: allBytes, gpuByteLength: allBytes, tierByteLength: 0, ramByteLength: 0, fallbackReason: null });
    expect(backend.loads).toEqual([undefined]);
    await engine.dispose();
  });

  it('answers alike from a share of them', async () => {
    const tokens = [1, 5, 9, 13];
    const whole = await openTieredModel(request(device(Infinity), { gpu: 'auto', ramByteLength: null }));
    const expected = await whole.engine.logits(tokens, [3]);
    const { engine, experts } = await openTieredModel(request(device(Infinity), { gpu: { share: 0.5 }, ramByteLength: null }));
    expect(experts).toMatchObject({ gpuByteLength: Math.ceil(allBytes / 2), ramByteLength: allBytes, fallbackReason: null });
    expect(await engine.logits(tokens, [3])).toEqual(expected);
    expect(engine.residency?.rowsLoaded).toBeGreaterThan(0);
    await whole.engine.dispose();
    await engine.dispose();
  });

  it('falls back to a smaller pool where memory ends, and says so', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const backend = device(allBytes / 2);
    const { engine, experts } = await openTieredModel(request(backend, { gpu: { share: 1 }, ramByteLength: 0 }));
    expect(backend.loads).toHaveLength(3);
    expect(experts!.gpuByteLength).toBeLessThan(allBytes / 2);
    expect(experts!.fallbackReason).toMatch(/^The GPU has no room for .+ GB of experts: as a fallback it holds .+ GB/);
    expect(warn).toHaveBeenCalledTimes(2);
    warn.mockRestore();
    await engine.dispose();
  });

  it('falls back where a driver loses its device for want of memory', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const dying: Backend = {
      ...device(0), lost: Promise.resolve('The GPU was lost (out of memory).'),
      load: async () => { throw new Error('mapAsync was aborted'); },
    };
    const fresh = device(Infinity);
    const first = request(dying, { gpu: 'auto', ramByteLength: null });
    await expect(openTieredModel(first)).rejects.toThrow('mapAsync was aborted');
    const { engine, experts } = await openTieredModel({ ...first, engine: { ...first.engine, reopenBackend: async () => fresh } });
    expect(experts).toMatchObject({ gpuByteLength: Math.floor(allBytes * 0.6), fallbackReason: expect.stringContaining('as a fallback') });
    warn.mockRestore();
    await engine.dispose();
  });

  it('is refused where even one layer\'s active experts find no room', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    await expect(openTieredModel(request(device(10), { gpu: 'auto', ramByteLength: null }))).rejects.toThrow('no memory left');
    warn.mockRestore();
  });

  it('gives experts in RAM another budget while it is open', async () => {
    const model = await openTieredModel(request(device(Infinity), { gpu: { share: 0.5 }, ramByteLength: null }));
    expect(model.setRamBudget(0)).toEqual({ ...model.experts, ramByteLength: 0 });
    expect(model.setRamBudget(1e9)).toEqual({ ...model.experts, ramByteLength: allBytes });
    await model.engine.dispose();
    const whole = await openTieredModel(request(device(Infinity), { gpu: 'auto', ramByteLength: null }));
    expect(whole.setRamBudget(1e9)).toEqual(whole.experts);
    await whole.engine.dispose();
  });

  it('has no tiers on the CPU', async () => {
    const { engine, experts } = await openTieredModel(request(createReferenceBackend(), { gpu: { share: 0.5 }, ramByteLength: null }));
    expect([experts, engine.residency]).toEqual([null, null]);
    await engine.dispose();
  });
});

describe('approximations', () => {
  const CHOSEN: Approximations = { tierShare: 0.2, gate: 0.6, missTolerance: 2 };
  const open = (backend: Backend, budget: ExpertBudget, approximations = CHOSEN, id = TIERED_ID) =>
    openTieredModel({ ...request(backend, budget), id, approximations });

  it('take a slot table even where all experts fit, and memory beside them', async () => {
    const backend = device(Infinity);
    const { engine, experts, approximations } = await open(backend, { gpu: 'auto', ramByteLength: null });
    const copies = Math.ceil(allTierByteLength(tiered) * 0.2);
    expect(experts).toMatchObject({ gpuByteLength: allExpertsByteLength(tiered), tierByteLength: copies, ramByteLength: 0 });
    expect(backend.loads).toMatchObject([{ size: { share: 1 }, tier: { size: { share: 0.2 }, gate: 0.6 }, missTolerance: 0 }]);
    expect(approximations).toEqual({
      applied: { ...CHOSEN, missTolerance: 0 }, ignored: 'No token goes without experts: all of them are on the GPU.',
    });
    await engine.dispose();
  });

  it('keep their copies where memory ends: the pool beside them gets smaller, and tokens may skip experts then', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const backend = device(allExpertsByteLength(tiered));
    const { engine, experts, approximations } = await open(backend, { gpu: { share: 1 }, ramByteLength: 0 });
    expect(experts!.gpuByteLength + experts!.tierByteLength).toBeLessThan(allExpertsByteLength(tiered));
    expect(backend.loads.map((pool) => pool?.tier?.size)).toEqual([{ share: 0.2 }, { share: 0.2 }]);
    expect(backend.loads[1]).toMatchObject({ missTolerance: 2 });
    expect(approximations).toEqual({ applied: CHOSEN, ignored: null });
    warn.mockRestore();
    await engine.dispose();
  });

  it('begin with the heat that was saved, the same after a lost device', async () => {
    const shape: PoolShape = { expertLayerCount: 1, expertCount: 4, topK: 2, groups: [{ layerIndexes: [0], slotCount: 2, slotByteLength: 16 }] };
    const heat = await ExpertHeat.open({ library, id: TIERED_ID, now: () => 0 });
    expect(heat.tierHeat(shape)).toBeNull();
    const policy = heat.createPolicy(shape);
    policy.routed([2, 3], 'decode', 0);
    policy.stepped('decode');
    await heat.save(true);
    expect(heat.tierHeat(shape)).toBeNull();
    const [cold, cool, ...hot] = (await ExpertHeat.open({ library, id: TIERED_ID, now: () => 0 })).tierHeat(shape)!;
    expect(Math.max(cold, cool)).toBeLessThan(Math.min(...hot));
  });

  it('that a model can\'t run are left out, and that is said', async () => {
    const [gpu, cpu] = [{ kind: 'webgpu' }, { kind: 'reference' }] as const;
    const usable = (manifest: Manifest, change: Partial<Approximations> = {}, on: typeof gpu | typeof cpu = gpu, isPaged = true) =>
      usableApproximations({ ...CHOSEN, ...change }, manifest, on, isPaged);
    expect(usable(tiered)).toEqual({ applied: CHOSEN, ignored: null });
    expect(usable(tiered, EXACT, cpu)).toEqual({ applied: EXACT, ignored: null });
    expect(usable(tiered, {}, cpu)).toEqual({ applied: EXACT, ignored: expect.stringMatching(/^Approximations are off: the CPU/) });
    expect(usable({ ...plain, expertLayers: [] })).toEqual({ applied: EXACT, ignored: expect.stringMatching(/has no experts/) });
    expect(usable(plain)).toEqual({
      applied: { ...EXACT, missTolerance: 2 }, ignored: expect.stringMatching(/^FP4 copies are off: this model was imported without them/),
    });
    expect(usable(tiered, { tierShare: 0.001 }).ignored).toMatch(/less than one/);
    expect(usable(plain, {}, gpu, false).ignored).toMatch(/^FP4 copies are off.+ No token goes without experts/);

    const { engine, experts, approximations } = await open(createReferenceBackend(), { gpu: 'auto', ramByteLength: null });
    expect([experts, approximations.applied]).toEqual([null, EXACT]);
    expect(approximations.ignored).toMatch(/the CPU/);
    await engine.dispose();
  });
});

describe('heat', () => {
  const shape: PoolShape = {
    expertLayerCount: 1, expertCount: 8, topK: 2, groups: [{ layerIndexes: [0], slotCount: 2, slotByteLength: 16 }],
  };

  it('is saved with the model and warms its next start', async () => {
    let now = 1e6;
    const services = { library, id: ID, now: () => now };
    const heat = await ExpertHeat.open(services);
    expect(heat.readAheadOrder()).toEqual([]);
    await heat.save(true);
    expect(await library.heat(ID)).toBeNull();
    const policy = heat.createPolicy(shape);
    const use = (keys: readonly number[]): void => {
      for (let step = 0; step < 20; step++) {
        policy.routed(keys, 'decode', 0);
        policy.stepped('decode');
      }
    };
    use([6, 3]);
    await heat.save(false);
    const saved = await library.heat(ID);
    expect(saved).not.toBeNull();
    use([1, 2]);
    now += 1000;
    await heat.save(false);
    expect(await library.heat(ID)).toEqual(saved);

    const next = await ExpertHeat.open(services);
    const warm = next.createPolicy(shape);
    expect([...warm.initial(shape.groups[0])].slice(0, 2).sort()).toEqual([3, 6]);
    expect(next.readAheadOrder().slice(-2).sort()).toEqual([3, 6]);
    expect([...next.readAheadOrder()].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    now += 60_000;
    await heat.save(false);
    expect(await library.heat(ID)).not.toEqual(saved);
  });

  it('that is damaged, of another model or can\'t be saved costs nothing but warmth', async () => {
    await library.saveHeat(ID, { version: 1, expertLayerCount: 9, expertCount: 9, heat: 'x' });
    const heat = await ExpertHeat.open({ library, id: ID, now: () => 0 });
    expect(heat.createPolicy(shape).initial(shape.groups[0])).toHaveLength(2);
    const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
    const full = { ...library, saveHeat: async () => { throw new DOMException('no space', 'QuotaExceededError'); } };
    const unsaved = await ExpertHeat.open({ library: full, id: ID, now: () => 0 });
    unsaved.createPolicy(shape);
    await unsaved.save(true);
    expect(warn).toHaveBeenCalledWith('The experts\' heat was not saved: no space');
    warn.mockRestore();
  });
});
