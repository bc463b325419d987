/**
 * What a loaded model keeps on the GPU for its experts: all of them, or a pool of slots, and the buffers whose size or
 * meaning depends on that. Replaced as a whole where their memory changes.
 */
import type { LoadOptions, ModelGraph } from '../ops.ts';
import { expertRowByteLength } from '../../storage/manifest.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { alignUp } from '../../quant/packed.ts';
import { BufferSet, GPU_COPY_DST, GPU_COPY_SRC, GPU_MAP_READ, GPU_STORAGE, type OpenedDevice } from './device.ts';
import { coversAll, ExpertPool } from './expert_pool.ts';
import type { BufferView } from './kernel.ts';
import { expertTopK, layerIdsByteLength, scratchByteLengths, type PagingContext } from './program.ts';
import { slabRanges } from './slot_groups.ts';
import { STAMPS_BYTE_LENGTH } from './step_trace.ts';
import { Uploader, type ExpertSlab, type ExpertWeights } from './weights.ts';
import type { ExpertScratch } from './weight_kernels.ts';

/** In ExpertResources.readback. */
export const ROUTED_BYTE_OFFSET = 32;

export interface ExpertResources {
  /** Null where all experts are resident. */
  readonly paging: PagingContext | null;
  /** Null where the model has no experts. */
  readonly scratch: ExpertScratch | null;
  /** What one token was routed to, [expert layers, layerIdsByteLength()]; null where experts are paged or there are none. */
  readonly layerIds: BufferView | null;
  /**
   * ModelResources.result; from ROUTED_BYTE_OFFSET on what was routed; from stampsByteOffset on times. Where experts are
   * paged, the first 16 bytes of the step buffer lie in between, and what was routed is [expert layers, topK]; else it is
   * `layerIds`.
   */
  readonly readback: BufferView;
  readonly stampsByteOffset: number;
  readonly byteLength: number;
  weights(layer: number): ExpertWeights;
  destroy(): void;
}

/**
 * @param options.experts undefined: all stay resident
 * @throws Error with a sentence where the GPU has no room or one expert is larger than a binding; the signal's reason
 */
export async function createExpertResources(
  { device, traits }: OpenedDevice, source: ModelSource, graph: ModelGraph, maxStepTokens: number,
  options: Pick<LoadOptions, 'experts' | 'tracer' | 'onProgress' | 'signal'>,
): Promise<ExpertResources> {
  const { manifest } = source;
  const maxBinding = traits.maxStorageBufferBindingSize;
  const topK = expertTopK(graph);
  const isPaged = options.experts !== undefined && topK > 0 && !coversAll(options.experts, manifest);
  const buffers = new BufferSet(device);
  let pool: ExpertPool | null = null;
  const destroy = (): void => {
    pool?.destroy();
    buffers.destroy();
  };
  try {
    const resident = new Map<number, ExpertWeights>();
    if (isPaged) {
      pool = await ExpertPool.create(device, source, topK, options.experts!, maxBinding, options.tracer ?? null);
      await pool.fill(options);
    } else {
      for (const weights of await uploadResident(device, source, graph, maxBinding, options, buffers)) {
        resident.set(weights.entry.layer, weights);
      }
    }
    const paging = pool && {
      pool, routed: await buffers.make('routed experts', alignUp(manifest.expertLayers.length * topK * 4, 16), GPU_STORAGE | GPU_COPY_SRC),
      kept: await buffers.make('kept stream', alignUp(manifest.hyperparameters.hiddenSize * 4, 16), GPU_STORAGE | GPU_COPY_SRC),
    };
    const sizes = scratchByteLengths(graph, manifest, traits, maxStepTokens, isPaged);
    const scratch = sizes && {
      hidden: await buffers.make('expert hidden', sizes.hidden, GPU_STORAGE),
      down: await buffers.make('expert down', sizes.down, GPU_STORAGE),
      pairs: await buffers.make('expert pairs', sizes.pairs, GPU_STORAGE),
      tiles: await buffers.make('expert tiles', sizes.tiles, GPU_STORAGE),
    };
    const layerIds = isPaged || topK === 0 ? null
      : await buffers.make('routed experts', manifest.expertLayers.length * layerIdsByteLength(topK), GPU_STORAGE | GPU_COPY_SRC);
    const stampsByteOffset = ROUTED_BYTE_OFFSET + ((paging?.routed ?? layerIds)?.byteLength ?? 0);
    const readback = await buffers.make('step readback', stampsByteOffset + STAMPS_BYTE_LENGTH, GPU_MAP_READ | GPU_COPY_DST);
    return {
      paging, scratch, layerIds, readback, stampsByteOffset, destroy,
      byteLength: buffers.byteLength + (pool?.byteLength ?? 0),
      weights(layer) {
        const weights = pool ? pool.weights(pool.layerIndex(layer)) : resident.get(layer);
        if (!weights) throw new Error(`the experts of layer ${layer} were not uploaded`);
        return weights;
      },
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

/** All experts of the layers that the graph uses, in slabs no larger than a binding. */
async function uploadResident(
  device: GPUDevice, source: ModelSource, graph: ModelGraph, maxBinding: number, options: Pick<LoadOptions, 'onProgress' | 'signal'>,
  buffers: BufferSet,
): Promise<ExpertWeights[]> {
  const { manifest } = source;
  const used = new Set(graph.ops.flatMap((op) => (op.kind === 'experts' ? [op.layer] : [])));
  const entries = manifest.expertLayers.filter(({ layer }) => used.has(layer));
  const uploader = new Uploader(
    device, entries.reduce((sum, entry) => sum + expertRowByteLength(entry) * manifest.expertCount, 0), options);
  // One target for all reads: a fresh array for each costs more than the read itself.
  const staging = new Uint8Array(manifest.expertStrideByteLength);
  const all: ExpertWeights[] = [];
  for (const entry of entries) {
    const strideByteLength = alignUp(expertRowByteLength(entry), 16);
    const slabs: ExpertSlab[] = [];
    const ranges = slabRanges(manifest.expertCount, strideByteLength, maxBinding, `layer ${entry.layer}`);
    for (const { first: firstExpert, count: expertCount } of ranges) {
      const view = await buffers.make(`layer ${entry.layer} experts ${firstExpert}+`, expertCount * strideByteLength, GPU_STORAGE | GPU_COPY_DST);
      for (let e = 0; e < expertCount; e++) {
        const row = await source.readExpertRow(entry.layer, firstExpert + e, staging);
        await uploader.write(view.buffer, e * strideByteLength, row.subarray(0, expertRowByteLength(entry)));
      }
      slabs.push({ view, firstExpert, expertCount });
    }
    all.push({ entry, strideByteLength, slabs });
  }
  return all;
}
