/** The parts that decoder architectures are put together from. Each appends its ops to the builder. */
import type { Activation } from '../compute/ops.ts';
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { GraphBuilder } from './graph_builder.ts';
import { ropeInvFreq } from './rope.ts';

/** How q and k are normalised before RoPE: not, each head by itself (Qwen3), or the whole row at once (OLMoE). */
export type QkNorm = 'none' | 'head' | 'row';

/** Token embedding into the residual stream [batch, hidden], which the blocks update in place. */
export function embedding(b: GraphBuilder, hp: Hyperparameters): Activation {
  const stream = b.activation('residual', hp.hiddenSize);
  b.embed('token_embd.weight', stream, hp.embeddingScale);
  return stream;
}

/** stream += residualScale * Wo · attention(rope(norm(Wq x)), rope(norm(Wk x)), Wv x), x = rms_norm(stream). */
export function attentionBlock(b: GraphBuilder, hp: Hyperparameters, layer: number, stream: Activation, qkNorm: QkNorm): void {
  const w = (name: string): string => `blk.${layer}.${name}`;
  const x = b.activation('normed', hp.hiddenSize);
  const q = b.activation('q', hp.headCount * hp.headDim);
  const k = b.activation('k', hp.kvHeadCount * hp.headDim);
  const v = b.activation('v', hp.kvHeadCount * hp.headDim);
  const attended = b.activation('attended', q.cols);
  b.rmsNorm(layer, stream, w('attn_norm.weight'), x, hp.rmsNormEps);
  b.linear(layer, x, w('attn_q.weight'), q, { bias: w('attn_q.bias'), clip: hp.clipQkv });
  b.linear(layer, x, w('attn_k.weight'), k, { bias: w('attn_k.bias'), clip: hp.clipQkv });
  b.linear(layer, x, w('attn_v.weight'), v, { bias: w('attn_v.bias'), clip: hp.clipQkv });
  if (qkNorm !== 'none') {
    b.rmsNorm(layer, q, w('attn_q_norm.weight'), q, hp.rmsNormEps, qkNorm === 'head' ? hp.headDim : q.cols);
    b.rmsNorm(layer, k, w('attn_k_norm.weight'), k, hp.rmsNormEps, qkNorm === 'head' ? hp.headDim : k.cols);
  }
  const invFreq = ropeInvFreq(hp);
  b.rope(layer, q, hp, invFreq);
  b.rope(layer, k, hp, invFreq);
  b.attention(layer, q, k, v, attended, hp);
  b.linear(layer, attended, w('attn_output.weight'), stream, {
    bias: w('attn_output.bias'), residual: stream, scale: hp.residualScale,
  });
}

/** stream += residualScale * Σ over the chosen experts of x = rms_norm(stream); returns x for a shared expert. */
export function expertBlock(b: GraphBuilder, hp: Hyperparameters, layer: number, stream: Activation): Activation {
  const x = ffnNorm(b, hp, layer, stream);
  const logits = b.activation('router_logits', hp.expertCount);
  const ids = b.activation('expert_ids', hp.expertUsedCount, { dtype: 'u32' });
  const weights = b.activation('expert_weights', hp.expertUsedCount);
  b.linear(layer, x, `blk.${layer}.ffn_gate_inp.weight`, logits);
  b.router(layer, logits, ids, weights, hp);
  b.experts(layer, x, ids, weights, stream, stream, hp.residualScale);
  return x;
}

/** stream += residualScale * dense gated FFN of rms_norm(stream): a layer without experts. */
export function denseBlock(b: GraphBuilder, hp: Hyperparameters, layer: number, stream: Activation): void {
  const x = ffnNorm(b, hp, layer, stream);
  const hidden = gatedHidden(b, layer, x, 'ffn', '', hp.denseFfnSize);
  b.linear(layer, hidden, `blk.${layer}.ffn_down.weight`, stream, { residual: stream, scale: hp.residualScale });
}

/** stream += residualScale * shared expert of x, ungated (Granite). */
export function sharedExpert(b: GraphBuilder, hp: Hyperparameters, layer: number, x: Activation, stream: Activation): void {
  const hidden = gatedHidden(b, layer, x, 'shared', '_shexp', hp.sharedFfnSize);
  b.linear(layer, hidden, `blk.${layer}.ffn_down_shexp.weight`, stream, { residual: stream, scale: hp.residualScale });
}

/** stream += residualScale * sigmoid(gate · x) * shared expert of x (Qwen2-MoE). */
export function sigmoidSharedExpert(
  b: GraphBuilder, hp: Hyperparameters, layer: number, x: Activation, stream: Activation,
): void {
  const hidden = gatedHidden(b, layer, x, 'shared', '_shexp', hp.sharedFfnSize);
  const shared = b.activation('shared_out', hp.hiddenSize);
  const gate = b.activation('shared_gate_logit', 1);
  b.linear(layer, hidden, `blk.${layer}.ffn_down_shexp.weight`, shared);
  b.linear(layer, x, `blk.${layer}.ffn_gate_inp_shexp.weight`, gate);
  b.sigmoidScale(layer, shared, gate, stream, stream, hp.residualScale);
}

/** Final norm and logits of the requested rows; the head is the embedding where the model ties them. */
export function outputHead(b: GraphBuilder, hp: Hyperparameters, stream: Activation): Activation {
  const selected = b.activation('output_rows', hp.hiddenSize, { rows: 'output' });
  const logits = b.activation('logits', hp.vocabSize, { rows: 'output' });
  b.selectOutputs(stream, selected);
  b.rmsNorm(null, selected, 'output_norm.weight', selected, hp.rmsNormEps);
  const head = b.has('output.weight') ? 'output.weight' : 'token_embd.weight';
  b.linear(null, selected, head, logits, { scale: hp.logitScale });
  return logits;
}

function ffnNorm(b: GraphBuilder, hp: Hyperparameters, layer: number, stream: Activation): Activation {
  const x = b.activation('normed', hp.hiddenSize);
  b.rmsNorm(layer, stream, `blk.${layer}.ffn_norm.weight`, x, hp.rmsNormEps);
  return x;
}

function gatedHidden(
  b: GraphBuilder, layer: number, x: Activation, label: string, suffix: string, size: number,
): Activation {
  const gate = b.activation(`${label}_gate`, size);
  const up = b.activation(`${label}_up`, size);
  b.linear(layer, x, `blk.${layer}.ffn_gate${suffix}.weight`, gate);
  b.linear(layer, x, `blk.${layer}.ffn_up${suffix}.weight`, up);
  b.gated(layer, gate, up, gate);
  return gate;
}
