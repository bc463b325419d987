/**
 * The hyperparameters that all decoder architectures share, read from GGUF metadata or from a Hugging Face
 * config.json. Limits are far above any released model: they only stop a hostile header from sizing our buffers.
 */
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { ShapeOf } from './architecture.ts';
import type { Fields } from './fields.ts';
import { ropeFromConfig, ropeFromGguf } from './rope.ts';

export const LIMITS = {
  hiddenSize: 65536,
  layerCount: 1024,
  headCount: 4096,
  headDim: 1024,
  vocabSize: 4_194_304,
  contextLength: 2 ** 31 - 1,
  ffnSize: 1_048_576,
  expertCount: 4096,
} as const;

/** Dense defaults that an architecture overrides with what it knows. */
const PLAIN = {
  sharedFfnSize: 0, denseFfnSize: 0, denseLayers: [], expertWeightsScale: 1,
  embeddingScale: 1, residualScale: 1, logitScale: 1, clipQkv: null,
} as const;

export interface GgufTraits {
  readonly ropeStyle: Hyperparameters['ropeStyle'];
  /** Used where the file doesn't say (expert_weights_norm). */
  readonly normTopkProb: boolean;
  /** Expert FFN size of files without expert_feed_forward_length. */
  readonly expertFfnSize: (meta: Fields) => number;
}

/** @throws ModelFormatError naming the metadata key that is missing or out of range. */
export function commonFromGguf(meta: Fields, shapeOf: ShapeOf, traits: GgufTraits): Hyperparameters {
  const hiddenSize = meta.integer('embedding_length', 1, LIMITS.hiddenSize);
  const headCount = meta.integer('attention.head_count', 1, LIMITS.headCount);
  const kvHeadCount = meta.integer('attention.head_count_kv', 1, headCount, headCount);
  const headDim = meta.integer('attention.key_length', 1, LIMITS.headDim, hiddenSize / headCount);
  if (meta.integer('attention.value_length', 1, LIMITS.headDim, headDim) !== headDim) {
    throw meta.refuse('attention.value_length', `differs from attention.key_length (${headDim}), which isn't supported`);
  }
  const ropeDim = meta.integer('rope.dimension_count', 2, headDim, headDim);
  const contextLength = meta.integer('context_length', 1, LIMITS.contextLength);
  const expertCount = meta.integer('expert_count', 1, LIMITS.expertCount);
  // 0 stands for unset, 1 for softmax.
  if (meta.integer('expert_gating_func', 0, 255, 1) > 1) {
    throw meta.refuse('expert_gating_func', 'isn\'t softmax, the only router that is supported for this architecture');
  }
  const vocabRows = shapeOf('token_embd.weight')?.[0];
  const hp: Hyperparameters = {
    ...PLAIN,
    hiddenSize,
    layerCount: meta.integer('block_count', 1, LIMITS.layerCount),
    headCount, kvHeadCount, headDim,
    vocabSize: vocabRows ?? meta.integer('vocab_size', 1, LIMITS.vocabSize),
    contextLength,
    rmsNormEps: meta.number('attention.layer_norm_rms_epsilon', 0, 1),
    ...ropeFromGguf(meta, ropeDim, contextLength),
    ropeStyle: traits.ropeStyle,
    ropeDim,
    slidingWindow: meta.integer('attention.sliding_window', 0, LIMITS.contextLength, 0) || null,
    attentionScale: meta.number('attention.scale', 0, 1e6, 0) || headDim ** -0.5,
    expertCount,
    expertUsedCount: meta.integer('expert_used_count', 1, expertCount),
    expertFfnSize: meta.has('expert_feed_forward_length')
      ? meta.integer('expert_feed_forward_length', 1, LIMITS.ffnSize)
      : traits.expertFfnSize(meta),
    normTopkProb: meta.boolean('expert_weights_norm', traits.normTopkProb),
    expertWeightsScale: meta.number('expert_weights_scale', 0, 1e6, 0) || 1,
  };
  return checkedHeads(meta, hp, 'attention.head_count_kv', 'rope.dimension_count');
}

export interface ConfigTraits {
  readonly expertCountKeys: readonly string[];
  readonly expertFfnKey: string;
  readonly normTopkProb: (config: Fields) => boolean;
  readonly slidingWindow: (config: Fields) => number | null;
}

/** @throws ModelFormatError naming the config.json key that is missing or out of range. */
export function commonFromConfig(config: Fields, traits: ConfigTraits): Hyperparameters {
  const hiddenSize = config.integer('hidden_size', 1, LIMITS.hiddenSize);
  const headCount = config.integer('num_attention_heads', 1, LIMITS.headCount);
  const kvHeadCount = config.integer('num_key_value_heads', 1, headCount, headCount);
  const headDim = config.integer('head_dim', 1, LIMITS.headDim, hiddenSize / headCount);
  const ropeDim = Math.floor(headDim * config.number('partial_rotary_factor', 0, 1, 1));
  const contextLength = config.integer('max_position_embeddings', 1, LIMITS.contextLength);
  const expertCount = config.integerOf(traits.expertCountKeys, 1, LIMITS.expertCount);
  const activation = config.text('hidden_act', 'silu');
  if (activation !== 'silu' && activation !== 'swish') {
    throw config.refuse('hidden_act', `is '${activation}'; only 'silu' is supported for this architecture`);
  }
  const hp: Hyperparameters = {
    ...PLAIN,
    hiddenSize,
    layerCount: config.integer('num_hidden_layers', 1, LIMITS.layerCount),
    headCount, kvHeadCount, headDim,
    vocabSize: config.integer('vocab_size', 1, LIMITS.vocabSize),
    contextLength,
    rmsNormEps: config.number('rms_norm_eps', 0, 1, 1e-6),
    ...ropeFromConfig(config, ropeDim, contextLength),
    ropeStyle: 'half',
    ropeDim,
    slidingWindow: traits.slidingWindow(config),
    attentionScale: headDim ** -0.5,
    expertCount,
    expertUsedCount: config.integer('num_experts_per_tok', 1, expertCount),
    expertFfnSize: config.integer(traits.expertFfnKey, 1, LIMITS.ffnSize),
    normTopkProb: traits.normTopkProb(config),
  };
  return checkedHeads(config, hp, 'num_key_value_heads', 'head_dim');
}

/** sliding_window where use_sliding_window says so (Qwen). One window for all layers is what we have. */
export function qwenSlidingWindow(config: Fields): number | null {
  if (!config.boolean('use_sliding_window', false) || !config.has('sliding_window')) return null;
  const kinds = new Set(config.list('layer_types'));
  if (kinds.size > 1) {
    throw config.refuse('layer_types', 'mixes sliding and full attention, which isn\'t supported for this architecture');
  }
  if (kinds.has('full_attention')) return null;
  return config.integer('sliding_window', 1, LIMITS.contextLength);
}

/** Layers that Qwen's mlp_only_layers and decoder_sparse_step leave without experts. */
export function qwenDenseLayers(config: Fields, layerCount: number): number[] {
  const listed = new Set(config.list('mlp_only_layers'));
  const step = config.integer('decoder_sparse_step', 1, LIMITS.layerCount, 1);
  return layerNumbers(layerCount).filter((layer) => listed.has(layer) || (layer + 1) % step !== 0);
}

/** FFN size of such layers in a GGUF file. */
export function ggufDenseFfnSize(meta: Fields): number {
  return meta.integer('feed_forward_length', 0, LIMITS.ffnSize, 0);
}

/** Layers of a GGUF file that hold a plain FFN and no router. */
export function ggufDenseLayers(shapeOf: ShapeOf, layerCount: number): number[] {
  return layerNumbers(layerCount).filter((layer) =>
    shapeOf(`blk.${layer}.ffn_gate_inp.weight`) === undefined && shapeOf(`blk.${layer}.ffn_gate.weight`) !== undefined);
}

function layerNumbers(layerCount: number): number[] {
  return Array.from({ length: layerCount }, (_, layer) => layer);
}

function checkedHeads(fields: Fields, hp: Hyperparameters, kvKey: string, ropeKey: string): Hyperparameters {
  if (hp.headCount % hp.kvHeadCount !== 0) {
    throw fields.refuse(kvKey, `is ${hp.kvHeadCount}, which doesn't divide the ${hp.headCount} attention heads`);
  }
  if (hp.ropeDim % 2 !== 0 || hp.ropeDim < 2) {
    throw fields.refuse(ropeKey, `gives ${hp.ropeDim} rotary dimensions; they must be even and at least 2`);
  }
  return hp;
}
