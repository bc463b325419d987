/**
 * W3, our 3-bit expert format: 3.25 bits a weight. Codes 0 … 7 stand for −8 −5 −3 −1 1 3 5 8 times a 64th of an E4M3
 * float, one for 32 weights. Sign-symmetric for the reason given in w2.ts; E4M3 scales, because at three bits the
 * rounding of a scale to a power of two costs more than that of the weights.
 */
import { copyBytes } from './bit_order.ts';
import { e4m3Floor, e4m3Value } from './float8.ts';
import type { WeightFormat } from './formats.ts';

/** Level m + 1 is taken from this many scales on. */
const MIDPOINTS = Float64Array.of(2, 4, 6.5);
const CODE_VALUES = Float64Array.of(-8, -5, -3, -1, 1, 3, 5, 8);
const LARGEST_SCALE = 0x7e;
const NAN_SCALE = 0x7f;
/**
 * A weight m above this decides for the largest scale, 7: the next lower one, 6.5, loses (m − 52)² − (m − 56)² more on it,
 * while the other 31 can lose no more than 1.5 scales each, 31 · 10.5² together. (The search's squares of still larger
 * weights would be too coarse to tell scales apart.)
 */
const ALWAYS_LARGEST_FROM = 512;

function scaleValue(byte: number): number {
  return e4m3Value(byte) / 64;
}

/** Squared error of the block's best codes under scale s; something greater than `limit` as soon as it exceeds that. */
function squaredError(x: Float32Array, xIndex: number, s: number, limit: number): number {
  const to3 = MIDPOINTS[0] * s;
  const to5 = MIDPOINTS[1] * s;
  const to8 = MIDPOINTS[2] * s;
  let sum = 0;
  for (let j = 0; j < 32 && sum <= limit; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    const error = magnitude - (magnitude >= to5 ? (magnitude >= to8 ? 8 : 5) : magnitude >= to3 ? 3 : 1) * s;
    sum += error * error;
  }
  return sum;
}

/**
 * The scale byte with the least squared error, the lower one on a tie; NAN_SCALE where a weight isn't finite. Zero, the
 * scale of a block of zeros, counts as well. With the largest magnitude m, a scale above the first that reaches m
 * overshoots every weight by more than that one does. A scale s < m / 8 loses at least (m − 8 s)² on m alone, which only
 * grows on the way down, so the search from m / 8 upwards and then downwards ends there.
 */
function bestScale(x: Float32Array, xIndex: number): number {
  let largest = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    if (!Number.isFinite(magnitude)) return NAN_SCALE;
    if (magnitude > largest) largest = magnitude;
  }
  if (largest > ALWAYS_LARGEST_FROM) return LARGEST_SCALE;
  const start = e4m3Floor(8 * largest);
  let best = start;
  let bestError = squaredError(x, xIndex, scaleValue(start), Infinity);
  for (let byte = start + 1; byte <= Math.min(LARGEST_SCALE, e4m3Floor(64 * largest) + 1); byte++) {
    const error = squaredError(x, xIndex, scaleValue(byte), bestError);
    if (error < bestError) {
      best = byte;
      bestError = error;
    }
  }
  for (let byte = start - 1; byte >= 0; byte--) {
    const overflow = largest - 8 * scaleValue(byte);
    if (overflow * overflow > bestError) break;
    const error = squaredError(x, xIndex, scaleValue(byte), bestError);
    if (error <= bestError) {
      best = byte;
      bestError = error;
    }
  }
  return best;
}

/**
 * Block in the file: 8 bytes with the low two bits of the codes (weight j in bits 2·(j % 4) of byte j >> 2), 4 bytes with
 * their high bits (weight j in bit j % 8 of byte 8 + (j >> 3)), then the scale byte.
 */
export const w3: WeightFormat = {
  name: 'W3',
  ggmlType: null,
  blockElems: 32,
  blockByteLength: 13,
  planes: [
    { name: 'low', blockByteLength: 8 },
    { name: 'high', blockByteLength: 4 },
    { name: 'scales', blockByteLength: 1 },
  ],
  multiByteFields: [],
  shader: 'w3',
  decodeBlock(src, at, out, outIndex) {
    const scale = scaleValue(src[at + 12]);
    for (let j = 0; j < 32; j++) {
      const low = (src[at + (j >> 2)] >> (2 * (j & 3))) & 3;
      const high = (src[at + 8 + (j >> 3)] >> (j & 7)) & 1;
      out[outIndex + j] = CODE_VALUES[low | (high << 2)] * scale;
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at, 8, planes[0], block * 8);
    copyBytes(src, at + 8, 4, planes[1], block * 4);
    planes[2][block] = src[at + 12];
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 8, 8, dst, at);
    copyBytes(planes[1], block * 4, 4, dst, at + 8);
    dst[at + 12] = planes[2][block];
  },
  /**
   * Scale by least squares. Weights that are zero, or become zero by a zero scale, alternate in sign by position, so that
   * they add no bias; a block holding NaN or infinity gets the NaN scale. Magnitudes beyond 8 largest scales (56) become
   * ±56.
   */
  encodeBlock(x, xIndex, dst, at) {
    const scaleByte = bestScale(x, xIndex);
    const s = scaleValue(scaleByte);
    dst.fill(0, at, at + 12);
    for (let j = 0; j < 32; j++) {
      const value = s === 0 ? 0 : x[xIndex + j];
      const magnitude = Math.abs(value);
      let m = 0;
      if (magnitude > 0) while (m < 3 && magnitude >= MIDPOINTS[m] * s) m++;
      const negative = value < 0 || (value === 0 && (j & 1) === 1);
      const code = negative ? 3 - m : 4 + m;
      dst[at + (j >> 2)] |= (code & 3) << (2 * (j & 3));
      dst[at + 8 + (j >> 3)] |= (code >> 2) << (j & 7);
    }
    dst[at + 12] = scaleByte;
  },
};
