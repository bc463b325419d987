/** Kernel calls of the ops that read no quantised weights. Constants and bindings as the shader of that name says. */
import type { Activation, Op } from '../ops.ts';
import type { LoweredOp } from './fusion.ts';
import { STEP_OUTPUT_COUNT, STEP_TOKEN_COUNT, type BufferView, type DeviceTraits, type KernelCall } from './kernel.ts';

type OpOf<K extends Op['kind']> = Extract<Op, { kind: K }>;

export interface OpContext {
  readonly traits: DeviceTraits;
  readonly rowCapacity: number;
  readonly outputCapacity: number;
  readonly step: BufferView;
  /** Bound where a kernel has a binding that this call doesn't use. */
  readonly dummy: BufferView;
  view(activation: Activation): BufferView;
}

/** Threads a workgroup for kernels that work elementwise. */
const ELEMENTWISE_THREADS = 64;

export function countIndex(activation: Activation): number {
  return activation.rows === 'batch' ? STEP_TOKEN_COUNT : STEP_OUTPUT_COUNT;
}

export function capacityOf(context: OpContext, activation: Activation): number {
  return activation.rows === 'batch' ? context.rowCapacity : context.outputCapacity;
}

/** A power of two of threads near `wanted`; software adapters pay for barriers, so they get few. */
function cooperating(traits: DeviceTraits, wanted: number): number {
  const limit = traits.cpuAdapter ? 1 : Math.min(wanted, traits.maxComputeInvocationsPerWorkgroup);
  return 2 ** Math.floor(Math.log2(Math.max(1, limit)));
}

export function rmsNormCall(op: OpOf<'rms_norm'>, weight: BufferView, context: OpContext): KernelCall {
  const inPlace = op.x.id === op.out.id;
  const runs = op.x.cols / op.groupElems;
  return {
    label: `rms_norm ${op.weight}`, shader: { root: 'rms_norm' },
    constants: {
      GROUP: op.groupElems, RUNS: runs, EPS: op.eps, COUNT_INDEX: countIndex(op.x), IN_PLACE: inPlace ? 1 : 0,
      WG: cooperating(context.traits, op.groupElems <= 64 ? 32 : op.groupElems <= 256 ? 64 : 256),
    },
    bindings: [context.step, weight, inPlace ? context.dummy : context.view(op.x), context.view(op.out)],
    workgroups: [runs, capacityOf(context, op.x), 1],
  };
}

export function ropeCall(op: OpOf<'rope'>, table: BufferView, context: OpContext): KernelCall {
  const heads = op.x.cols / op.headDim;
  const half = op.invFreq.length;
  return {
    label: `rope ${op.x.label}`, shader: { root: 'rope' },
    constants: { HEADS: heads, HEAD_DIM: op.headDim, HALF: half, INTERLEAVED: op.style === 'interleaved' ? 1 : 0, WG: ELEMENTWISE_THREADS },
    bindings: [context.step, table, context.view(op.x)],
    workgroups: [Math.ceil(heads * half / ELEMENTWISE_THREADS), context.rowCapacity, 1],
  };
}

/** Keys a tile of the attention loop. */
const ATTENTION_TILE = 64;

interface LayerCache {
  readonly k: BufferView;
  readonly v: BufferView;
}

export function kvWriteCall(op: OpOf<'attention'>, cache: LayerCache, context: OpContext): KernelCall {
  const pairs = op.kvHeadCount * op.headDim / 2;
  return {
    label: `kv_write ${op.layer}`, shader: { root: 'kv_write' },
    constants: { PAIRS: pairs, WG: ELEMENTWISE_THREADS },
    bindings: [context.step, context.view(op.k), context.view(op.v), cache.k, cache.v],
    workgroups: [Math.ceil(pairs / ELEMENTWISE_THREADS), context.rowCapacity, 1],
  };
}

/** Attention over the cache, which holds the step's own keys and values already. */
export function attentionCall(op: OpOf<'attention'>, cache: LayerCache, context: OpContext): KernelCall {
  const headPairs = op.headDim / 2;
  const threads = cooperating(context.traits, 256);
  return {
    label: `attention ${op.layer}`, shader: { root: 'attention' },
    constants: {
      HEADS: op.headCount, KV_HEADS: op.kvHeadCount, HEAD_PAIRS: headPairs, SCALE: op.scale, WINDOW: op.window ?? 0,
      TILE: ATTENTION_TILE, SLICES: Math.max(1, Math.floor(threads / headPairs)), WG: threads,
    },
    bindings: [context.step, context.view(op.q), cache.k, cache.v, context.view(op.out)],
    workgroups: [op.headCount, context.rowCapacity, 1],
  };
}

export interface QkvFinishViews {
  /** q, k and v of one token side by side. */
  readonly qkv: BufferView;
  readonly cache: LayerCache;
  readonly ropeTable: BufferView;
  readonly qNorm: BufferView | null;
  readonly kNorm: BufferView | null;
}

/** Norms of q and k, RoPE and cache write of one token; q goes to the attention op's q. */
export function qkvFinishCall(
  block: Extract<LoweredOp, { kind: 'attention_block' }>, views: QkvFinishViews, context: OpContext,
): KernelCall {
  const { attention: op, rope, qNorm } = block;
  const normMode = qNorm === null ? 0 : qNorm.groupElems === op.headDim ? 1 : 2;
  return {
    label: `qkv_finish ${op.layer}`, shader: { root: 'qkv_finish' },
    constants: {
      HEADS: op.headCount, KV_HEADS: op.kvHeadCount, HEAD_DIM: op.headDim, HALF: rope.invFreq.length,
      INTERLEAVED: rope.style === 'interleaved' ? 1 : 0, NORM: normMode, EPS: qNorm?.eps ?? 0,
      WG: cooperating(context.traits, normMode === 2 ? 128 : 64),
    },
    bindings: [
      context.step, views.qkv, views.qNorm ?? context.dummy, views.kNorm ?? context.dummy, views.ropeTable,
      context.view(op.q), views.cache.k, views.cache.v,
    ],
    workgroups: [op.headCount + 2 * op.kvHeadCount, 1, 1],
  };
}

/** What a router of a one-token step needs to find slots in the place of experts. */
export interface PagedRouting {
  readonly layerIndex: number;
  /** [layers, experts] u32 */
  readonly table: BufferView;
  /** [layers, topK] u32 */
  readonly routed: BufferView;
  /** What the layer's experts add to, [cols] f32, and where the first layer that lacks an expert keeps it. */
  readonly stream: BufferView;
  readonly streamCols: number;
  readonly kept: BufferView;
}

export function routerCall(op: OpOf<'router'>, paged: PagedRouting | null, context: OpContext): KernelCall {
  return {
    label: `router ${op.layer ?? ''}`, shader: { root: 'router_topk', ...(paged ? { paged: true } : {}) },
    constants: {
      ...(paged ? { LAYER_INDEX: paged.layerIndex, STREAM_COLS: paged.streamCols } : {}),
      EXPERTS: op.expertCount, TOP_K: op.topK, NORMALIZE: op.normalize ? 1 : 0, SCALE: op.scale,
      WG: cooperating(context.traits, op.expertCount <= 64 ? 64 : 128),
    },
    bindings: [
      context.step, context.view(op.logits), context.view(op.ids), context.view(op.weights),
      ...(paged ? [paged.table, paged.routed, paged.stream, paged.kept] : []),
    ],
    workgroups: [context.rowCapacity, 1, 1],
  };
}

export function gatedCall(op: OpOf<'gated'>, context: OpContext): KernelCall {
  if (op.up.id === op.out.id) throw new Error('gated: writing over `up` is not implemented on WebGPU');
  const inPlace = op.gate.id === op.out.id;
  return {
    label: `gated ${op.out.label}`, shader: { root: 'gated' },
    constants: { COLS: op.out.cols, COUNT_INDEX: countIndex(op.out), IN_PLACE: inPlace ? 1 : 0, WG: ELEMENTWISE_THREADS },
    bindings: [context.step, inPlace ? context.dummy : context.view(op.gate), context.view(op.up), context.view(op.out)],
    workgroups: [Math.ceil(op.out.cols / ELEMENTWISE_THREADS), capacityOf(context, op.out), 1],
  };
}

export function sigmoidScaleCall(op: OpOf<'sigmoid_scale'>, context: OpContext): KernelCall {
  if (op.residual.id !== op.out.id) throw new Error('sigmoid_scale: only adding in place is implemented on WebGPU');
  return {
    label: `sigmoid_scale ${op.out.label}`, shader: { root: 'sigmoid_scale' },
    constants: { COLS: op.out.cols, SCALE: op.scale, WG: ELEMENTWISE_THREADS },
    bindings: [context.step, context.view(op.x), context.view(op.gate), context.view(op.out)],
    workgroups: [Math.ceil(op.out.cols / ELEMENTWISE_THREADS), context.rowCapacity, 1],
  };
}

export function selectOutputsCall(op: OpOf<'select_outputs'>, outputRows: BufferView, context: OpContext): KernelCall {
  return {
    label: 'select_outputs', shader: { root: 'select_outputs' },
    constants: { COLS: op.x.cols, WG: ELEMENTWISE_THREADS },
    bindings: [context.step, outputRows, context.view(op.x), context.view(op.out)],
    workgroups: [Math.ceil(op.x.cols / ELEMENTWISE_THREADS), context.outputCapacity, 1],
  };
}

/** Threads of the kernels that one workgroup runs over a whole row of logits. */
function rowThreads({ cpuAdapter, maxComputeInvocationsPerWorkgroup }: DeviceTraits): number {
  return cpuAdapter ? 16 : Math.min(256, maxComputeInvocationsPerWorkgroup);
}

/** The likeliest token's probability, before penalties and temperature: result[1]. */
export function confidenceCall(vocabSize: number, logits: BufferView, result: BufferView, context: OpContext): KernelCall {
  return {
    label: 'confidence', shader: { root: 'confidence' }, constants: { VOCAB: vocabSize, WG: rowThreads(context.traits) },
    bindings: [context.step, logits, result], workgroups: [1, 1, 1],
  };
}

export function sampleCall(
  vocabSize: number, params: BufferView, logits: BufferView, result: BufferView, context: OpContext,
): KernelCall {
  return {
    label: 'sample', shader: { root: 'sample' },
    constants: { VOCAB: vocabSize, WG: rowThreads(context.traits) },
    bindings: [params, context.step, logits, result],
    workgroups: [1, 1, 1],
  };
}
