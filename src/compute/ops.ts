/**
 * THE contract between models and compute back ends.
 *
 * A model is a list of ops over named weights: plain data, so that the reference back end can interpret it, the
 * WebGPU back end can compile it once per row capacity and replay it, and tests can read it. An op never says how
 * it is computed. Activations are f32, row-major [rows, cols]; a 'batch' activation has one row for each token of
 * the step, an 'output' activation one row for each requested output position.
 */
import type { Tracer } from '../profile/trace.ts';
import type { ModelSource } from '../storage/model_source.ts';
import type { ExpertPoolOptions, ResidencyCounters } from './residency.ts';

/** Handle of an activation. dtype 'u32' is used for expert ids only. */
export interface Activation {
  readonly id: number;
  readonly cols: number;
  readonly rows: 'batch' | 'output';
  readonly dtype: 'f32' | 'u32';
  readonly label: string;
}

export type FfnActivation = 'silu';

/** Weight names are those of Manifest.dense; a null bias or weight means there is none. */
export type Op = { readonly layer: number | null } & (
  /** out[t] = scale * weight[token[t]]; weight [vocab, hidden]. */
  | { readonly kind: 'embed'; readonly weight: string; readonly out: Activation; readonly scale: number }
  /** RMS norm of each run of groupElems elements of a row; weight [groupElems] repeats over the runs. x may be out. */
  | { readonly kind: 'rms_norm'; readonly x: Activation; readonly weight: string; readonly out: Activation; readonly eps: number; readonly groupElems: number }
  /** out = residual + scale * clamp(x · weightᵀ + bias, ±clip); weight [out.cols, x.cols]; residual may be out. */
  | { readonly kind: 'linear'; readonly x: Activation; readonly weight: string; readonly bias: string | null; readonly out: Activation; readonly residual: Activation | null; readonly scale: number; readonly clip: number | null }
  /** Rotates x in place, each head of headDim, its first 2 * invFreq.length elements, by position * invFreq[i]. */
  | { readonly kind: 'rope'; readonly x: Activation; readonly headDim: number; readonly invFreq: Float32Array; readonly style: 'half' | 'interleaved'; readonly scale: number }
  /** Appends k, v [rows, kvHeadCount * headDim] to the layer's KV cache at the step's positions, then causal attention. */
  | { readonly kind: 'attention'; readonly layer: number; readonly q: Activation; readonly k: Activation; readonly v: Activation; readonly out: Activation; readonly headCount: number; readonly kvHeadCount: number; readonly headDim: number; readonly scale: number; readonly window: number | null }
  /**
   * Chooses topK experts of each row of logits [rows, expertCount] in order of falling score (ties: lower id first).
   * Scores are softmax over all experts; with normalize, divided by the sum of the chosen (which equals a softmax
   * over the chosen logits). weights = scores * scale.
   */
  | { readonly kind: 'router'; readonly logits: Activation; readonly ids: Activation; readonly weights: Activation; readonly expertCount: number; readonly topK: number; readonly normalize: boolean; readonly scale: number }
  /** out = residual + scale * Σ_k weights[k] * down_e(act(gate_e x) * up_e x), e = ids[k]; summed in order of k. */
  | { readonly kind: 'experts'; readonly layer: number; readonly x: Activation; readonly ids: Activation; readonly weights: Activation; readonly out: Activation; readonly residual: Activation | null; readonly scale: number; readonly activation: FfnActivation }
  /** out = act(gate) * up, elementwise. */
  | { readonly kind: 'gated'; readonly gate: Activation; readonly up: Activation; readonly out: Activation; readonly activation: FfnActivation }
  /** out = residual + scale * sigmoid(gate[row, 0]) * x: the gate of Qwen2-MoE's shared expert. */
  | { readonly kind: 'sigmoid_scale'; readonly x: Activation; readonly gate: Activation; readonly out: Activation; readonly residual: Activation; readonly scale: number }
  /** Copies the rows of the requested output positions; x is 'batch', out is 'output'. */
  | { readonly kind: 'select_outputs'; readonly x: Activation; readonly out: Activation }
);

export type OpKind = Op['kind'];

export interface KvLayerShape {
  readonly layer: number;
  readonly kvHeadCount: number;
  readonly headDim: number;
}

/** A whole forward pass. `logits` [output rows, vocab] is its result. */
export interface ModelGraph {
  readonly architecture: string;
  readonly ops: readonly Op[];
  readonly activations: readonly Activation[];
  readonly kvLayers: readonly KvLayerShape[];
  readonly logits: Activation;
  readonly vocabSize: number;
}

/**
 * Sampling, in this order: repetition penalty on the recent tokens (positive logits divided, negative multiplied),
 * top_k, top_p (over the softmax of what top_k left), min_p (relative to the largest probability), temperature,
 * then one draw by the Gumbel-max trick with a counter-based hash of (seed, position, token id), so that every back
 * end draws the same token. temperature 0 is greedy (lowest id wins a tie).
 */
export interface SamplingParams {
  readonly temperature: number;
  /** 0 = off */
  readonly topK: number;
  /** 1 = off */
  readonly topP: number;
  /** 0 = off */
  readonly minP: number;
  /** 1 = off */
  readonly repetitionPenalty: number;
  /** How many of the latest tokens (prompt included) the penalty sees; at most MAX_PENALTY_TOKENS. */
  readonly penaltyLastN: number;
  readonly seed: number;
}

export const MAX_PENALTY_TOKENS = 256;

export type StepOutput =
  | { readonly kind: 'none' }
  /** Logits of these rows of the step (0 = its first token). */
  | { readonly kind: 'logits'; readonly rows: readonly number[] }
  /** Samples from the step's last row. recentTokens: latest last, already cut to penaltyLastN. */
  | { readonly kind: 'sample'; readonly sampling: SamplingParams; readonly recentTokens: readonly number[] };

export interface StepResult {
  /** Set for 'sample'. */
  readonly token: number | null;
  /** Set for 'logits': one [vocab] array a requested row. */
  readonly logits: readonly Float32Array[] | null;
}

/** KV cache of one conversation. Positions 0 … length-1 are valid; truncate() drops the rest (prefix reuse). */
export interface Sequence {
  readonly capacity: number;
  readonly length: number;
  truncate(length: number): void;
  dispose(): void;
}

/** One sequence's row of a step that decodes several at once. */
export interface BatchRow {
  readonly sequence: Sequence;
  /** Runs at position sequence.length. */
  readonly token: number;
  /** How the token after it is drawn. */
  readonly output: Extract<StepOutput, { readonly kind: 'sample' }>;
}

export interface LoadProgress {
  readonly stage: 'read weights' | 'compile shaders' | 'self-test';
  readonly done: number;
  readonly total: number;
  readonly unit: 'bytes' | 'kernels';
}

export interface LoadOptions {
  /** KV capacity of each sequence, in tokens. */
  readonly contextLength: number;
  /** Device memory for experts, where they are not all to be resident. */
  readonly experts?: ExpertPoolOptions;
  /** Told what steps do while it records. */
  readonly tracer?: Tracer;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

export interface LoadedModel {
  /** Most tokens that one step() takes; the engine cuts a prompt into chunks of at most this. */
  readonly maxStepTokens: number;
  readonly contextLength: number;
  /** Bytes of weights and caches on the device. */
  readonly deviceByteLength: number;
  /** Null where all experts are resident. */
  readonly residency: Readonly<ResidencyCounters> | null;
  /** Most rows that one stepBatch() takes; 1 where running several at once gains nothing or is not possible. */
  readonly maxBatchRows: number;
  /**
   * An empty sequence with room for contextLength tokens.
   * @throws DeviceMemoryError where the device has no room for another cache; the model and its other sequences go on
   */
  createSequence(): Promise<Sequence>;
  /**
   * Runs tokens at positions sequence.length … and appends them to the KV cache.
   * Steps on one model run one after the other in call order.
   * @throws RangeError where they don't fit the sequence's capacity or maxStepTokens.
   */
  step(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult>;
  /**
   * One token each of several sequences in one step, in turn with step(). What a row draws doesn't depend on which other
   * rows run with it: it is what step() of one token would have drawn, bit for bit.
   * @returns the drawn token of each row
   * @throws RangeError for no rows, more than maxBatchRows, or a sequence that is full or there twice
   */
  stepBatch(rows: readonly BatchRow[]): Promise<readonly number[]>;
  /**
   * Gives experts other device memory after the steps that were called before; sequences stay as they are. Absent where
   * a back end can't.
   * @param experts undefined: all experts become resident
   * @throws Error where there is no room for it; the model goes on with the memory that it had, if that can be had again
   */
  replaceExperts?(experts: ExpertPoolOptions | undefined, options: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void>;
  dispose(): void;
}

export interface BackendInfo {
  readonly kind: 'webgpu' | 'reference' | 'native';
  /** What people see: 'WebGPU · NVIDIA H200', 'Reference (CPU, slow)'. */
  readonly label: string;
  /** Adapter in words, '' for the reference. */
  readonly adapter: string;
  readonly features: readonly string[];
  /** Why this is a fallback, in a sentence with what to do about it; null where it is the first choice. */
  readonly fallbackReason: string | null;
}

export interface ProvenMemory {
  /** What was asked for: no more than a trial may safely take. */
  readonly askedByteLength: number;
  /** What could be allocated of it. */
  readonly provenByteLength: number;
}

export interface Backend {
  readonly info: BackendInfo;
  load(source: ModelSource, graph: ModelGraph, options: LoadOptions): Promise<LoadedModel>;
  /** Resolves with a sentence when the device is lost; never for the reference. */
  readonly lost: Promise<string>;
  /**
   * Finds out by trying whether the device has so much memory to give, and frees it again; loaded models stay. Never
   * rejects. Absent where memory is the machine's own.
   */
  proveMemory?(byteLength: number): Promise<ProvenMemory>;
  dispose(): void;
}
