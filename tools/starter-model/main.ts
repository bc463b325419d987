/**
 * Makes test/vectors/starter/starter.gguf: a tiny Qwen3-MoE of random weights for tests of the whole path, which need a
 * model that opens at once and not one that makes sense. Always the same bytes.
 *
 *   npm run starter-model
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeGguf } from '../../src/formats/gguf_writer.ts';
import { WEIGHT_FORMATS } from '../../src/quant/formats.ts';
import { shapeMetadata, shapeTensors, type MoeShape, type ShapeTensor } from '../synthetic/moe_shape.ts';
import { randomBlocks } from '../synthetic/random_weights.ts';
import { starterVocabulary } from './vocabulary.ts';

const OUT = resolve(import.meta.dirname, '../../test/vectors/starter');
const TITLE = 'Starter (random weights)';
const NOTE = 'Random weights: it answers gibberish. It only shows that download, import, GPU and chat work here.';

const vocabulary = starterVocabulary();

const SHAPE: MoeShape = {
  architecture: 'qwen3moe', hiddenSize: 256, layerCount: 3, headCount: 4, kvHeadCount: 2, headDim: 64,
  expertCount: 8, expertUsedCount: 2, expertFfnSize: 64, vocabSize: vocabulary.size, contextLength: 2048,
};

// A mix of formats, so that the page runs several kernels.
const tensors = shapeTensors(SHAPE, { embedding: 'F16', attention: 'Q8_0', gateUp: 'Q4_K', down: 'Q4_0', head: 'Q6_K' });

function tensorData({ format, shape, role }: ShapeTensor, seed: number): Uint8Array {
  const count = shape.reduce((product, dim) => product * dim, 1);
  if (role === 'norm') {
    return new Uint8Array(new Float32Array(count).fill(1).buffer);
  }
  const cols = shape[shape.length - 1];
  return randomBlocks(format, count / WEIGHT_FORMATS[format].blockElems, 1 / Math.sqrt(cols), seed);
}

const file = writeGguf(
  new Map([
    ...shapeMetadata(SHAPE, TITLE),
    ['general.description', { type: 'string', value: NOTE }] as const,
    ['general.license', { type: 'string', value: 'apache-2.0' }] as const,
    ...vocabulary.metadata,
  ]),
  tensors.map((tensor, index) => ({ ...tensor, data: tensorData(tensor, index + 1) })),
);

mkdirSync(OUT, { recursive: true });
writeFileSync(join(OUT, 'starter.gguf'), file);
console.log(`starter.gguf: ${(file.byteLength / 1e6).toFixed(2)} MB`);
