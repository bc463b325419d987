/**
 * Opens a stored model with its experts in three tiers: GPU slots, RAM, the pack file. How much of each is decided here:
 * what was chosen, else what the device proves to have.
 */
import { DeviceMemoryError } from '../compute/memory_error.ts';
import type { Backend, LoadProgress } from '../compute/ops.ts';
import { allExpertsByteLength, slotByteLengths, tierByteLength } from '../compute/pool_size.ts';
import { kvRowByteLength } from '../compute/webgpu/kv_cache.ts';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { lostReason } from '../engine/recovery.ts';
import { SelfTestError } from '../engine/self_test.ts';
import type { ExpertPoolOptions } from '../compute/residency.ts';
import { approximationOptions, EXACT, type Approximations } from '../experts/approximations.ts';
import {
  gpuExpertByteLength, ramByteLength, smallerPool, trialByteLength, type ExpertBudget, type ExpertPlacement,
  type GpuBudget, type ModelMemory,
} from '../experts/budget.ts';
import { RamArena } from '../experts/ram_arena.ts';
import { buildGraph } from '../models/registry.ts';
import type { ModelLibrary } from '../storage/library.ts';
import type { Manifest, ModelSource } from '../storage/model_source.ts';
import { withReadTimeout } from '../storage/read_timeout.ts';
import { ExpertHeat } from './expert_heat.ts';
import { usableApproximations, type UsableApproximations } from './usable_approximations.ts';

export interface TieredModelRequest {
  readonly library: ModelLibrary;
  readonly id: string;
  readonly backend: Backend;
  readonly budget: ExpertBudget;
  /** None by default. */
  readonly approximations?: Approximations;
  /** navigator.deviceMemory, in GiB. */
  readonly deviceMemory: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly engine: Omit<EngineOptions, 'backend' | 'source' | 'experts'>;
}

export interface TieredModel {
  readonly engine: Engine;
  /** Null for a model without experts, and on the CPU, where all memory is the same. */
  readonly experts: ExpertPlacement | null;
  readonly approximations: UsableApproximations;
  readonly heat: ExpertHeat;
  /**
   * Gives experts in RAM another budget while the model runs; null: what the machine suggests.
   * @returns where the experts are from now on, as `experts`
   */
  setRamBudget(byteLength: number | null): ExpertPlacement | null;
  /**
   * Gives experts another part of the GPU between answers; the chat's cache stays.
   * @param gpu not 'auto', which tries out how much memory there is: with a model in it, that can't be known
   * @throws Error where there is no room for it: the model goes on with what it had
   */
  setGpuBudget(gpu: Exclude<GpuBudget, 'auto'>, onProgress: (progress: LoadProgress) => void): Promise<PlacedExperts | null>;
}

/** What an opening or another budget for the GPU decides. */
export interface PlacedExperts {
  readonly experts: ExpertPlacement;
  readonly approximations: UsableApproximations;
}

/** @throws what createEngine and the library throw; DeviceMemoryError where even the least pool found no room */
export async function openTieredModel(request: TieredModelRequest): Promise<TieredModel> {
  const { library, id, budget, deviceMemory } = request;
  let { backend } = request;
  const heat = await ExpertHeat.open({ library, id, now: request.now });
  let source = await library.open(id);
  const { manifest } = source;
  const usable = (isPaged: boolean): UsableApproximations =>
    usableApproximations(request.approximations ?? EXACT, manifest, backend.info, isPaged);
  const memory = modelMemory(manifest, request.engine.contextLength, usable(true).applied.tierShare);
  if (memory.expertByteLength === 0 || backend.info.kind === 'reference') {
    const engine = await createEngine({ ...request.engine, backend, source: withReadTimeout(source) });
    return { engine, experts: null, approximations: usable(false), heat, setRamBudget: () => null, setGpuBudget: async () => null };
  }
  const trial = trialByteLength(budget.gpu, memory);
  const proven = trial === null ? null : await backend.proveMemory?.(trial) ?? null;
  let gpu = gpuExpertByteLength(budget.gpu, memory, proven);
  const ramFor = (chosen: number | null, gpuByteLength: number): number =>
    ramByteLength(chosen, deviceMemory, memory.expertByteLength, gpuByteLength);
  let ramBudget = budget.ramByteLength;
  const placed = (gpuByteLength: number, fallbackReason: string | null): PlacedExperts => ({
    experts: {
      expertByteLength: memory.expertByteLength, gpuByteLength, tierByteLength: memory.tierByteLength,
      ramByteLength: ramFor(ramBudget, gpuByteLength), fallbackReason,
    },
    approximations: usable(gpuByteLength < memory.expertByteLength),
  });
  for (let fallbackReason: string | null = null; ;) {
    let now = placed(gpu, fallbackReason);
    try {
      const { engine, arena } = await openPlaced({ ...request, backend }, source, heat, now);
      return {
        engine, ...now, heat,
        setRamBudget(byteLength) {
          ramBudget = byteLength;
          now = { ...now, experts: { ...now.experts, ramByteLength: ramFor(byteLength, now.experts.gpuByteLength) } };
          arena.resize(now.experts.ramByteLength);
          return now.experts;
        },
        async setGpuBudget(wanted, onProgress) {
          const next = placed(gpuExpertByteLength(wanted, memory, null), null);
          // What moves to the GPU isn't asked for again soon.
          arena.keeps = false;
          try {
            await engine.replaceExperts(poolOptions(heat, next), onProgress);
          } finally {
            arena.keeps = true;
          }
          now = next;
          arena.resize(now.experts.ramByteLength);
          arena.prefetch(heat.readAheadOrder().slice(0, arena.slotLimit));
          return now;
        },
      };
    } catch (error) {
      const smaller = smallerPool(gpu, memory);
      if (smaller === null || request.engine.signal?.aborted || error instanceof SelfTestError) throw error;
      if (!(error instanceof DeviceMemoryError)) {
        // Some drivers lose the device where memory runs out.
        const { reopenBackend } = request.engine;
        if (!reopenBackend || await lostReason(backend, error) === null) throw error;
        backend = await reopenBackend(backend);
      }
      fallbackReason = `The GPU has no room for ${gigabytes(gpu)} of experts: as a fallback it holds ${gigabytes(smaller)}, the others are `
        + 'fetched when they are needed, which is slower.';
      console.warn(fallbackReason);
      gpu = smaller;
      source = await library.open(id);
    }
  }
}

async function openPlaced(
  { backend, engine: options }: TieredModelRequest, source: ModelSource, heat: ExpertHeat, placed: PlacedExperts,
): Promise<{ readonly engine: Engine; readonly arena: RamArena }> {
  const arena = new RamArena(withReadTimeout(source), { byteLength: placed.experts.ramByteLength });
  arena.keeps = false;
  const experts = poolOptions(heat, placed);
  const engine = await createEngine({ ...options, backend, source: arena, ...(experts ? { experts } : {}) });
  arena.keeps = true;
  arena.prefetch(heat.readAheadOrder().slice(0, arena.slotLimit));
  return { engine, arena };
}

/** Undefined where all experts stay resident and nothing is looked up. */
function poolOptions(heat: ExpertHeat, { experts, approximations: { applied } }: PlacedExperts): ExpertPoolOptions | undefined {
  const isPaged = experts.gpuByteLength < experts.expertByteLength;
  if (!isPaged && applied.tierShare === 0) return undefined;
  return {
    // The slot table decides which copy of an expert is used: with a second tier even a pool for all needs one.
    size: isPaged ? { byteLength: experts.gpuByteLength } : { share: 1 },
    createPolicy: (shape) => heat.createPolicy(shape),
    ...approximationOptions(applied, (shape) => heat.tierHeat(shape)),
  };
}

function modelMemory(manifest: Manifest, contextLength: number, tierShare: number): ModelMemory {
  const { hyperparameters: hp, dense, denseByteLength } = manifest;
  const graph = buildGraph(manifest.architecture, hp, dense.map(({ name }) => name));
  const tokens = Math.min(contextLength, hp.contextLength);
  const kvByteLength = graph.kvLayers.reduce((sum, layer) => sum + 2 * tokens * kvRowByteLength(layer), 0);
  return {
    expertByteLength: allExpertsByteLength(manifest),
    leastExpertByteLength: hp.expertUsedCount * Math.max(0, ...slotByteLengths(manifest)),
    tierByteLength: tierByteLength({ size: { share: tierShare } }, manifest),
    otherByteLength: denseByteLength + kvByteLength,
  };
}

const gigabytes = (byteLength: number): string => `${(byteLength / 1e9).toFixed(2)} GB`;
