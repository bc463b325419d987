/**
 * Which tensors an architecture needs, under their canonical (GGUF) names, with their shapes and where a Hugging
 * Face checkpoint keeps them. Registry and tests read these tables; nothing else knows a tensor's name in a file.
 */
import type { Hyperparameters } from '../formats/model_plan.ts';

/** Rows of a Hugging Face tensor: all of it, or the part-th of `parts` equal runs of rows. */
export interface HfTensor {
  readonly tensor: string;
  readonly part: number;
  readonly parts: number;
}

export interface TensorSpec {
  /** Canonical name: 'blk.3.attn_q.weight'. */
  readonly name: string;
  /** [rows, cols], or [n] for a vector. */
  readonly shape: readonly number[];
  readonly hf: HfTensor;
  /**
   * An optional tensor may be missing; where any layer has it, every layer that lists it must.
   */
  readonly optional: boolean;
}

/** One of the ways in which files hold one matrix of each expert of a layer. */
export interface ExpertSource {
  /** Tensor of this expert; a stacked tensor [expert, rows, cols] holds all of them. */
  readonly tensor: (expert: number) => string;
  readonly stacked: boolean;
  /** The matrix is the part-th of `parts` equal runs of rows of the expert's [rows, cols]. */
  readonly part: number;
  readonly parts: number;
}

export type ExpertMatrix = 'gate' | 'up' | 'down';
export type ExpertSources = Readonly<Record<ExpertMatrix, readonly ExpertSource[]>>;

export interface ExpertLayerSpec {
  readonly layer: number;
  readonly gguf: ExpertSources;
  readonly hf: ExpertSources;
}

/** A tensor of one layer; `hf` is relative to 'model.layers.N.'. */
export function layerTensor(
  layer: number, name: string, hf: string | HfTensor, shape: readonly number[], optional = false,
): TensorSpec {
  const source = typeof hf === 'string' ? whole(hf) : hf;
  return {
    name: `blk.${layer}.${name}`, shape, optional,
    hf: { ...source, tensor: `model.layers.${layer}.${source.tensor}` },
  };
}

export function hfPart(tensor: string, part: number, parts: number): HfTensor {
  return { tensor, part, parts };
}

/** Embedding, final norm and output head; a missing head means that it is the embedding. */
export function outerTensors(hp: Hyperparameters): TensorSpec[] {
  const outer = (name: string, hf: string, shape: readonly number[], optional = false): TensorSpec =>
    ({ name, shape, hf: whole(hf), optional });
  return [
    outer('token_embd.weight', 'model.embed_tokens.weight', [hp.vocabSize, hp.hiddenSize]),
    outer('output_norm.weight', 'model.norm.weight', [hp.hiddenSize]),
    outer('output.weight', 'lm_head.weight', [hp.vocabSize, hp.hiddenSize], true),
  ];
}

/** Norms and projections of one layer's attention, with the biases that some releases have. */
export function attentionTensors(hp: Hyperparameters, layer: number, qkNorm: 'none' | 'head' | 'row'): TensorSpec[] {
  const qSize = hp.headCount * hp.headDim;
  const kvSize = hp.kvHeadCount * hp.headDim;
  const tensor = (name: string, hf: string, shape: readonly number[], optional = false): TensorSpec =>
    layerTensor(layer, name, hf, shape, optional);
  const specs = [
    tensor('attn_norm.weight', 'input_layernorm.weight', [hp.hiddenSize]),
    tensor('attn_q.weight', 'self_attn.q_proj.weight', [qSize, hp.hiddenSize]),
    tensor('attn_k.weight', 'self_attn.k_proj.weight', [kvSize, hp.hiddenSize]),
    tensor('attn_v.weight', 'self_attn.v_proj.weight', [kvSize, hp.hiddenSize]),
    tensor('attn_output.weight', 'self_attn.o_proj.weight', [hp.hiddenSize, qSize]),
    tensor('attn_q.bias', 'self_attn.q_proj.bias', [qSize], true),
    tensor('attn_k.bias', 'self_attn.k_proj.bias', [kvSize], true),
    tensor('attn_v.bias', 'self_attn.v_proj.bias', [kvSize], true),
    tensor('attn_output.bias', 'self_attn.o_proj.bias', [hp.hiddenSize], true),
    tensor('ffn_norm.weight', 'post_attention_layernorm.weight', [hp.hiddenSize]),
  ];
  if (qkNorm === 'none') return specs;
  const [qNorm, kNorm] = qkNorm === 'head' ? [hp.headDim, hp.headDim] : [qSize, kvSize];
  return [
    ...specs,
    tensor('attn_q_norm.weight', 'self_attn.q_norm.weight', [qNorm]),
    tensor('attn_k_norm.weight', 'self_attn.k_norm.weight', [kNorm]),
  ];
}

export function routerTensor(hp: Hyperparameters, layer: number, hf: string): TensorSpec {
  return layerTensor(layer, 'ffn_gate_inp.weight', hf, [hp.expertCount, hp.hiddenSize]);
}

/** gate, up and down of a gated FFN; suffix '' for a dense layer, '_shexp' for a shared expert. */
export function ffnTensors(
  hp: Hyperparameters, layer: number, suffix: '' | '_shexp', size: number,
  hf: Readonly<Record<ExpertMatrix, string | HfTensor>>,
): TensorSpec[] {
  return [
    layerTensor(layer, `ffn_gate${suffix}.weight`, hf.gate, [size, hp.hiddenSize]),
    layerTensor(layer, `ffn_up${suffix}.weight`, hf.up, [size, hp.hiddenSize]),
    layerTensor(layer, `ffn_down${suffix}.weight`, hf.down, [hp.hiddenSize, size]),
  ];
}

/** GGUF: one stacked tensor a matrix, gate and up fused into one, or (files of early 2024) one tensor an expert. */
export function ggufExperts(layer: number): ExpertSources {
  const sources = (matrix: ExpertMatrix): ExpertSource[] => [
    stacked(`blk.${layer}.ffn_${matrix}_exps.weight`),
    each((expert) => `blk.${layer}.ffn_${matrix}.${expert}.weight`),
  ];
  const fused = `blk.${layer}.ffn_gate_up_exps.weight`;
  return {
    gate: [...sources('gate'), stacked(fused, 0, 2)],
    up: [...sources('up'), stacked(fused, 1, 2)],
    down: sources('down'),
  };
}

/**
 * Hugging Face: one tensor an expert under `prefix` ('mlp.experts'), and the stacked form that transformers 5 holds
 * in memory (gate rows, then up rows).
 */
export function hfExperts(
  layer: number, prefix: string, names: Readonly<Record<ExpertMatrix, string>>,
): ExpertSources {
  const base = `model.layers.${layer}.${prefix}`;
  const one = (matrix: ExpertMatrix): ExpertSource => each((expert) => `${base}.${expert}.${names[matrix]}.weight`);
  return {
    gate: [one('gate'), stacked(`${base}.gate_up_proj`, 0, 2)],
    up: [one('up'), stacked(`${base}.gate_up_proj`, 1, 2)],
    down: [one('down'), stacked(`${base}.down_proj`)],
  };
}

/** Stacked experts with gate rows above up rows in one tensor; names relative to 'model.layers.N.'. */
export function hfFusedExperts(layer: number, gateUp: string, down: string): ExpertSources {
  const base = `model.layers.${layer}.`;
  return {
    gate: [stacked(base + gateUp, 0, 2)],
    up: [stacked(base + gateUp, 1, 2)],
    down: [stacked(base + down)],
  };
}

function whole(tensor: string): HfTensor {
  return { tensor, part: 0, parts: 1 };
}

function stacked(tensor: string, part = 0, parts = 1): ExpertSource {
  return { tensor: () => tensor, stacked: true, part, parts };
}

function each(tensor: (expert: number) => string): ExpertSource {
  return { tensor, stacked: false, part: 0, parts: 1 };
}
