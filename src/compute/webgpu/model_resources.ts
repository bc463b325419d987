/** Everything that a loaded model keeps on the GPU besides its sequences, and its programs compiled for a sequence. */
import type { LoadOptions, ModelGraph } from '../ops.ts';
import { allExpertsByteLength, poolByteLength } from '../pool_size.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { createActivations, type Activations } from './activations.ts';
import { checked, GPU_COPY_SRC, GPU_STORAGE, type OpenedDevice } from './device.ts';
import { createExpertResources, type ExpertResources } from './expert_resources.ts';
import { projectionGroups } from './fusion.ts';
import type { BufferView } from './kernel.ts';
import { maxContextLength, ropeTable, type KvCache } from './kv_cache.ts';
import type { PipelineCache, PreparedCall } from './pipeline_cache.ts';
import { compileProgram, maxRowCapacity, type ExpertSection, type ProgramContext } from './program.ts';
import { createStepBuffer, type StepBuffer } from './step_buffer.ts';
import { uploadWeights } from './weights.ts';

/** Rows of logits that one submit makes; more are made in several submits over the same hidden states. Sampling takes one. */
export const OUTPUT_CAPACITY = 1;
/** Row capacity between one token and a whole chunk, so that short prompts don't pay for a chunk's launches. */
const SHORT_PROMPT_TOKENS = 16;

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
  /** Of the present memory for experts. */
  readonly experts: ExpertResources;
  readonly byteLength: number;
  /** Compiles the graph for this many rows over this KV cache; pipelines that are there already are reused. */
  prepare(cache: KvCache, rowCapacity: number, options?: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<PreparedProgram>;
  /**
   * Gives experts other memory. Programs that were prepared before are void, and so is the memory that they had.
   * @throws what createExpertResources throws; experts have the memory that they had then, if that can be had again
   */
  replaceExperts(options: LoadOptions['experts'], load: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void>;
  destroy(): void;
}

/** @throws Error with a sentence where the GPU has no room; the signal's reason. */
export async function createModelResources(
  opened: OpenedDevice, pipelines: PipelineCache, source: ModelSource, graph: ModelGraph, options: LoadOptions,
): Promise<ModelResources> {
  const { device, traits } = opened;
  const { manifest } = source;
  const maxBinding = traits.maxStorageBufferBindingSize;
  const contextLength = Math.min(options.contextLength, maxContextLength(graph, maxBinding));
  // As if experts were paged, which they may be later: that takes a little more scratch.
  const maxStepTokens = Math.min(contextLength, maxRowCapacity(graph, manifest, traits, true));
  // Fused kernels trade launches for barriers, which is a loss on a software adapter.
  const stacks = traits.cpuAdapter ? [] : projectionGroups(graph);
  const progress = loadProgress(source, options);
  const weights = await uploadWeights(device, source, graph, stacks, maxBinding, { ...options, onProgress: progress.ofDense });
  const activations = createActivations(device, graph, maxStepTokens, OUTPUT_CAPACITY);
  const step = createStepBuffer(device, maxStepTokens, OUTPUT_CAPACITY, graph.vocabSize);
  const owned: BufferView[] = [];
  let experts: ExpertResources | null = null;
  const destroy = (): void => {
    experts?.destroy();
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
    let present = options.experts;
    experts = await createExpertResources(opened, source, graph, maxStepTokens, { ...options, onProgress: progress.ofExperts });
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
    const shared: Omit<ProgramContext, 'cache' | 'rowCapacity' | 'paging' | 'scratch' | 'layerIds' | 'experts'> = {
      graph, traits, weights, step, dummy, qkv, result, outputCapacity: OUTPUT_CAPACITY,
      view: (activation) => activations.view(activation),
      ropeTable: (op) => ropeTables.get(ropeKey(op))!,
      layerIndex: (layer) => manifest.expertLayers.findIndex((entry) => entry.layer === layer),
    };
    const fixedByteLength = weights.byteLength + activations.byteLength + owned.reduce((sum, view) => sum + view.byteLength, 0);
    return {
      contextLength, maxStepTokens, activations, step, result, destroy,
      get experts() { return experts!; },
      capacities: [...new Set([1, Math.min(SHORT_PROMPT_TOKENS, maxStepTokens), maxStepTokens])],
      get byteLength() { return fixedByteLength + experts!.byteLength; },
      async prepare(cache, rowCapacity, { onProgress, signal } = {}) {
        const { trunk, sections, head, confidence, sample } = compileProgram({
          ...shared, cache, rowCapacity, paging: experts!.paging, scratch: experts!.scratch, layerIds: experts!.layerIds,
          experts: (layer) => experts!.weights(layer),
        });
        const report = (done: number, total: number): void => onProgress?.({ stage: 'compile shaders', done, total, unit: 'kernels' });
        const prepared = await pipelines.prepare([...trunk, ...head, ...confidence, ...sample], report, signal);
        const [confidenceAt, sampleAt] = [trunk.length + head.length, trunk.length + head.length + confidence.length];
        return {
          rowCapacity, sections, trunk: prepared.slice(0, trunk.length), head: prepared.slice(trunk.length, confidenceAt),
          confidence: prepared.slice(confidenceAt, sampleAt), sample: prepared.slice(sampleAt),
        };
      },
      async replaceExperts(wanted, load) {
        const create = (of: LoadOptions['experts']): Promise<ExpertResources> =>
          createExpertResources(opened, source, graph, maxStepTokens, { ...load, experts: of, tracer: options.tracer });
        // The old memory goes first: both may not fit.
        experts!.destroy();
        try {
          experts = await create(wanted);
          present = wanted;
        } catch (error) {
          experts = await create(present);
          throw error;
        }
      },
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

/** One progress for both parts of the weights. */
function loadProgress(
  { manifest }: ModelSource, { onProgress, experts }: LoadOptions,
): { readonly ofDense: LoadOptions['onProgress']; readonly ofExperts: LoadOptions['onProgress'] } {
  if (!onProgress) return { ofDense: undefined, ofExperts: undefined };
  const all = allExpertsByteLength(manifest);
  const expertByteLength = experts ? Math.min(all, poolByteLength(experts, manifest)) : all;
  let denseByteLength = 0;
  return {
    ofDense: (progress) => {
      denseByteLength = progress.total;
      onProgress({ ...progress, total: progress.total + expertByteLength });
    },
    ofExperts: (progress) =>
      onProgress({ ...progress, done: denseByteLength + progress.done, total: denseByteLength + progress.total }),
  };
}
