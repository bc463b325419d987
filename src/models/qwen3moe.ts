/** Qwen3-MoE (Qwen3-30B-A3B, Qwen3-235B-A22B, Qwen3-Coder): a norm on each q and k head, no shared expert. */
import { attentionBlock, denseBlock, embedding, expertBlock, outputHead } from './blocks.ts';
import { layersOf, type Architecture } from './architecture.ts';
import {
  commonFromConfig, commonFromGguf, ggufDenseFfnSize, ggufDenseLayers, LIMITS, qwenDenseLayers, qwenSlidingWindow,
} from './hyperparameters.ts';
import { attentionTensors, ffnTensors, ggufExperts, hfExperts, outerTensors, routerTensor } from './tensor_specs.ts';

const PROJECTIONS = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };
const DENSE_FFN = { gate: 'mlp.gate_proj.weight', up: 'mlp.up_proj.weight', down: 'mlp.down_proj.weight' };

export const qwen3moe: Architecture = {
  id: 'qwen3moe',
  ggufName: 'qwen3moe',
  hfModelTypes: ['qwen3_moe'],

  fromGguf: (meta, shapeOf) => {
    const hp = commonFromGguf(meta, shapeOf, {
      ropeStyle: 'half', normTopkProb: true,
      expertFfnSize: (fields) => fields.integer('expert_feed_forward_length', 1, LIMITS.ffnSize),
    });
    return { ...hp, denseFfnSize: ggufDenseFfnSize(meta), denseLayers: ggufDenseLayers(shapeOf, hp.layerCount) };
  },

  fromConfig: (config) => {
    const hp = commonFromConfig(config, {
      expertCountKeys: ['num_experts', 'num_local_experts'],
      expertFfnKey: 'moe_intermediate_size',
      normTopkProb: (fields) => fields.boolean('norm_topk_prob', false),
      slidingWindow: qwenSlidingWindow,
    });
    return {
      ...hp,
      denseFfnSize: config.integer('intermediate_size', 0, LIMITS.ffnSize, 0),
      denseLayers: qwenDenseLayers(config, hp.layerCount),
    };
  },

  denseTensors: (hp) => [
    ...outerTensors(hp),
    ...layersOf(hp).flatMap(({ layer, dense }) => [
      ...attentionTensors(hp, layer, 'head'),
      ...(dense ? ffnTensors(hp, layer, '', hp.denseFfnSize, DENSE_FFN) : [routerTensor(hp, layer, 'mlp.gate.weight')]),
    ]),
  ],

  expertLayers: (hp) => layersOf(hp).filter(({ dense }) => !dense).map(({ layer }) => (
    { layer, gguf: ggufExperts(layer), hf: hfExperts(layer, 'mlp.experts', PROJECTIONS) })),

  forward: (b, hp) => {
    const stream = embedding(b, hp);
    for (const { layer, dense } of layersOf(hp)) {
      attentionBlock(b, hp, layer, stream, 'head');
      if (dense) denseBlock(b, hp, layer, stream);
      else expertBlock(b, hp, layer, stream);
    }
    return outputHead(b, hp, stream);
  },
};
