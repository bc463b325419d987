/** Compiles a graph for one row capacity into kernel calls: the trunk (all rows), the head (output rows), sampling. */
import type { Activation, ModelGraph, Op } from '../ops.ts';
import type { Manifest } from '../../storage/model_source.ts';
import { fuse, type FusedNorm, type LoweredOp } from './fusion.ts';
import type { BufferView, DeviceTraits, KernelCall } from './kernel.ts';
import type { KvCache } from './kv_cache.ts';
import {
  attentionCall, capacityOf, countIndex, gatedCall, kvWriteCall, qkvFinishCall, rmsNormCall, ropeCall, routerCall,
  sampleCall, selectOutputsCall, sigmoidScaleCall, type OpContext,
} from './op_kernels.ts';
import type { StepBuffer } from './step_buffer.ts';
import {
  embedCalls, expertCalls, expertScratchByteLengths, linearCalls, type ExpertScratch, type InputNorm,
} from './weight_kernels.ts';
import type { GpuWeights } from './weights.ts';

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
  readonly cache: KvCache;
  readonly rowCapacity: number;
  readonly outputCapacity: number;
  view(activation: Activation): BufferView;
  ropeTable(op: RopeOp): BufferView;
}

export interface Program {
  readonly trunk: readonly KernelCall[];
  readonly head: readonly KernelCall[];
  readonly sample: readonly KernelCall[];
}

/** Prompt tokens a step: enough rows to fill a GPU; a software adapter answers `stop` between smaller chunks. */
const STEP_TOKENS = 512;
const STEP_TOKENS_CPU = 16;

function expertsOps(graph: ModelGraph): ExpertsOp[] {
  return graph.ops.filter((op): op is ExpertsOp => op.kind === 'experts');
}

function scratchFor(op: ExpertsOp, manifest: Manifest, traits: DeviceTraits, rowCapacity: number): Record<keyof ExpertScratch, number> {
  const shapes = manifest.expertLayers.find((entry) => entry.layer === op.layer);
  if (!shapes) throw new Error(`layer ${op.layer} has no experts in the model`);
  return expertScratchByteLengths(shapes, rowCapacity, op.ids.cols, manifest.expertCount, traits);
}

/** Most rows of a step such that every activation and scratch view fits a binding. */
export function maxRowCapacity(graph: ModelGraph, manifest: Manifest, traits: DeviceTraits): number {
  const limit = traits.maxStorageBufferBindingSize;
  let rows = traits.cpuAdapter ? STEP_TOKENS_CPU : STEP_TOKENS;
  const fits = (): boolean => graph.activations.every((a) => a.rows !== 'batch' || rows * a.cols * 4 <= limit)
    && expertsOps(graph).every((op) => Object.values(scratchFor(op, manifest, traits, rows)).every((b) => b <= limit));
  while (rows > 1 && !fits()) rows = Math.floor(rows / 2);
  return rows;
}

/** Bytes of the scratch views that all layers' experts share; null where the model has no experts. */
export function scratchByteLengths(
  graph: ModelGraph, manifest: Manifest, traits: DeviceTraits, rowCapacity: number,
): Record<keyof ExpertScratch, number> | null {
  const needs = expertsOps(graph).map((op) => scratchFor(op, manifest, traits, rowCapacity));
  if (needs.length === 0) return null;
  const most = (name: keyof ExpertScratch): number => Math.max(...needs.map((need) => need[name]));
  return { hidden: most('hidden'), down: most('down'), pairs: most('pairs'), tiles: most('tiles') };
}

export function compileProgram(context: ProgramContext): Program {
  const trunk: KernelCall[] = [];
  const head: KernelCall[] = [];
  const fused = context.rowCapacity === 1 && context.qkv !== null;
  const lowered: readonly LoweredOp[] = fused ? fuse(context.graph) : context.graph.ops.map((op) => ({ kind: 'plain', op }));
  for (const op of lowered) {
    const onOutputs = op.kind !== 'attention_block' && 'out' in op.op && op.op.out.rows === 'output';
    (onOutputs ? head : trunk).push(...loweredCalls(op, context));
  }
  const logits = context.view(context.graph.logits);
  const sample = [sampleCall(context.graph.vocabSize, context.step.sampling, logits, context.result, opContext(context))];
  return { trunk, head, sample };
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
  const experts = context.weights.experts(op.layer);
  if (!context.scratch) throw new Error('an experts op without scratch buffers');
  return expertCalls({
    label: `layer ${op.layer} experts`, traits: context.traits, rowCapacity: context.rowCapacity, countIndex: countIndex(op.out),
    step: context.step.step, dummy: context.dummy,
    shapes: experts.entry, slabs: experts.slabs, strideByteLength: experts.strideByteLength,
    expertCount: experts.slabs.reduce((sum, slab) => sum + slab.expertCount, 0), topK: op.ids.cols,
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
    case 'router': return [routerCall(op, ops)];
    case 'experts': return expertsOpCalls(op, null, context);
    case 'gated': return [gatedCall(op, ops)];
    case 'sigmoid_scale': return [sigmoidScaleCall(op, ops)];
    case 'select_outputs': return [selectOutputsCall(op, step.outputRows, ops)];
  }
}
