/**
 * W2, our 2-bit expert format: 2.25 bits a weight. Codes 0, 1, 2, 3 stand for −4, −1, +1, +4 times 2^(e − 127),
 * with one E8M0 exponent byte e per 32 weights. The codebook is symmetric on purpose: codebooks that minimise
 * the squared error have a sign bias that compounds over layers.
 */
import { copyBytes } from './bit_order.ts';
import { leastSquaresExponent } from './e8m0_search.ts';
import { e8m0Value } from './float.ts';
import type { WeightFormat } from './formats.ts';

const CODE_VALUES = Float64Array.of(-4, -1, 1, 4);
/** Magnitudes at and above this many scales are nearer to 4 than to 1. */
const OUTER_FROM = 2.5;
/** Squared error of the block's best codes under scale s. */
function squaredError(x: Float32Array, xIndex: number, s: number): number {
  let sum = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    const error = magnitude - (magnitude >= OUTER_FROM * s ? 4 * s : s);
    sum += error * error;
  }
  return sum;
}

/**
 * The exponent byte with the least squared error, the lower one on a tie. Only the seven exponents around the
 * largest magnitude m can win: with 2^k ≤ m < 2^(k+1), a scale above 2^(k+1) overshoots every weight by more
 * than 2^(k+1) does, and one below 2^(k−5) loses more on m than any choice of the other 31 can win back.
 */
function bestExponent(x: Float32Array, xIndex: number): number {
  return leastSquaresExponent(x, xIndex, -5, 1, (scale) => squaredError(x, xIndex, scale));
}

/** Block in the file: 8 code bytes (weight j in bits 2·(j % 4) of byte j >> 2), then the exponent byte. */
export const w2: WeightFormat = {
  name: 'W2',
  ggmlType: null,
  blockElems: 32,
  blockByteLength: 9,
  planes: [{ name: 'codes', blockByteLength: 8 }, { name: 'scales', blockByteLength: 1 }],
  multiByteFields: [],
  shader: 'w2',
  decodeBlock(src, at, out, outIndex) {
    const scale = e8m0Value(src[at + 8]);
    for (let j = 0; j < 32; j++) {
      out[outIndex + j] = CODE_VALUES[(src[at + (j >> 2)] >> (2 * (j & 3))) & 3] * scale;
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at, 8, planes[0], block * 8);
    planes[1][block] = src[at + 8];
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 8, 8, dst, at);
    dst[at + 8] = planes[1][block];
  },
  /**
   * Scale by least squares over all exponents. Exact zeros alternate in sign by position, so that they add no
   * bias; a block holding NaN or infinity gets the NaN scale, so the damage shows instead of being rounded away.
   */
  encodeBlock(x, xIndex, dst, at) {
    const e = bestExponent(x, xIndex);
    const outer = OUTER_FROM * e8m0Value(e);
    for (let byte = 0; byte < 8; byte++) {
      let bits = 0;
      for (let t = 0; t < 4; t++) {
        const j = byte * 4 + t;
        const value = x[xIndex + j];
        const negative = value < 0 || (value === 0 && (j & 1) === 1);
        const isOuter = Math.abs(value) >= outer;
        bits |= (negative ? (isOuter ? 0 : 1) : (isOuter ? 3 : 2)) << (2 * t);
      }
      dst[at + byte] = bits;
    }
    dst[at + 8] = e;
  },
};
