/** Qwen2-MoE (Qwen1.5-MoE-A2.7B, Qwen2-57B-A14B): biases on q, k and v, and a shared expert behind a sigmoid gate. */
import { attentionBlock, denseBlock, embedding, expertBlock, outputHead, sigmoidSharedExpert } from './blocks.ts';
import { layersOf, type Architecture, type ShapeOf } from './architecture.ts';
import {
  commonFromConfig, commonFromGguf, ggufDenseFfnSize, ggufDenseLayers, LIMITS, qwenDenseLayers, qwenSlidingWindow,
} from './hyperparameters.ts';
import {
  attentionTensors, ffnTensors, ggufExperts, hfExperts, layerTensor, outerTensors, routerTensor,
} from './tensor_specs.ts';

const PROJECTIONS = { gate: 'gate_proj', up: 'up_proj', down: 'down_proj' };
const DENSE_FFN = { gate: 'mlp.gate_proj.weight', up: 'mlp.up_proj.weight', down: 'mlp.down_proj.weight' };
const SHARED_FFN = {
  gate: 'mlp.shared_expert.gate_proj.weight', up: 'mlp.shared_expert.up_proj.weight',
  down: 'mlp.shared_expert.down_proj.weight',
};

export const qwen2moe: Architecture = {
  id: 'qwen2moe',
  ggufName: 'qwen2moe',
  hfModelTypes: ['qwen2_moe'],

  fromGguf: (meta, shapeOf) => {
    const hp = commonFromGguf(meta, shapeOf, {
      ropeStyle: 'half', normTopkProb: false,
      // Files of early 2024 have only feed_forward_length, the width of the experts in use together.
      expertFfnSize: (fields) =>
        fields.integer('feed_forward_length', 1, LIMITS.ffnSize) / fields.integer('expert_used_count', 1, LIMITS.expertCount),
    });
    const denseFfnSize = ggufDenseFfnSize(meta);
    return {
      ...hp,
      denseFfnSize,
      sharedFfnSize: meta.integer(
        'expert_shared_feed_forward_length', 1, LIMITS.ffnSize, sharedRows(shapeOf, hp.layerCount) ?? denseFfnSize),
      denseLayers: ggufDenseLayers(shapeOf, hp.layerCount),
    };
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
      sharedFfnSize: config.integer('shared_expert_intermediate_size', 1, LIMITS.ffnSize),
      denseFfnSize: config.integer('intermediate_size', 0, LIMITS.ffnSize, 0),
      denseLayers: qwenDenseLayers(config, hp.layerCount),
    };
  },

  denseTensors: (hp) => [
    ...outerTensors(hp),
    ...layersOf(hp).flatMap(({ layer, dense }) => [
      ...attentionTensors(hp, layer, 'none'),
      ...(dense ? ffnTensors(hp, layer, '', hp.denseFfnSize, DENSE_FFN) : [
        routerTensor(hp, layer, 'mlp.gate.weight'),
        ...ffnTensors(hp, layer, '_shexp', hp.sharedFfnSize, SHARED_FFN),
        layerTensor(layer, 'ffn_gate_inp_shexp.weight', 'mlp.shared_expert_gate.weight', [1, hp.hiddenSize]),
      ]),
    ]),
  ],

  expertLayers: (hp) => layersOf(hp).filter(({ dense }) => !dense).map(({ layer }) => (
    { layer, gguf: ggufExperts(layer), hf: hfExperts(layer, 'mlp.experts', PROJECTIONS) })),

  forward: (b, hp) => {
    const stream = embedding(b, hp);
    for (const { layer, dense } of layersOf(hp)) {
      attentionBlock(b, hp, layer, stream, 'none');
      if (dense) {
        denseBlock(b, hp, layer, stream);
      } else {
        const x = expertBlock(b, hp, layer, stream);
        sigmoidSharedExpert(b, hp, layer, x, stream);
      }
    }
    return outputHead(b, hp, stream);
  },
};

function sharedRows(shapeOf: ShapeOf, layerCount: number): number | undefined {
  for (let layer = 0; layer < layerCount; layer++) {
    const rows = shapeOf(`blk.${layer}.ffn_gate_shexp.weight`)?.[0];
    if (rows !== undefined) return rows;
  }
  return undefined;
}
