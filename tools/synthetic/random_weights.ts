/**
 * Random weights in any format, cheaply: a pool of random blocks is made once per format and repeated over the
 * planes of a packed matrix. The pool's length is a prime number of blocks, so rows differ from each other.
 */
import { f32ToF16, writeF16 } from '../../src/quant/float.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { planeViews } from '../../src/quant/pack.ts';
import { matrixConstants, packedLayout } from '../../src/quant/packed.ts';
import { writeIq1mScale } from './iq1m_scale.ts';
import { normalValues, uniformRandom } from './random.ts';
import { WIDE_SCALES } from './wide_scales.ts';

const POOL_BLOCKS = 4099;

/**
 * f16 scale fields of the formats that we have no encoder for: [byte offset in the block, value relative to the
 * block's main scale]. The ratios give values of mean 0 (nearly) with uniformly random codes.
 */
const SCALE_FIELDS: Partial<Record<WeightFormatName, readonly (readonly [byteOffset: number, ratio: number])[]>> = {
  Q4_0: [[0, 1]],
  Q4_K: [[0, 1], [2, 7.5]],
  Q6_K: [[208, 1]],
  Q2_K: [[80, 1], [82, 1.5]],
  Q4_1: [[0, 1], [2, -7.5]],
  Q5_0: [[0, 1]],
  Q5_1: [[0, 1], [2, -15.5]],
  Q3_K: [[108, 1]],
  Q5_K: [[0, 1], [2, 15.5]],
  IQ4_NL: [[0, 1]],
  IQ4_XS: [[0, 1]],
  TQ1_0: [[52, 1]],
  TQ2_0: [[64, 1]],
  Q1_0: [[0, 1]],
  Q2_0: [[0, 1]],
  IQ1_S: [[0, 1]],
  IQ1_M: [], // its f16 is in four pieces: writeIq1mScale
  IQ2_XXS: [[0, 1]],
  IQ2_XS: [[0, 1]],
  IQ2_S: [[0, 1]],
  IQ3_XXS: [[0, 1]],
  IQ3_S: [[0, 1]],
};

/** Formats of 2-bit codes 0, 1, 2 for −1, 0, 1: a fourth code stands for 2 and would give the weights a mean. */
const TERNARY: readonly WeightFormatName[] = ['TQ2_0', 'Q2_0'];

/** Blocks in file layout of normally distributed values. @throws Error where the format has no recipe. */
export function randomBlocks(format: WeightFormatName, blockCount: number, standardDeviation: number, seed: number): Uint8Array {
  const { blockElems, blockByteLength, encodeBlock, decodeBlock } = WEIGHT_FORMATS[format];
  const random = uniformRandom(seed);
  const blocks = new Uint8Array(blockCount * blockByteLength);
  if (encodeBlock) {
    const values = normalValues(random, blockCount * blockElems, standardDeviation);
    for (let block = 0; block < blockCount; block++) {
      encodeBlock(values, block * blockElems, blocks, block * blockByteLength);
    }
    return blocks;
  }
  const setWide = WIDE_SCALES[format];
  const fields = SCALE_FIELDS[format] ?? (setWide ? [] : undefined);
  if (!fields) {
    throw new Error(`There is no recipe for random ${format} weights: add its scale fields to tools/synthetic/random_weights.ts.`);
  }
  for (let i = 0; i < blocks.length; i++) {
    const byte = random() * 256;
    blocks[i] = TERNARY.includes(format) ? byte & ~((byte & 0x55) << 1) : byte;
  }
  const setScale = (scale: number) => {
    for (let block = 0; block < blockCount; block++) {
      setWide?.(blocks.subarray(block * blockByteLength, (block + 1) * blockByteLength), scale);
      if (format === 'IQ1_M') writeIq1mScale(blocks, block * blockByteLength, f32ToF16(scale));
      for (const [byteOffset, ratio] of fields) {
        writeF16(blocks, block * blockByteLength + byteOffset, scale * ratio);
      }
    }
  };
  // Codes are random bits: measure what they give with scale 1, then set the scale that gives the deviation asked for.
  setScale(1);
  const values = new Float32Array(blockElems);
  let sumOfSquares = 0;
  for (let block = 0; block < blockCount; block++) {
    decodeBlock(blocks, block * blockByteLength, values, 0);
    sumOfSquares += values.reduce((sum, value) => sum + value * value, 0);
  }
  const wanted = standardDeviation / Math.sqrt(sumOfSquares / (blockCount * blockElems));
  setScale(wanted);
  if ((f32ToF16(wanted) & 0x7fff) === 0) {
    throw new RangeError(`a deviation of ${standardDeviation} is too small for the f16 scales of ${format}`);
  }
  return blocks;
}

/** Packed matrices of random weights, each filled from the pool of its format and deviation. */
export class RandomWeights {
  readonly #pools = new Map<string, readonly Uint8Array[]>();

  /** Packed [rows, cols] matrix; `seed` moves the start in the pool. */
  matrix(format: WeightFormatName, rows: number, cols: number, standardDeviation: number, seed: number): Uint8Array {
    const layout = packedLayout(format, rows, cols);
    const packed = new Uint8Array(layout.byteLength);
    const pool = this.#pool(format, standardDeviation);
    const start = (seed * 977) % POOL_BLOCKS;
    planeViews(layout, packed).forEach((view, plane) => {
      const { blockByteLength } = WEIGHT_FORMATS[format].planes[plane];
      repeatInto(view, pool[plane], start * blockByteLength);
    });
    if (layout.constants) packed.set(matrixConstants(format, 1), layout.constants.byteOffset);
    return packed;
  }

  #pool(format: WeightFormatName, standardDeviation: number): readonly Uint8Array[] {
    const key = `${format} ${standardDeviation}`;
    let planes = this.#pools.get(key);
    if (!planes) {
      const spec = WEIGHT_FORMATS[format];
      const blocks = randomBlocks(format, POOL_BLOCKS, standardDeviation, 1);
      const made = spec.planes.map((plane) => new Uint8Array(POOL_BLOCKS * plane.blockByteLength));
      for (let block = 0; block < POOL_BLOCKS; block++) {
        spec.packBlock(blocks, block * spec.blockByteLength, made, block);
      }
      planes = made;
      this.#pools.set(key, planes);
    }
    return planes;
  }
}

function repeatInto(dst: Uint8Array, pool: Uint8Array, poolByteOffset: number): void {
  for (let at = 0, from = poolByteOffset; at < dst.length; from = 0) {
    const length = Math.min(pool.length - from, dst.length - at);
    dst.set(pool.subarray(from, from + length), at);
    at += length;
  }
}
