import type { MoeShape } from '../synthetic/moe_shape.ts';

export const BENCH_SHAPES: Readonly<Record<string, MoeShape>> = {
  /** OLMoE-1B-7B: 6.9 billion weights, 1.3 billion used for a token. */
  olmoe: {
    architecture: 'olmoe', hiddenSize: 2048, layerCount: 16, headCount: 16, kvHeadCount: 16, headDim: 128,
    expertCount: 64, expertUsedCount: 8, expertFfnSize: 1024, vocabSize: 50304, contextLength: 4096,
  },
  /** OLMoE's widths with 2 layers and 16 experts: a quick check of the same kernels. */
  'olmoe-slice': {
    architecture: 'olmoe', hiddenSize: 2048, layerCount: 2, headCount: 16, kvHeadCount: 16, headDim: 128,
    expertCount: 16, expertUsedCount: 8, expertFfnSize: 1024, vocabSize: 4096, contextLength: 4096,
  },
  /** Qwen3-30B-A3B: 30.5 billion weights, 3.3 billion used for a token. */
  'qwen3-30b': {
    architecture: 'qwen3moe', hiddenSize: 2048, layerCount: 48, headCount: 32, kvHeadCount: 4, headDim: 128,
    expertCount: 128, expertUsedCount: 8, expertFfnSize: 768, vocabSize: 151936, contextLength: 32768,
  },
  tiny: {
    architecture: 'olmoe', hiddenSize: 256, layerCount: 4, headCount: 4, kvHeadCount: 4, headDim: 64,
    expertCount: 8, expertUsedCount: 2, expertFfnSize: 256, vocabSize: 1024, contextLength: 2048,
  },
};
