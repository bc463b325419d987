/** Compiles a graph for one row capacity into kernel calls: the trunk (all rows), the head (output rows), sampling. */
import type { Activation, ModelGraph, Op } from '../ops.ts';
import type { Manifest } from '../../storage/model_source.ts';
import { alignUp } from '../../quant/packed.ts';
import type { ExpertPool } from './expert_pool.ts';
import { fuse, type FusedNorm, type LoweredOp } from './fusion.ts';
import type { BufferView, DeviceTraits, KernelCall } from './kernel.ts';
import type { KvCache } from './kv_cache.ts';
import {
  attentionCall, capacityOf, confidenceCall, countIndex, gatedCall, kvWriteCall, qkvFinishCall, rmsNormCall, ropeCall, routerCall,
  sampleCall, selectOutputsCall, sigmoidScaleCall, type OpContext, type PagedRouting,
} from './op_kernels.ts';
import type { StepBuffer } from './step_buffer.ts';
import {
  embedCalls, expertCalls, expertScratchByteLengths, linearCalls, type ExpertScratch, type InputNorm,
} from './weight_kernels.ts';
import type { ExpertWeights, GpuWeights } from './weights.ts';

type RopeOp = Extract<Op, { kind: 'rope' }>;
type LinearOp = Extract<Op, { kind: 'linear' }>;
type ExpertsOp = Extract<Op, { kind: 'experts' }>;
type AttentionBlock = Extract<LoweredOp, { kind: 'attention_block' }>;

export interface ProgramContext {
  readonly graph: ModelGraph;
  readonly traits: DeviceTraits;
  readonly weights: GpuWeights;
  readonly step: StepBuffer;
  readonly dummy: BufferView;
  readonly scratch: ExpertScratch | null;
  /** One row of q, k and v side by side, for fused decode; null where ops are not fused. */
  readonly qkv: BufferView | null;
  readonly result: BufferView;
  /** Experts in fewer slots than there are; null where all are resident. */
  readonly paging: PagingContext | null;
  /** [expert layers, layerIdsByteLength()]: the routers' choices of one token; null where experts are paged or there are none. */
  readonly layerIds: BufferView | null;
  readonly cache: KvCache;
  readonly rowCapacity: number;
  readonly outputCapacity: number;
  view(activation: Activation): BufferView;
  /** Where a layer's experts are. */
  experts(layer: number): ExpertWeights;
  ropeTable(op: RopeOp): BufferView;
  /** Place of a layer among those with experts. */
  layerIndex(layer: number): number;
}

export interface PagingContext {
  readonly pool: ExpertPool;
  /** [expert layers, topK] u32: what a one-token step was routed to. */
  readonly routed: BufferView;
  /** One row of the residual stream: the input of the first layer of a one-token step that lacks an expert. */
  readonly kept: BufferView;
}

/** Where the experts of one layer stand among the calls of a trunk. */
export interface ExpertSection {
  readonly layerIndex: number;
  /** The router's choice, [rows, topK]: experts, or slots where a one-token step is paged. */
  readonly ids: Activation;
  /** Where a step of one token resumes: the first call that reads `stream` as this layer's router and experts see it. */
  readonly resume: number;
  /** What the experts add to. */
  readonly stream: Activation;
  /** Calls from here on need the layer's experts. */
  readonly begin: number;
  /** The call that sums the experts of each row; what lies between begin and here may be repeated for some of them. */
  readonly combine: number;
}

export interface Program {
  readonly trunk: readonly KernelCall[];
  /** In order. */
  readonly sections: readonly ExpertSection[];
  readonly head: readonly KernelCall[];
  /** How sure the model is of the last output row; empty where nobody asks. */
  readonly confidence: readonly KernelCall[];
  readonly sample: readonly KernelCall[];
}

/** Prompt tokens a step: enough rows to fill a GPU; a software adapter answers `stop` between smaller chunks. */
const STEP_TOKENS = 512;
const STEP_TOKENS_CPU = 16;

function expertsOps(graph: ModelGraph): ExpertsOp[] {
  return graph.ops.filter((op): op is ExpertsOp => op.kind === 'experts');
}

/** Experts that each token uses; 0 for a model without experts. @throws Error where layers differ */
export function expertTopK(graph: ModelGraph): number {
  const counts = new Set(expertsOps(graph).map((op) => op.ids.cols));
  if (counts.size > 1) throw new Error('layers that use different numbers of experts are not supported');
  return [...counts][0] ?? 0;
}

function scratchFor(op: ExpertsOp, manifest: Manifest, traits: DeviceTraits, rowCapacity: number, paged: boolean): Record<keyof ExpertScratch, number> {
  const shapes = manifest.expertLayers.find((entry) => entry.layer === op.layer);
  if (!shapes) throw new Error(`layer ${op.layer} has no experts in the model`);
  return expertScratchByteLengths(shapes, rowCapacity, op.ids.cols, manifest.expertCount, traits, paged);
}

/** Bytes of a layer's row in ProgramContext.layerIds: bindings start on multiples of 256. */
export function layerIdsByteLength(topK: number): number {
  return alignUp(topK * 4, 256);
}

/** Most rows of a step such that every activation and scratch view fits a binding. */
export function maxRowCapacity(graph: ModelGraph, manifest: Manifest, traits: DeviceTraits, paged: boolean): number {
  const limit = traits.maxStorageBufferBindingSize;
  let rows = traits.cpuAdapter ? STEP_TOKENS_CPU : STEP_TOKENS;
  const fits = (): boolean => graph.activations.every((a) => a.rows !== 'batch' || rows * a.cols * 4 <= limit)
    && expertsOps(graph).every((op) => Object.values(scratchFor(op, manifest, traits, rows, paged)).every((b) => b <= limit));
  while (rows > 1 && !fits()) rows = Math.floor(rows / 2);
  return rows;
}

/** Bytes of the scratch views that all layers' experts share; null where the model has no experts. */
export function scratchByteLengths(
  graph: ModelGraph, manifest: Manifest, traits: DeviceTraits, rowCapacity: number, paged: boolean,
): Record<keyof ExpertScratch, number> | null {
  const needs = expertsOps(graph).map((op) => scratchFor(op, manifest, traits, rowCapacity, paged));
  if (needs.length === 0) return null;
  const most = (name: keyof ExpertScratch): number => Math.max(...needs.map((need) => need[name]));
  return { hidden: most('hidden'), down: most('down'), pairs: most('pairs'), tiles: most('tiles') };
}

export function compileProgram(context: ProgramContext): Program {
  const trunk: KernelCall[] = [];
  const head: KernelCall[] = [];
  const sections: ExpertSection[] = [];
  /** Trunk length behind the last call that wrote an activation. */
  const writtenAt = new Map<number, number>();
  const fused = context.rowCapacity === 1 && context.qkv !== null;
  const lowered: readonly LoweredOp[] = fused ? fuse(context.graph) : context.graph.ops.map((op) => ({ kind: 'plain', op }));
  for (const op of lowered) {
    const onOutputs = op.kind !== 'attention_block' && 'out' in op.op && op.op.out.rows === 'output';
    const calls = loweredCalls(op, op.kind === 'attention_block' ? context : withLayerIds(op.op, context));
    const experts = expertsOf(op);
    if (experts) {
      const layerIndex = context.layerIndex(experts.layer);
      const stream = streamOf(experts);
      sections.push({
        layerIndex, ids: experts.ids, stream, resume: writtenAt.get(stream.id) ?? 0,
        begin: trunk.length, combine: trunk.length + calls.length - 1,
      });
    }
    (onOutputs ? head : trunk).push(...calls);
    if (op.kind !== 'attention_block' && 'out' in op.op) writtenAt.set(op.op.out.id, trunk.length);
  }
  const logits = context.view(context.graph.logits);
  const { graph: { vocabSize }, result, paging } = context;
  const gate = paging?.pool.tier?.gate ?? null;
  const gated = context.rowCapacity === 1 && gate !== null;
  const confidence = gated ? [confidenceCall(vocabSize, logits, result, opContext(context))] : [];
  const sample = [sampleCall(vocabSize, context.step.sampling, logits, result, opContext(context))];
  return { trunk, sections, head, confidence, sample };
}

function expertsOf(lowered: LoweredOp): ExpertsOp | null {
  return lowered.kind !== 'attention_block' && lowered.op.kind === 'experts' ? lowered.op : null;
}

/** The residual stream that experts add to in place. */
function streamOf(op: ExpertsOp): Activation {
  if (op.residual?.id !== op.out.id) throw new Error('experts that don\'t add to a residual in place are not implemented on WebGPU');
  return op.out;
}

/**
 * One token's choice of experts stands in a row of the layer's own, so that a recorder reads those of all layers by one
 * copy at the step's end: copying one activation after each router would end a pass in each layer.
 */
function withLayerIds(op: Op, context: ProgramContext): ProgramContext {
  const { layerIds, rowCapacity } = context;
  if (!layerIds || rowCapacity > 1 || (op.kind !== 'router' && op.kind !== 'experts')) return context;
  if (op.layer === null) throw new Error('a router that belongs to no layer');
  const byteLength = layerIdsByteLength(op.ids.cols);
  const own: BufferView = { buffer: layerIds.buffer, byteOffset: context.layerIndex(op.layer) * byteLength, byteLength };
  return { ...context, view: (activation) => (activation.id === op.ids.id ? own : context.view(activation)) };
}

function opContext(context: ProgramContext): OpContext {
  const { traits, rowCapacity, outputCapacity, dummy, step } = context;
  return { traits, rowCapacity, outputCapacity, dummy, step: step.step, view: (activation) => context.view(activation) };
}

function loweredCalls(lowered: LoweredOp, context: ProgramContext): KernelCall[] {
  switch (lowered.kind) {
    case 'plain': return callsOf(lowered.op, context);
    case 'linear': return linearOpCalls(lowered.op, lowered.norm, context);
    case 'experts': return expertsOpCalls(lowered.op, lowered.norm, context);
    case 'attention_block': return attentionBlockCalls(lowered, context);
  }
}

/** Only a step of one token looks slots up itself: a batch may need more experts than there are slots. */
function pagedRouting(op: Extract<Op, { kind: 'router' }>, { paging, rowCapacity, graph, view }: ProgramContext): PagedRouting | null {
  if (!paging || rowCapacity > 1) return null;
  const experts = expertsOps(graph).find((candidate) => candidate.ids.id === op.ids.id && candidate.layer === op.layer);
  if (!experts) throw new Error(`the router of layer ${op.layer} chooses for no experts`);
  const stream = streamOf(experts);
  return {
    layerIndex: paging.pool.layerIndex(experts.layer), table: paging.pool.table, routed: paging.routed,
    stream: view(stream), streamCols: stream.cols, kept: paging.kept,
  };
}

function inputNorm(norm: FusedNorm | null, context: ProgramContext): InputNorm | null {
  return norm && { weight: context.weights.vector(norm.weight), eps: norm.eps };
}

function linearOpCalls(op: LinearOp, norm: FusedNorm | null, context: ProgramContext): KernelCall[] {
  const ops = opContext(context);
  return linearCalls({
    label: op.weight, traits: context.traits, rowCapacity: capacityOf(ops, op.out), countIndex: countIndex(op.out),
    step: context.step.step, dummy: context.dummy,
    weight: context.weights.dense(op.weight), x: context.view(norm ? norm.x : op.x), norm: inputNorm(norm, context),
    out: context.view(op.out), outCols: op.out.cols, bias: op.bias === null ? null : context.weights.vector(op.bias),
    residual: op.residual === null ? null : context.view(op.residual), scale: op.scale, clip: op.clip,
  });
}

function expertsOpCalls(op: ExpertsOp, norm: FusedNorm | null, context: ProgramContext): KernelCall[] {
  const { pool } = context.paging ?? {};
  const experts = context.experts(op.layer);
  if (!context.scratch) throw new Error('an experts op without scratch buffers');
  return expertCalls({
    label: `layer ${op.layer} experts`, traits: context.traits, rowCapacity: context.rowCapacity, countIndex: countIndex(op.out),
    step: context.step.step, dummy: context.dummy,
    shapes: experts.entry, slabs: experts.slabs, strideByteLength: experts.strideByteLength,
    expertCount: pool?.shape.expertCount ?? experts.slabs.reduce((sum, slab) => sum + slab.expertCount, 0), topK: op.ids.cols,
    wave: pool && context.rowCapacity > 1 ? pool.waveTable : null,
    x: context.view(norm ? norm.x : op.x), norm: inputNorm(norm, context),
    ids: context.view(op.ids), weights: context.view(op.weights), out: context.view(op.out),
    residual: op.residual === null ? null : context.view(op.residual), scale: op.scale, scratch: context.scratch,
  });
}

function attentionBlockCalls(block: AttentionBlock, context: ProgramContext): KernelCall[] {
  const { weights } = context;
  const qkv = context.qkv!;
  const [q] = block.projections;
  const names = block.projections.map((p) => p.weight);
  const cols = block.projections.reduce((sum, p) => sum + p.out.cols, 0);
  const cache = context.cache.layer(block.attention.layer);
  const ops = opContext(context);
  return [
    ...linearCalls({
      label: `layer ${block.attention.layer} qkv`, traits: context.traits, rowCapacity: 1, countIndex: countIndex(q.out),
      step: context.step.step, dummy: context.dummy,
      weight: weights.stacked(names), x: context.view(block.norm ? block.norm.x : q.x), norm: inputNorm(block.norm, context),
      out: qkv, outCols: cols, bias: weights.stackedBias(names, block.projections.map((p) => p.bias)),
      residual: null, scale: q.scale, clip: q.clip,
    }),
    qkvFinishCall(block, {
      qkv, cache, ropeTable: context.ropeTable(block.rope),
      qNorm: block.qNorm && weights.vector(block.qNorm.weight), kNorm: block.kNorm && weights.vector(block.kNorm.weight),
    }, ops),
    attentionCall(block.attention, cache, ops),
  ];
}

function callsOf(op: Op, context: ProgramContext): KernelCall[] {
  const { weights, step, dummy, traits, rowCapacity } = context;
  const ops = opContext(context);
  const view = (activation: Activation): BufferView => context.view(activation);
  switch (op.kind) {
    case 'embed':
      return embedCalls({
        label: op.weight, traits, rowCapacity, countIndex: countIndex(op.out), step: step.step, dummy,
        weight: weights.dense(op.weight), tokens: step.tokens, out: view(op.out), scale: op.scale,
      });
    case 'rms_norm': return [rmsNormCall(op, weights.vector(op.weight), ops)];
    case 'linear': return linearOpCalls(op, null, context);
    case 'rope': return [ropeCall(op, context.ropeTable(op), ops)];
    case 'attention': {
      const cache = context.cache.layer(op.layer);
      return [kvWriteCall(op, cache, ops), attentionCall(op, cache, ops)];
    }
    case 'router': return [routerCall(op, pagedRouting(op, context), ops)];
    case 'experts': return expertsOpCalls(op, null, context);
    case 'gated': return [gatedCall(op, ops)];
    case 'sigmoid_scale': return [sigmoidScaleCall(op, ops)];
    case 'select_outputs': return [selectOutputsCall(op, step.outputRows, ops)];
  }
}
