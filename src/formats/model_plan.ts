/**
 * A checkpoint seen through its architecture: canonical tensor names, normalised hyperparameters. Made by
 * models/registry.ts, consumed by the importer (which stores it) and by the direct source (which serves it).
 */
import type { ByteSource, TokenizerSource } from './checkpoint.ts';
import type { WeightFormatName } from '../quant/formats.ts';
import type { StoredCodes } from './code_order.ts';

/** A contiguous run of rows in file layout. */
export interface MatrixSlice {
  readonly format: WeightFormatName;
  readonly rows: number;
  readonly cols: number;
  readonly source: ByteSource;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Factor of all its weights, in formats that keep one (NVFP4); 1 where absent. */
  readonly tensorScale?: number;
  /** Of a tensor put together from others: the bytes of a file that hold its codes. */
  readonly codes?: StoredCodes;
  /** Tensor that it comes from, for messages. */
  readonly tensor: string;
}

/** One dense tensor under its canonical (GGUF style) name, e.g. 'blk.0.attn_q.weight'. Vectors have rows 1. */
export interface DensePlan {
  readonly name: string;
  readonly slice: MatrixSlice;
}

/** The routed experts of one layer: gate/up are [expert_ffn, hidden], down is [hidden, expert_ffn]; index = expert. */
export interface ExpertLayerPlan {
  readonly layer: number;
  readonly gate: readonly MatrixSlice[];
  readonly up: readonly MatrixSlice[];
  readonly down: readonly MatrixSlice[];
}

/**
 * Hyperparameters shared by the architectures, under the field's names; JSON-safe, since they are stored.
 * Optional members are set only by the architectures that use them.
 */
export interface Hyperparameters {
  readonly hiddenSize: number;
  readonly layerCount: number;
  readonly headCount: number;
  readonly kvHeadCount: number;
  readonly headDim: number;
  readonly vocabSize: number;
  /** Longest context the model was trained for. */
  readonly contextLength: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  /** 'half' rotates (i, i + d/2) as Hugging Face and NeoX do; 'interleaved' rotates (2i, 2i + 1). */
  readonly ropeStyle: 'half' | 'interleaved';
  readonly ropeDim: number;
  /** Explicit inverse frequencies [ropeDim / 2] where the model scales them (YaRN, llama3, linear); else null. */
  readonly ropeInvFreq: readonly number[] | null;
  /** Factor on cos and sin (YaRN's attention factor), normally 1. */
  readonly ropeScale: number;
  readonly slidingWindow: number | null;
  readonly attentionScale: number;
  readonly expertCount: number;
  /** top_k */
  readonly expertUsedCount: number;
  readonly expertFfnSize: number;
  readonly sharedFfnSize: number;
  /** FFN size of layers without experts; denseLayers lists them. */
  readonly denseFfnSize: number;
  readonly denseLayers: readonly number[];
  readonly normTopkProb: boolean;
  /** Factor on the router's weights (GGUF expert_weights_scale), normally 1. */
  readonly expertWeightsScale: number;
  /** Factors on the embeddings, on each block's output before it joins the residual, and on the logits. */
  readonly embeddingScale: number;
  readonly residualScale: number;
  readonly logitScale: number;
  /** OLMoE's clip_qkv; null where the architecture doesn't clamp. */
  readonly clipQkv: number | null;
}

export interface ModelPlan {
  readonly name: string;
  /** Id in models/registry.ts: 'qwen3moe'. */
  readonly architecture: string;
  readonly container: 'gguf' | 'safetensors';
  readonly hyperparameters: Hyperparameters;
  readonly dense: readonly DensePlan[];
  readonly experts: readonly ExpertLayerPlan[];
  readonly tokenizer: TokenizerSource | null;
  readonly chatTemplate: string | null;
  readonly sourceFiles: readonly { readonly name: string; readonly byteLength: number }[];
}
