/** Mixtral (Jiang et al. 2024; 8x7B, 8x22B) and its merges: a Llama with experts. GGUF calls it 'llama'. */
import { attentionBlock, embedding, expertBlock, outputHead } from './blocks.ts';
import { layersOf, type Architecture } from './architecture.ts';
import { commonFromConfig, commonFromGguf, LIMITS } from './hyperparameters.ts';
import {
  attentionTensors, ggufExperts, hfExperts, outerTensors, routerTensor, type ExpertMatrix, type ExpertSources,
} from './tensor_specs.ts';

export const mixtral: Architecture = {
  id: 'mixtral',
  ggufName: 'llama',
  hfModelTypes: ['mixtral'],
  acceptsGguf: (meta) => meta.integer('expert_count', 0, LIMITS.expertCount, 0) > 0,

  // GGUF converters of the Llama family reorder the rows of q and k so that RoPE's pairs lie side by side.
  fromGguf: (meta, shapeOf) => commonFromGguf(meta, shapeOf, {
    ropeStyle: 'interleaved', normTopkProb: true,
    expertFfnSize: (fields) => fields.integer('feed_forward_length', 1, LIMITS.ffnSize),
  }),

  fromConfig: (config) => commonFromConfig(config, {
    expertCountKeys: ['num_local_experts', 'num_experts'],
    expertFfnKey: 'intermediate_size',
    normTopkProb: () => true,
    slidingWindow: (fields) => fields.integer('sliding_window', 0, LIMITS.contextLength, 0) || null,
  }),

  denseTensors: (hp) => [
    ...outerTensors(hp),
    ...layersOf(hp).flatMap(({ layer }) => [
      ...attentionTensors(hp, layer, 'none'),
      routerTensor(hp, layer, 'block_sparse_moe.gate.weight'),
    ]),
  ],

  expertLayers: (hp) => layersOf(hp).map(({ layer }) => ({ layer, gguf: ggufExperts(layer), hf: hfSources(layer) })),

  forward: (b, hp) => {
    const stream = embedding(b, hp);
    for (const { layer } of layersOf(hp)) {
      attentionBlock(b, hp, layer, stream, 'none');
      expertBlock(b, hp, layer, stream);
    }
    return outputHead(b, hp, stream);
  },
};

function hfSources(layer: number): ExpertSources {
  const names: Readonly<Record<ExpertMatrix, string>> = { gate: 'w1', up: 'w3', down: 'w2' };
  return hfExperts(layer, 'block_sparse_moe.experts', names);
}
