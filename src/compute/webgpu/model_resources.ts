/** Everything that a loaded model keeps on the GPU besides its sequences, and its programs compiled for a sequence. */
import type { LoadOptions, ModelGraph } from '../ops.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { alignUp } from '../../quant/packed.ts';
import { coversAll, ExpertPool } from './expert_pool.ts';
import { createActivations, type Activations } from './activations.ts';
import { checked, GPU_COPY_DST, GPU_COPY_SRC, GPU_MAP_READ, GPU_STORAGE, type OpenedDevice } from './device.ts';
import { projectionGroups } from './fusion.ts';
import type { BufferView } from './kernel.ts';
import { maxContextLength, ropeTable, type KvCache } from './kv_cache.ts';
import type { PipelineCache, PreparedCall } from './pipeline_cache.ts';
import { compileProgram, expertTopK, layerIdsByteLength, maxRowCapacity, scratchByteLengths, type ExpertSection, type PagingContext, type ProgramContext } from './program.ts';
import { createStepBuffer, type StepBuffer } from './step_buffer.ts';
import { STAMPS_BYTE_LENGTH } from './step_trace.ts';
import { uploadWeights } from './weights.ts';

/** Rows of logits that one submit makes; more are made in several submits over the same hidden states. Sampling takes one. */
export const OUTPUT_CAPACITY = 1;
/** Row capacity between one token and a whole chunk, so that short prompts don't pay for a chunk's launches. */
const SHORT_PROMPT_TOKENS = 16;

/** In ModelResources.readback. */
export const ROUTED_BYTE_OFFSET = 32;

export interface PreparedProgram {
  readonly rowCapacity: number;
  readonly trunk: readonly PreparedCall[];
  readonly sections: readonly ExpertSection[];
  readonly head: readonly PreparedCall[];
  readonly confidence: readonly PreparedCall[];
  readonly sample: readonly PreparedCall[];
}

export interface ModelResources {
  readonly contextLength: number;
  readonly maxStepTokens: number;
  /** Rows that programs are compiled for, rising. */
  readonly capacities: readonly number[];
  readonly activations: Activations;
  readonly step: StepBuffer;
  /** [0] the sampled token, [1] the likeliest token's probability (f32 bits) where there is a precision gate. */
  readonly result: BufferView;
  /**
   * `result`; from ROUTED_BYTE_OFFSET on what was routed; from stampsByteOffset on times. Where experts are paged, the
   * first 16 bytes of the step buffer lie in between, and what was routed is [expert layers, topK]; else it is `layerIds`.
   */
  readonly readback: BufferView;
  /** What one token was routed to, [expert layers, layerIdsByteLength()]; null where experts are paged or there are none. */
  readonly layerIds: BufferView | null;
  readonly stampsByteOffset: number;
  readonly paging: PagingContext | null;
  readonly byteLength: number;
  /** Compiles the graph for this many rows over this KV cache; pipelines that are there already are reused. */
  prepare(cache: KvCache, rowCapacity: number, options?: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<PreparedProgram>;
  destroy(): void;
}

/** @throws Error with a sentence where the GPU has no room; the signal's reason. */
export async function createModelResources(
  { device, traits }: OpenedDevice, pipelines: PipelineCache, source: ModelSource, graph: ModelGraph, options: LoadOptions,
): Promise<ModelResources> {
  const { manifest } = source;
  const maxBinding = traits.maxStorageBufferBindingSize;
  const contextLength = Math.min(options.contextLength, maxContextLength(graph, maxBinding));
  const topK = expertTopK(graph);
  const isPaged = options.experts !== undefined && topK > 0 && !coversAll(options.experts, manifest);
  const maxStepTokens = Math.min(contextLength, maxRowCapacity(graph, manifest, traits, isPaged));
  // Fused kernels trade launches for barriers, which is a loss on a software adapter.
  const stacks = traits.cpuAdapter ? [] : projectionGroups(graph);
  const weights = await uploadWeights(device, source, graph, stacks, maxBinding, options, !isPaged);
  const activations = createActivations(device, graph, maxStepTokens, OUTPUT_CAPACITY);
  const step = createStepBuffer(device, maxStepTokens, OUTPUT_CAPACITY, graph.vocabSize);
  const owned: BufferView[] = [];
  let pool: ExpertPool | null = null;
  const destroy = (): void => {
    pool?.destroy();
    weights.destroy();
    activations.destroy();
    step.destroy();
    for (const view of owned) view.buffer.destroy();
  };
  const make = async (label: string, byteLength: number, usage: number): Promise<BufferView> => {
    const buffer = await checked(device, label, () => device.createBuffer({ label, size: byteLength, usage }));
    owned.push({ buffer, byteOffset: 0, byteLength });
    return owned.at(-1)!;
  };
  try {
    const dummy = await make('unused binding', 256, GPU_STORAGE);
    const result = await make('sampled token', 16, GPU_STORAGE | GPU_COPY_SRC);
    if (isPaged) {
      pool = await ExpertPool.create(device, source, topK, options.experts!, maxBinding, options.tracer ?? null);
      await pool.fill(options);
    }
    const paging = pool && {
      pool, routed: await make('routed experts', alignUp(manifest.expertLayers.length * topK * 4, 16), GPU_STORAGE | GPU_COPY_SRC),
      kept: await make('kept stream', alignUp(manifest.hyperparameters.hiddenSize * 4, 16), GPU_STORAGE | GPU_COPY_SRC),
    };
    const sizes = scratchByteLengths(graph, manifest, traits, maxStepTokens, isPaged);
    const scratch = sizes && {
      hidden: await make('expert hidden', sizes.hidden, GPU_STORAGE),
      down: await make('expert down', sizes.down, GPU_STORAGE),
      pairs: await make('expert pairs', sizes.pairs, GPU_STORAGE),
      tiles: await make('expert tiles', sizes.tiles, GPU_STORAGE),
    };
    const layerIds = isPaged || topK === 0 ? null
      : await make('routed experts', manifest.expertLayers.length * layerIdsByteLength(topK), GPU_STORAGE | GPU_COPY_SRC);
    const stampsByteOffset = ROUTED_BYTE_OFFSET + ((paging?.routed ?? layerIds)?.byteLength ?? 0);
    const readback = await make('step readback', stampsByteOffset + STAMPS_BYTE_LENGTH, GPU_MAP_READ | GPU_COPY_DST);
    const qkvCols = Math.max(0, ...graph.ops.map((op) => op.kind === 'attention' ? op.q.cols + op.k.cols + op.v.cols : 0));
    const qkv = traits.cpuAdapter || qkvCols === 0 ? null : await make('q, k, v', qkvCols * 4, GPU_STORAGE);
    const ropeKey = (op: { readonly scale: number; readonly invFreq: Float32Array }): string => `${op.scale} ${op.invFreq.join(' ')}`;
    const ropeTables = new Map<string, BufferView>();
    for (const op of graph.ops) {
      if (op.kind !== 'rope' || ropeTables.has(ropeKey(op))) continue;
      const table = ropeTable(device, contextLength, op.invFreq, op.scale);
      owned.push(table);
      ropeTables.set(ropeKey(op), table);
    }
    const shared: Omit<ProgramContext, 'cache' | 'rowCapacity'> = {
      graph, traits, weights, step, dummy, scratch, qkv, result, paging, layerIds, outputCapacity: OUTPUT_CAPACITY,
      view: (activation) => activations.view(activation),
      ropeTable: (op) => ropeTables.get(ropeKey(op))!,
      layerIndex: (layer) => manifest.expertLayers.findIndex((entry) => entry.layer === layer),
    };
    return {
      contextLength, maxStepTokens, activations, step, result, readback, layerIds, stampsByteOffset, paging, destroy,
      capacities: [...new Set([1, Math.min(SHORT_PROMPT_TOKENS, maxStepTokens), maxStepTokens])],
      byteLength: weights.byteLength + (pool?.byteLength ?? 0) + activations.byteLength + owned.reduce((sum, view) => sum + view.byteLength, 0),
      async prepare(cache, rowCapacity, { onProgress, signal } = {}) {
        const { trunk, sections, head, confidence, sample } = compileProgram({ ...shared, cache, rowCapacity });
        const report = (done: number, total: number): void => onProgress?.({ stage: 'compile shaders', done, total, unit: 'kernels' });
        const prepared = await pipelines.prepare([...trunk, ...head, ...confidence, ...sample], report, signal);
        const [confidenceAt, sampleAt] = [trunk.length + head.length, trunk.length + head.length + confidence.length];
        return {
          rowCapacity, sections, trunk: prepared.slice(0, trunk.length), head: prepared.slice(trunk.length, confidenceAt),
          confidence: prepared.slice(confidenceAt, sampleAt), sample: prepared.slice(sampleAt),
        };
      },
    };
  } catch (error) {
    destroy();
    throw error;
  }
}
