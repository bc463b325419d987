/** OLMoE (Muennighoff et al. 2024; OLMoE-1B-7B): q and k normalised over the whole row, router weights not. */
import { attentionBlock, embedding, expertBlock, outputHead } from './blocks.ts';
import { layersOf, type Architecture } from './architecture.ts';
import { commonFromConfig, commonFromGguf, LIMITS } from './hyperparameters.ts';
import { attentionTensors, ggufExperts, hfExperts, outerTensors, routerTensor } from './tensor_specs.ts';

const PROJECTIONS = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };

export const olmoe: Architecture = {
  id: 'olmoe',
  ggufName: 'olmoe',
  hfModelTypes: ['olmoe'],

  fromGguf: (meta, shapeOf) => commonFromGguf(meta, shapeOf, {
    ropeStyle: 'half', normTopkProb: false,
    expertFfnSize: (fields) => fields.integer('feed_forward_length', 1, LIMITS.ffnSize),
  }),

  fromConfig: (config) => {
    // The clamp comes after the norms of q and k, where no op has one; no release of OLMoE sets it.
    if (config.has('clip_qkv')) throw config.refuse('clip_qkv', 'is set, which isn\'t supported; it must be null');
    return commonFromConfig(config, {
      expertCountKeys: ['num_experts', 'num_local_experts'],
      expertFfnKey: 'intermediate_size',
      normTopkProb: (fields) => fields.boolean('norm_topk_prob', false),
      slidingWindow: () => null,
    });
  },

  denseTensors: (hp) => [
    ...outerTensors(hp),
    ...layersOf(hp).flatMap(({ layer }) => [
      ...attentionTensors(hp, layer, 'row'),
      routerTensor(hp, layer, 'mlp.gate.weight'),
    ]),
  ],

  expertLayers: (hp) => layersOf(hp).map(({ layer }) => (
    { layer, gguf: ggufExperts(layer), hf: hfExperts(layer, 'mlp.experts', PROJECTIONS) })),

  forward: (b, hp) => {
    const stream = embedding(b, hp);
    for (const { layer } of layersOf(hp)) {
      attentionBlock(b, hp, layer, stream, 'row');
      expertBlock(b, hp, layer, stream);
    }
    return outputHead(b, hp, stream);
  },
};
