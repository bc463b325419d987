/**
 * Granite MoE (Granite 3.0 1B-A400M, 3B-A800M) and GraniteMoeShared: Mixtral's shape with scaled embeddings,
 * attention, residuals and logits, and in the shared form a shared expert without a gate.
 */
import { attentionBlock, embedding, expertBlock, outputHead, sharedExpert } from './blocks.ts';
import { layersOf, type Architecture } from './architecture.ts';
import { commonFromConfig, commonFromGguf, LIMITS } from './hyperparameters.ts';
import {
  attentionTensors, ffnTensors, ggufExperts, hfFusedExperts, hfPart, outerTensors, routerTensor,
} from './tensor_specs.ts';

const MAX_SCALE = 1e6;
const MIN_SCALE = 1e-6;
/** Gate rows lie above up rows in one tensor. */
const SHARED_FFN = {
  gate: hfPart('shared_mlp.input_linear.weight', 0, 2), up: hfPart('shared_mlp.input_linear.weight', 1, 2),
  down: 'shared_mlp.output_linear.weight',
};

export const granitemoe: Architecture = {
  id: 'granitemoe',
  ggufName: 'granitemoe',
  hfModelTypes: ['granitemoe', 'granitemoeshared'],

  // As in Mixtral's GGUF files, the rows of q and k are reordered for interleaved RoPE pairs.
  fromGguf: (meta, shapeOf) => ({
    ...commonFromGguf(meta, shapeOf, {
      ropeStyle: 'interleaved', normTopkProb: true,
      expertFfnSize: (fields) => fields.integer('feed_forward_length', 1, LIMITS.ffnSize),
    }),
    sharedFfnSize: meta.integer('expert_shared_feed_forward_length', 0, LIMITS.ffnSize, 0),
    // 0 or absent means unscaled; logit_scale is a divisor.
    embeddingScale: meta.number('embedding_scale', 0, MAX_SCALE, 0) || 1,
    residualScale: meta.number('residual_scale', 0, MAX_SCALE, 0) || 1,
    logitScale: 1 / (meta.number('logit_scale', 0, MAX_SCALE, 0) || 1),
  }),

  fromConfig: (config) => ({
    ...commonFromConfig(config, {
      expertCountKeys: ['num_local_experts', 'num_experts'],
      expertFfnKey: 'intermediate_size',
      normTopkProb: () => true,
      slidingWindow: () => null,
    }),
    sharedFfnSize: config.integer('shared_intermediate_size', 0, LIMITS.ffnSize, 0),
    attentionScale: config.number('attention_multiplier', MIN_SCALE, MAX_SCALE, 1),
    embeddingScale: config.number('embedding_multiplier', MIN_SCALE, MAX_SCALE, 1),
    residualScale: config.number('residual_multiplier', MIN_SCALE, MAX_SCALE, 1),
    logitScale: 1 / config.number('logits_scaling', MIN_SCALE, MAX_SCALE, 1),
  }),

  denseTensors: (hp) => [
    ...outerTensors(hp),
    ...layersOf(hp).flatMap(({ layer }) => [
      ...attentionTensors(hp, layer, 'none'),
      routerTensor(hp, layer, 'block_sparse_moe.router.layer.weight'),
      ...(hp.sharedFfnSize > 0 ? ffnTensors(hp, layer, '_shexp', hp.sharedFfnSize, SHARED_FFN) : []),
    ]),
  ],

  expertLayers: (hp) => layersOf(hp).map(({ layer }) => ({
    layer,
    gguf: ggufExperts(layer),
    hf: hfFusedExperts(
      layer, 'block_sparse_moe.input_linear.weight', 'block_sparse_moe.output_linear.weight'),
  })),

  forward: (b, hp) => {
    const stream = embedding(b, hp);
    for (const { layer } of layersOf(hp)) {
      attentionBlock(b, hp, layer, stream, 'none');
      const x = expertBlock(b, hp, layer, stream);
      if (hp.sharedFfnSize > 0) sharedExpert(b, hp, layer, x, stream);
    }
    return outputHead(b, hp, stream);
  },
};
