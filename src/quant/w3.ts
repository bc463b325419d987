/**
 * W3, our 3-bit expert format: 3.25 bits a weight. Codes 0 … 7 stand for −8 −5 −3 −1 1 3 5 8 times a 64th of an E4M3
 * float, one for 32 weights. Sign-symmetric for the reason given in w2.ts. Scales are E4M3 because at three bits a
 * coarser scale shows: on Gaussian weights the relative RMS error is 0.163, with powers of two it would be 0.19 to 0.20.
 */
import { copyBytes } from './bit_order.ts';
import { e4m3Floor, e4m3Value } from './float8.ts';
import type { WeightFormat } from './formats.ts';

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

/** Room for a search, by scale byte: all zero between blocks. */
interface Steps {
  /** What Σ level · |x| and Σ level² grow by under this scale, compared with the next larger. */
  readonly products: Float64Array;
  readonly squares: Float64Array;
}

/**
 * The scale byte with the least squared error, the lower one on a tie; NAN_SCALE where a weight isn't finite. Zero, the
 * scale of a block of zeros, counts as well.
 *
 * Under scale s the error is Σ x² − 2 s Σ level·|x| + s² Σ level². On the way down from the first scale that reaches the
 * largest magnitude m (any above overshoots all weights by more), where every level is 1, each weight takes three steps,
 * and at which scales is found beforehand. A scale below m / 8 loses at least (m − 8 s)² on m alone, which grows on the
 * way down: the search ends when that is more than the best error.
 */
function bestScale(x: Float32Array, xIndex: number, { products, squares }: Steps): number {
  let largest = 0;
  let sum = 0;
  let sumOfSquares = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    if (!Number.isFinite(magnitude)) return NAN_SCALE;
    if (magnitude > largest) largest = magnitude;
    sum += magnitude;
    sumOfSquares += magnitude * magnitude;
  }
  if (largest > ALWAYS_LARGEST_FROM) return LARGEST_SCALE;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    const to3 = e4m3Floor(magnitude * (64 / 2));
    const to5 = e4m3Floor(magnitude * (64 / 4));
    const to8 = e4m3Floor(magnitude * (64 / 6.5));
    products[to3] += 2 * magnitude;
    products[to5] += 2 * magnitude;
    products[to8] += 3 * magnitude;
    squares[to3] += 3 ** 2 - 1;
    squares[to5] += 5 ** 2 - 3 ** 2;
    squares[to8] += 8 ** 2 - 5 ** 2;
  }
  const first = Math.min(LARGEST_SCALE, e4m3Floor(64 * largest) + 1);
  let best = 0;
  let bestError = Infinity;
  let product = sum;
  let square = 32;
  for (let byte = first; byte >= 0; byte--) {
    product += products[byte];
    square += squares[byte];
    const s = scaleValue(byte);
    const overflow = largest - 8 * s;
    if (overflow > 0 && overflow * overflow > bestError) break;
    const error = sumOfSquares + s * (s * square - 2 * product);
    if (error <= bestError) {
      best = byte;
      bestError = error;
    }
  }
  products.fill(0, 0, first + 1);
  squares.fill(0, 0, first + 1);
  return best;
}

function encodeBlocks(x: Float32Array, xIndex: number, blocks: number, dst: Uint8Array, dstByteOffset: number): void {
  const steps: Steps = { products: new Float64Array(LARGEST_SCALE + 1), squares: new Float64Array(LARGEST_SCALE + 1) };
  for (let block = 0; block < blocks; block++) {
    const first = xIndex + 32 * block;
    const at = dstByteOffset + 13 * block;
    const scaleByte = bestScale(x, first, steps);
    const s = scaleValue(scaleByte);
    let high = 0;
    for (let word = 0; word < 8; word++) {
      let low = 0;
      for (let t = 0; t < 4; t++) {
        const code = codeOf(x[first + 4 * word + t], s, t & 1);
        low |= (code & 3) << (2 * t);
        high |= (code >> 2) << (4 * word + t);
      }
      dst[at + word] = low;
    }
    for (let byte = 0; byte < 4; byte++) dst[at + 8 + byte] = (high >>> (8 * byte)) & 255;
    dst[at + 12] = scaleByte;
  }
}

/** Code of a weight under scale s. Weights that are zero, or become zero by a zero scale, take the sign of their parity. */
function codeOf(value: number, s: number, parity: number): number {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || s === 0) return 4 - parity;
  // Comparisons as numbers: branches on them would be mispredicted half the time.
  const m = Number(magnitude >= 2 * s) + Number(magnitude >= 4 * s) + Number(magnitude >= 6.5 * s);
  return value < 0 ? 3 - m : 4 + m;
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
   * Scale by least squares. Zeros alternate in sign by position, so that they add no bias; a block holding NaN or
   * infinity gets the NaN scale. Magnitudes beyond 8 largest scales (56) become ±56.
   */
  encodeBlock: (x, xIndex, dst, at) => encodeBlocks(x, xIndex, 1, dst, at),
  encodeBlocks,
};
