/**
 * MXFP4 of the OCP Microscaling formats, as GGUF stores it (ggml type 39): 4.25 bits a weight. Codes are E2M1
 * floats (sign, two exponent bits, one mantissa bit) times 2^(e − 127), one E8M0 exponent byte e per 32 weights.
 */
import { nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import { leastSquaresExponent } from './e8m0_search.ts';
import { e8m0Value } from './float.ts';
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
const MAGNITUDE_BY_QUARTERS = Float64Array.from(CODE_BY_QUARTERS, (code) => MAGNITUDES[code]);
const SQUARE_BY_QUARTERS = MAGNITUDE_BY_QUARTERS.map((m) => m * m);

/** Squared error of the block's nearest codes, less Σ x², which no scale changes: s² Σ level² − 2 s Σ level · x. */
function relativeSquaredError(x: Float32Array, xIndex: number, scale: number): number {
  const quartersPerUnit = 4 / scale;
  let squares = 0;
  let products = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    const quarters = Math.ceil(magnitude * quartersPerUnit);
    squares += SQUARE_BY_QUARTERS[quarters];
    products += MAGNITUDE_BY_QUARTERS[quarters] * magnitude;
  }
  return scale * (scale * squares - 2 * products);
}

/**
 * The exponent byte with the least squared error, the lower one on a tie; 255 where a value isn't finite. With the
 * largest magnitude m in [2^k, 2^(k+1)) only k − 3 … k − 1 can win: 2^(k−1) reaches past m and has every level that a
 * larger scale has below m; 2^(k−4) loses at least (5/8 · 2^k)² on m and gains at most (2^(k−4))² on each other weight.
 */
function bestExponent(x: Float32Array, xIndex: number): number {
  return leastSquaresExponent(x, xIndex, -3, -1, (scale) => relativeSquaredError(x, xIndex, scale));
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
  encodeBlock(x, xIndex, dst, at) {
    const e = bestExponent(x, xIndex);
    const quartersPerUnit = 4 / e8m0Value(e);
    const code = (j: number): number => {
      const magnitude = CODE_BY_QUARTERS[Math.ceil(Math.abs(x[xIndex + j]) * quartersPerUnit)];
      return x[xIndex + j] < 0 && magnitude > 0 ? magnitude | 8 : magnitude;
    };
    dst[at] = e;
    for (let j = 0; j < 16; j++) dst[at + 1 + j] = code(j) | (code(j + 16) << 4);
  },
};
