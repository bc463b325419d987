/**
 * A Mixture-of-Experts model as sizes only: the GGUF metadata and the tensor list that a model of this shape has.
 * The starter model and the benchmarks fill it with random weights.
 */
import type { GgufValue } from '../../src/formats/checkpoint.ts';
import type { WeightFormatName } from '../../src/quant/formats.ts';

export interface MoeShape {
  readonly architecture: 'olmoe' | 'qwen3moe';
  readonly hiddenSize: number;
  readonly layerCount: number;
  readonly headCount: number;
  readonly kvHeadCount: number;
  readonly headDim: number;
  readonly expertCount: number;
  readonly expertUsedCount: number;
  readonly expertFfnSize: number;
  readonly vocabSize: number;
  readonly contextLength: number;
}

/** Weight formats by role. Norms and the router stay F32, as llama.cpp's converter leaves them. */
export interface ShapeFormats {
  readonly embedding: WeightFormatName;
  readonly attention: WeightFormatName;
  readonly gateUp: WeightFormatName;
  readonly down: WeightFormatName;
  readonly head: WeightFormatName;
}

export interface ShapeTensor {
  readonly name: string;
  readonly format: WeightFormatName;
  /** Outermost first. */
  readonly shape: readonly number[];
  /** Norm weights are all ones, everything else is random. */
  readonly role: 'norm' | 'matrix';
}

/** GGUF metadata of the architecture part; the tokenizer is the caller's. */
export function shapeMetadata(shape: MoeShape, name: string): Map<string, GgufValue> {
  const key = (suffix: string) => `${shape.architecture}.${suffix}`;
  return new Map<string, GgufValue>([
    ['general.architecture', shape.architecture],
    ['general.name', name],
    [key('block_count'), shape.layerCount],
    [key('context_length'), shape.contextLength],
    [key('embedding_length'), shape.hiddenSize],
    [key('feed_forward_length'), shape.expertFfnSize],
    [key('expert_feed_forward_length'), shape.expertFfnSize],
    [key('expert_count'), shape.expertCount],
    [key('expert_used_count'), shape.expertUsedCount],
    [key('vocab_size'), shape.vocabSize],
    [key('attention.head_count'), shape.headCount],
    [key('attention.head_count_kv'), shape.kvHeadCount],
    [key('attention.key_length'), shape.headDim],
    [key('attention.value_length'), shape.headDim],
    [key('attention.layer_norm_rms_epsilon'), 1e-5],
    [key('rope.freq_base'), 10_000],
    [key('rope.dimension_count'), shape.headDim],
  ]);
}

export function shapeTensors(shape: MoeShape, formats: ShapeFormats): ShapeTensor[] {
  const { hiddenSize, headDim, expertCount, expertFfnSize, vocabSize } = shape;
  const qSize = shape.headCount * headDim;
  const kvSize = shape.kvHeadCount * headDim;
  // OLMoE norms the whole row of q and k, Qwen3 each head.
  const perHead = shape.architecture === 'qwen3moe';
  const matrix = (name: string, format: WeightFormatName, ...dims: number[]): ShapeTensor => (
    { name: `${name}.weight`, format, shape: dims, role: 'matrix' });
  const norm = (name: string, size: number): ShapeTensor => (
    { name: `${name}.weight`, format: 'F32', shape: [size], role: 'norm' });
  const layer = (index: number): ShapeTensor[] => {
    const blk = (name: string) => `blk.${index}.${name}`;
    return [
      norm(blk('attn_norm'), hiddenSize),
      matrix(blk('attn_q'), formats.attention, qSize, hiddenSize),
      matrix(blk('attn_k'), formats.attention, kvSize, hiddenSize),
      matrix(blk('attn_v'), formats.attention, kvSize, hiddenSize),
      norm(blk('attn_q_norm'), perHead ? headDim : qSize),
      norm(blk('attn_k_norm'), perHead ? headDim : kvSize),
      matrix(blk('attn_output'), formats.attention, hiddenSize, qSize),
      norm(blk('ffn_norm'), hiddenSize),
      matrix(blk('ffn_gate_inp'), 'F32', expertCount, hiddenSize),
      matrix(blk('ffn_gate_exps'), formats.gateUp, expertCount, expertFfnSize, hiddenSize),
      matrix(blk('ffn_up_exps'), formats.gateUp, expertCount, expertFfnSize, hiddenSize),
      matrix(blk('ffn_down_exps'), formats.down, expertCount, hiddenSize, expertFfnSize),
    ];
  };
  return [
    matrix('token_embd', formats.embedding, vocabSize, hiddenSize),
    ...Array.from({ length: shape.layerCount }, (_, index) => layer(index)).flat(),
    norm('output_norm', hiddenSize),
    matrix('output', formats.head, vocabSize, hiddenSize),
  ];
}
