/**
 * MXFP4 of the OCP Microscaling formats, as GGUF stores it (ggml type 39): 4.25 bits a weight. Codes are E2M1
 * floats (sign, two exponent bits, one mantissa bit) times 2^(e − 127), one E8M0 exponent byte e per 32 weights.
 */
import { nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import { LARGEST_EXPONENT, NAN_EXPONENT } from './e8m0_search.ts';
import { e8m0Value, f32ToBits } from './float.ts';
import type { WeightFormat } from './formats.ts';

const MAGNITUDES = Float64Array.of(0, 0.5, 1, 1.5, 2, 3, 4, 6);
/** The values of the sixteen E2M1 codes; −0 is 0. */
export const E2M1_VALUES = Float64Array.from([...MAGNITUDES, ...MAGNITUDES.map((m) => (m === 0 ? 0 : -m))]);
/** Magnitude m + 1 is nearer than m above this; a tie goes to the smaller one, as in ggml. */
const MIDPOINTS = Float64Array.of(0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5);

/** Code of the level nearest to `magnitude` (≥ 0, in units of the scale). */
function nearestCode(magnitude: number): number {
  let code = 0;
  while (code < 7 && magnitude > MIDPOINTS[code]) code++;
  return code;
}

/**
 * Codes, their magnitudes and the squares of those, by ⌈4 · magnitude⌉: all midpoints are quarters, so a table tells
 * the nearest level. The scales that are tried leave no weight above 16 of them.
 */
const CODE_BY_QUARTERS = Uint8Array.from({ length: 65 }, (_, quarters) => nearestCode(quarters / 4));
/** The same with the weight's sign in bit 7 of the index; what becomes zero has none. */
const SIGNED_CODES = Uint8Array.from({ length: 128 + 65 }, (_, index) => {
  const code = CODE_BY_QUARTERS[index & 127] ?? 0;
  return index >= 128 && code > 0 ? code | 8 : code;
});
const MAGNITUDE_BY_QUARTERS = Float64Array.from(CODE_BY_QUARTERS, (code) => MAGNITUDES[code]);
const SQUARE_BY_QUARTERS = MAGNITUDE_BY_QUARTERS.map((m) => m * m);

/**
 * The exponent byte with the least squared error, the lower one on a tie; NAN_EXPONENT where a value isn't finite. With
 * the largest magnitude m in [2^k, 2^(k+1)) only k − 3 … k − 1 can win: 2^(k−1) reaches past m and has every level that a
 * larger scale has below m; 2^(k−4) loses at least (5/8 · 2^k)² on m and gains at most (2^(k−4))² on each other weight.
 *
 * All three are tried in one pass: twice the scale is half as many quarters. Errors are less Σ x², which no scale
 * changes: s² Σ level² − 2 s Σ level · x.
 */
function bestExponent(x: Float32Array, xIndex: number): number {
  let largest = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    if (!Number.isFinite(magnitude)) return NAN_EXPONENT;
    if (magnitude > largest) largest = magnitude;
  }
  const exponent = f32ToBits(largest) >>> 23;
  const first = Math.max(0, exponent - 3);
  const last = Math.min(LARGEST_EXPONENT, Math.max(0, exponent - 1));
  const scale = e8m0Value(first);
  const quartersPerUnit = 4 / scale;
  let [squares1, squares2, squares4, products1, products2, products4] = [0, 0, 0, 0, 0, 0];
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    const quarters1 = Math.ceil(magnitude * quartersPerUnit);
    const quarters2 = (quarters1 + 1) >> 1;
    const quarters4 = (quarters2 + 1) >> 1;
    squares1 += SQUARE_BY_QUARTERS[quarters1];
    squares2 += SQUARE_BY_QUARTERS[quarters2];
    squares4 += SQUARE_BY_QUARTERS[quarters4];
    products1 += MAGNITUDE_BY_QUARTERS[quarters1] * magnitude;
    products2 += MAGNITUDE_BY_QUARTERS[quarters2] * magnitude;
    products4 += MAGNITUDE_BY_QUARTERS[quarters4] * magnitude;
  }
  const error1 = scale * (scale * squares1 - 2 * products1);
  const error2 = 2 * scale * (2 * scale * squares2 - 2 * products2);
  const error4 = 4 * scale * (4 * scale * squares4 - 2 * products4);
  let best = first;
  let bestError = error1;
  if (first < last && error2 < bestError) {
    best = first + 1;
    bestError = error2;
  }
  return first + 1 < last && error4 < bestError ? first + 2 : best;
}

function encodeBlocks(x: Float32Array, xIndex: number, blocks: number, dst: Uint8Array, at: number): void {
  const bits = new Int32Array(x.buffer, x.byteOffset + 4 * xIndex, 32 * blocks);
  for (let block = 0, i = 0; block < blocks; block++, i += 32, at += 17) {
    const e = bestExponent(x, xIndex + i);
    const quartersPerUnit = 4 / e8m0Value(e);
    dst[at] = e;
    for (let j = i; j < i + 16; j++) {
      const low = SIGNED_CODES[Math.ceil(Math.abs(x[xIndex + j]) * quartersPerUnit) | (bits[j] >>> 31 << 7)];
      const high = SIGNED_CODES[Math.ceil(Math.abs(x[xIndex + j + 16]) * quartersPerUnit) | (bits[j + 16] >>> 31 << 7)];
      dst[at + 1 + j - i] = low | (high << 4);
    }
  }
}

/** Block in the file: the exponent byte, 16 bytes with weights 0…15 in the low and 16…31 in the high nibbles. */
export const mxfp4: WeightFormat = {
  name: 'MXFP4',
  ggmlType: 39,
  blockElems: 32,
  blockByteLength: 17,
  planes: [{ name: 'codes', blockByteLength: 16 }, { name: 'scales', blockByteLength: 1 }],
  multiByteFields: [],
  shader: 'mxfp4',
  decodeBlock(src, at, out, outIndex) {
    const scale = e8m0Value(src[at]);
    for (let j = 0; j < 16; j++) {
      const byte = src[at + 1 + j];
      out[outIndex + j] = E2M1_VALUES[byte & 15] * scale;
      out[outIndex + j + 16] = E2M1_VALUES[byte >> 4] * scale;
    }
  },
  packBlock(src, at, planes, block) {
    nibblesToNatural(src, at + 1, 16, planes[0], block * 16);
    planes[1][block] = src[at];
  },
  unpackBlock(planes, block, dst, at) {
    nibblesFromNatural(planes[0], block * 16, 16, dst, at + 1);
    dst[at] = planes[1][block];
  },
  encodeBlock: (x, xIndex, dst, at) => encodeBlocks(x, xIndex, 1, dst, at),
  encodeBlocks,
};
