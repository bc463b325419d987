/**
 * Opens a stored model with its experts in three tiers: GPU slots, RAM, the pack file. How much of each is decided here:
 * what was chosen, else what the device proves to have.
 */
import { DeviceMemoryError } from '../compute/memory_error.ts';
import type { Backend } from '../compute/ops.ts';
import { allExpertsByteLength, slotByteLengths } from '../compute/pool_size.ts';
import { kvRowByteLength } from '../compute/webgpu/kv_cache.ts';
import { createEngine, type Engine, type EngineOptions } from '../engine/engine.ts';
import { lostReason } from '../engine/recovery.ts';
import { SelfTestError } from '../engine/self_test.ts';
import {
  gpuExpertByteLength, ramByteLength, smallerPool, trialByteLength, type ExpertBudget, type ExpertPlacement, type ModelMemory,
} from '../experts/budget.ts';
import { RamArena } from '../experts/ram_arena.ts';
import { buildGraph } from '../models/registry.ts';
import type { ModelLibrary } from '../storage/library.ts';
import type { Manifest, ModelSource } from '../storage/model_source.ts';
import { withReadTimeout } from '../storage/read_timeout.ts';
import { ExpertHeat } from './expert_heat.ts';

export interface TieredModelRequest {
  readonly library: ModelLibrary;
  readonly id: string;
  readonly backend: Backend;
  readonly budget: ExpertBudget;
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
  readonly heat: ExpertHeat;
}

/** @throws what createEngine and the library throw; DeviceMemoryError where even the least pool found no room */
export async function openTieredModel(request: TieredModelRequest): Promise<TieredModel> {
  const { library, id, budget } = request;
  let { backend } = request;
  const heat = await ExpertHeat.open({ library, id, now: request.now });
  let source = await library.open(id);
  const memory = modelMemory(source.manifest, request.engine.contextLength);
  if (memory.expertByteLength === 0 || backend.info.kind === 'reference') {
    return { engine: await createEngine({ ...request.engine, backend, source: withReadTimeout(source) }), experts: null, heat };
  }
  const trial = trialByteLength(budget.gpu, memory);
  const proven = trial === null ? null : await backend.proveMemory?.(trial) ?? null;
  let gpu = gpuExpertByteLength(budget.gpu, memory, proven);
  for (let fallbackReason: string | null = null; ;) {
    const ram = ramByteLength(budget.ramByteLength, request.deviceMemory, memory.expertByteLength, gpu);
    const experts: ExpertPlacement = { expertByteLength: memory.expertByteLength, gpuByteLength: gpu, ramByteLength: ram, fallbackReason };
    try {
      return { engine: await openPlaced({ ...request, backend }, source, heat, experts), experts, heat };
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
  { backend, engine: options }: TieredModelRequest, source: ModelSource, heat: ExpertHeat, placement: ExpertPlacement,
): Promise<Engine> {
  const { expertByteLength, gpuByteLength, ramByteLength: ram } = placement;
  const disk = withReadTimeout(source);
  if (gpuByteLength >= expertByteLength) return createEngine({ ...options, backend, source: disk });
  const arena = new RamArena(disk, { byteLength: ram });
  arena.keeps = false;
  const engine = await createEngine({
    ...options, backend, source: arena,
    experts: { size: { byteLength: gpuByteLength }, createPolicy: (shape) => heat.createPolicy(shape) },
  });
  arena.keeps = true;
  arena.prefetch(heat.readAheadOrder().slice(0, arena.slotLimit));
  return engine;
}

function modelMemory(manifest: Manifest, contextLength: number): ModelMemory {
  const { hyperparameters: hp, dense, denseByteLength } = manifest;
  const graph = buildGraph(manifest.architecture, hp, dense.map(({ name }) => name));
  const tokens = Math.min(contextLength, hp.contextLength);
  const kvByteLength = graph.kvLayers.reduce((sum, layer) => sum + 2 * tokens * kvRowByteLength(layer), 0);
  return {
    expertByteLength: allExpertsByteLength(manifest),
    leastExpertByteLength: hp.expertUsedCount * Math.max(0, ...slotByteLengths(manifest)),
    otherByteLength: denseByteLength + kvByteLength,
  };
}

const gigabytes = (byteLength: number): string => `${(byteLength / 1e9).toFixed(2)} GB`;
