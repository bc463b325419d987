/**
 * A Mixture-of-Experts model as sizes only: the GGUF metadata and the tensor list that a model of this shape has.
 * The starter model and the benchmarks fill it with random weights.
 */
import type { GgufTypedValue } from '../../src/formats/gguf_writer.ts';
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
export function shapeMetadata(shape: MoeShape, name: string): Map<string, GgufTypedValue> {
  const values = new Map<string, GgufTypedValue>([
    ['general.architecture', { type: 'string', value: shape.architecture }],
    ['general.name', { type: 'string', value: name }],
  ]);
  const integers = {
    block_count: shape.layerCount,
    context_length: shape.contextLength,
    embedding_length: shape.hiddenSize,
    feed_forward_length: shape.expertFfnSize,
    expert_feed_forward_length: shape.expertFfnSize,
    expert_count: shape.expertCount,
    expert_used_count: shape.expertUsedCount,
    vocab_size: shape.vocabSize,
    'attention.head_count': shape.headCount,
    'attention.head_count_kv': shape.kvHeadCount,
    'attention.key_length': shape.headDim,
    'attention.value_length': shape.headDim,
    'rope.dimension_count': shape.headDim,
  };
  for (const [key, value] of Object.entries(integers)) {
    values.set(`${shape.architecture}.${key}`, { type: 'uint32', value });
  }
  values.set(`${shape.architecture}.attention.layer_norm_rms_epsilon`, { type: 'float32', value: 1e-5 });
  values.set(`${shape.architecture}.rope.freq_base`, { type: 'float32', value: 10_000 });
  return values;
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
