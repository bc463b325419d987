/** Compiles a graph for one row capacity into kernel calls: the trunk (all rows), the head (output rows), sampling. */
import type { Activation, ModelGraph, Op } from '../ops.ts';
import type { Manifest } from '../../storage/model_source.ts';
import type { BufferView, DeviceTraits, KernelCall } from './kernel.ts';
import type { KvCache } from './kv_cache.ts';
import {
  attentionCalls, capacityOf, countIndex, gatedCall, rmsNormCall, ropeCall, routerCall, sampleCall,
  selectOutputsCall, sigmoidScaleCall, type OpContext,
} from './op_kernels.ts';
import type { StepBuffer } from './step_buffer.ts';
import { embedCalls, expertCalls, expertScratchByteLengths, linearCalls, type ExpertScratch } from './weight_kernels.ts';
import type { GpuWeights } from './weights.ts';

type RopeOp = Extract<Op, { kind: 'rope' }>;
type ExpertsOp = Extract<Op, { kind: 'experts' }>;

export interface ProgramContext {
  readonly graph: ModelGraph;
  readonly traits: DeviceTraits;
  readonly weights: GpuWeights;
  readonly step: StepBuffer;
  readonly dummy: BufferView;
  readonly scratch: ExpertScratch | null;
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
const STEP_TOKENS_CPU = 64;

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
  for (const op of context.graph.ops) {
    const onOutputs = 'out' in op && op.out.rows === 'output';
    (onOutputs ? head : trunk).push(...callsOf(op, context));
  }
  const logits = context.view(context.graph.logits);
  const sample = [sampleCall(context.graph.vocabSize, context.step.sampling, logits, context.result, opContext(context))];
  return { trunk, head, sample };
}

function opContext(context: ProgramContext): OpContext {
  const { traits, rowCapacity, outputCapacity, dummy, step } = context;
  return { traits, rowCapacity, outputCapacity, dummy, step: step.step, view: (activation) => context.view(activation) };
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
    case 'linear':
      return linearCalls({
        label: op.weight, traits, rowCapacity: capacityOf(ops, op.out), countIndex: countIndex(op.out), step: step.step, dummy,
        weight: weights.dense(op.weight), x: view(op.x), out: view(op.out), outCols: op.out.cols,
        bias: op.bias === null ? null : weights.vector(op.bias),
        residual: op.residual === null ? null : view(op.residual), scale: op.scale, clip: op.clip,
      });
    case 'rope': return [ropeCall(op, context.ropeTable(op), ops)];
    case 'attention': return attentionCalls(op, context.cache.layer(op.layer), ops);
    case 'router': return [routerCall(op, ops)];
    case 'experts': {
      const experts = weights.experts(op.layer);
      if (!context.scratch) throw new Error('an experts op without scratch buffers');
      return expertCalls({
        label: `layer ${op.layer} experts`, traits, rowCapacity, countIndex: countIndex(op.out), step: step.step, dummy,
        shapes: experts.entry, slabs: experts.slabs, strideByteLength: experts.strideByteLength,
        expertCount: experts.slabs.reduce((sum, slab) => sum + slab.expertCount, 0), topK: op.ids.cols,
        x: view(op.x), ids: view(op.ids), weights: view(op.weights), out: view(op.out),
        residual: op.residual === null ? null : view(op.residual), scale: op.scale, scratch: context.scratch,
      });
    }
    case 'gated': return [gatedCall(op, ops)];
    case 'sigmoid_scale': return [sigmoidScaleCall(op, ops)];
    case 'select_outputs': return [selectOutputsCall(op, step.outputRows, ops)];
  }
}
