/** Small checkpoints and model sources made in memory, for tests that need a model but no files. */
import type { Checkpoint, GgufValue, TensorRef, TokenizerSource } from '../../src/formats/checkpoint.ts';
import { bytesSource } from '../../src/formats/byte_sources.ts';

/** A tiny Qwen3-MoE as GGUF metadata. */
export const TINY_QWEN3_METADATA: Readonly<Record<string, GgufValue>> = {
  'general.architecture': 'qwen3moe',
  'qwen3moe.block_count': 2,
  'qwen3moe.context_length': 64,
  'qwen3moe.embedding_length': 16,
  'qwen3moe.attention.head_count': 2,
  'qwen3moe.attention.head_count_kv': 1,
  'qwen3moe.attention.key_length': 8,
  'qwen3moe.attention.value_length': 8,
  'qwen3moe.attention.layer_norm_rms_epsilon': 1e-6,
  'qwen3moe.rope.freq_base': 10000,
  'qwen3moe.expert_count': 4,
  'qwen3moe.expert_used_count': 2,
  'qwen3moe.expert_feed_forward_length': 8,
};

/** Shapes of its tensors, outermost first. */
export function tinyQwen3Shapes(layerCount = 2, vocabSize = 32): Map<string, readonly number[]> {
  const shapes = new Map<string, readonly number[]>([
    ['token_embd.weight', [vocabSize, 16]], ['output_norm.weight', [16]], ['output.weight', [vocabSize, 16]],
  ]);
  for (let layer = 0; layer < layerCount; layer++) {
    const add = (name: string, shape: readonly number[]): unknown => shapes.set(`blk.${layer}.${name}`, shape);
    add('attn_norm.weight', [16]);
    add('attn_q.weight', [16, 16]);
    add('attn_k.weight', [8, 16]);
    add('attn_v.weight', [8, 16]);
    add('attn_q_norm.weight', [8]);
    add('attn_k_norm.weight', [8]);
    add('attn_output.weight', [16, 16]);
    add('ffn_norm.weight', [16]);
    add('ffn_gate_inp.weight', [4, 16]);
    add('ffn_gate_exps.weight', [4, 8, 16]);
    add('ffn_up_exps.weight', [4, 8, 16]);
    add('ffn_down_exps.weight', [4, 16, 8]);
  }
  return shapes;
}

export interface FakeCheckpoint {
  readonly metadata?: Readonly<Record<string, GgufValue>>;
  /** With it the checkpoint is a safetensors folder. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  readonly unsupportedTensors?: ReadonlyMap<string, string>;
  readonly tokenizer?: TokenizerSource | null;
  readonly chatTemplate?: string | null;
}

/** F32 tensors with small pseudo-random weights (a fixed linear congruential sequence). */
export function fakeCheckpoint({
  metadata = TINY_QWEN3_METADATA, config, shapes, unsupportedTensors, tokenizer = null, chatTemplate = null,
}: FakeCheckpoint): Checkpoint {
  const counts = [...shapes.values()].map((shape) => shape.reduce((product, n) => product * n, 1));
  const values = new Float32Array(counts.reduce((sum, n) => sum + n, 0));
  let state = 1;
  for (let i = 0; i < values.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    values[i] = state / 2 ** 32 - 0.5;
  }
  const source = bytesSource('tiny.gguf', new Uint8Array(values.buffer));
  let byteOffset = 0;
  const tensors = new Map<string, TensorRef>();
  for (const [name, shape] of shapes) {
    const byteLength = 4 * shape.reduce((product, n) => product * n, 1);
    tensors.set(name, { name, format: 'F32', shape, source, byteOffset, byteLength });
    byteOffset += byteLength;
  }
  return {
    container: config ? 'safetensors' : 'gguf',
    name: 'tiny',
    sources: [source],
    metadata: config
      ? { kind: 'hf', config, generationConfig: null }
      : { kind: 'gguf', values: new Map(Object.entries(metadata)) },
    tensors, unsupportedTensors, tokenizer, chatTemplate,
  };
}
