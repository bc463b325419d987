/**
 * W2, our 2-bit expert format: 2.25 bits a weight. Codes 0, 1, 2, 3 stand for −4, −1, +1, +4 times 2^(e − 127),
 * with one E8M0 exponent byte e per 32 weights. The codebook is symmetric on purpose: codebooks that minimise
 * the squared error have a sign bias that compounds over layers.
 */
import { copyBytes } from './bit_order.ts';
import { LARGEST_EXPONENT, NAN_EXPONENT } from './e8m0_search.ts';
import { e8m0Value } from './float.ts';
import type { WeightFormat } from './formats.ts';

const CODE_VALUES = Float64Array.of(-4, -1, 1, 4);
/** f32 bits of the magnitudes that W2 tells apart: from 2.5 = 1.25 · 2 scales on, a weight is nearer to 4 than to 1. */
const FRACTION_OF_OUTER = 0x200000;
const INFINITY_BITS = 0x7f800000;

/** Exponent bytes that can win, counted from that of the largest magnitude: see chooseExponent. */
const LOWEST = -5;
const HIGHEST = 1;

/**
 * For a weight of these bits: it becomes ±4 under every exponent byte below the result, ±1 under the others.
 * (2.5 scales are 1.25 · 2^(e − 126), so the question is one of the exponent, once 1.25's fraction is taken off.)
 */
function outerBelow(bits: number): number {
  return ((bits & 0x7fffffff) - FRACTION_OF_OUTER) >> 23;
}

/**
 * Encodes blocks; the exponent of each is the one with the least squared error, the lower one on a tie. Only the seven
 * exponents around the largest magnitude m can win: with 2^k ≤ m < 2^(k+1), a scale above 2^(k+1) overshoots every
 * weight by more than 2^(k+1) does, and one below 2^(k−5) loses more on m than any choice of the other 31 can win back.
 *
 * With scale s, n weights that become ±4 and the sum S of all magnitudes and T of those n, the error is
 * Σ x² − 2 s (S + 3 T) + s² (32 + 15 n): weights are sorted into seven classes once instead of being compared with
 * seven scales.
 */
function encodeBlocks(x: Float32Array, xIndex: number, blocks: number, dst: Uint8Array, at: number): void {
  const bits = new Int32Array(x.buffer, x.byteOffset + 4 * xIndex, 32 * blocks);
  const counts = new Int32Array(HIGHEST - LOWEST + 1);
  const sums = new Float64Array(HIGHEST - LOWEST + 1);
  for (let block = 0, i = 0; block < blocks; block++, i += 32, at += 9) {
    const e = chooseExponent(x, xIndex + i, bits, i, counts, sums);
    for (let byte = 0, j = i; byte < 8; byte++, j += 4) {
      dst[at + byte] = codeOf(bits[j], e, 0) | (codeOf(bits[j + 1], e, 1) << 2)
        | (codeOf(bits[j + 2], e, 0) << 4) | (codeOf(bits[j + 3], e, 1) << 6);
    }
    dst[at + 8] = e;
  }
}

/** Code of a weight under an exponent byte. Exact zeros take the sign of their parity, so that they add no bias. */
function codeOf(bits: number, e: number, parity: number): number {
  const negative = (bits & 0x7fffffff) === 0 ? parity : bits >>> 31;
  const outer = (e - outerBelow(bits)) >>> 31;
  // 2 and 3 are +1 and +4; the other sign is the complement.
  return (2 + outer) ^ (negative * 3);
}

/** @param counts,sums room for the classes, cleared here */
function chooseExponent(
  x: Float32Array, xIndex: number, bits: Int32Array, at: number, counts: Int32Array, sums: Float64Array,
): number {
  let largest = 0;
  for (let j = 0; j < 32; j++) {
    const magnitudeBits = bits[at + j] & 0x7fffffff;
    if (magnitudeBits > largest) largest = magnitudeBits;
  }
  if (largest >= INFINITY_BITS) return NAN_EXPONENT;
  const exponent = largest >>> 23;
  const first = Math.max(0, exponent + LOWEST);
  const last = Math.min(LARGEST_EXPONENT, Math.max(0, exponent + HIGHEST));
  // Class c > 0 is outer under the exponents below first + c, class 0 under none of them.
  counts.fill(0);
  sums.fill(0);
  for (let j = 0; j < 32; j++) {
    const c = Math.max(0, outerBelow(bits[at + j]) - first);
    counts[c]++;
    sums[c] += Math.abs(x[xIndex + j]);
  }
  let all = 0;
  for (let c = 0; c < sums.length; c++) all += sums[c];
  let best = first;
  let bestError = Infinity;
  let outerCount = 0;
  let outerSum = 0;
  for (let e = last, c = counts.length - 1; e >= first; e--) {
    for (; c > e - first; c--) {
      outerCount += counts[c];
      outerSum += sums[c];
    }
    const s = e8m0Value(e);
    const error = s * (s * (32 + 15 * outerCount) - 2 * (all + 3 * outerSum));
    if (error <= bestError) {
      best = e;
      bestError = error;
    }
  }
  return best;
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
   * Scale by least squares over all exponents. A block holding NaN or infinity gets the NaN scale, so the damage shows
   * instead of being rounded away.
   */
  encodeBlock: (x, xIndex, dst, at) => encodeBlocks(x, xIndex, 1, dst, at),
  encodeBlocks,
};
