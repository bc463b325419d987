import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import {
  allocatePlanes, decodePackedRows, decodeRows, fileByteLength, packRows, packRowsInto, planeRowRange, planeViews,
  unpackRows,
} from '../../../src/quant/pack.ts';
import { matrixConstants, packedLayout } from '../../../src/quant/packed.ts';

const NAMES = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];

/** Bit field of `width` bits for weight j, lowest bits first, in a plane seen as little-endian u32 words. */
function field(plane: Uint8Array, byteOffset: number, width: number, j: number): number {
  const perWord = 32 / width;
  const word = new DataView(plane.buffer, plane.byteOffset + byteOffset + 4 * Math.floor(j / perWord), 4).getUint32(0, true);
  return (word >>> (width * (j % perWord))) & (2 ** width - 1);
}
const half = (plane: Uint8Array, at: number): number => {
  const bits = plane[at] | (plane[at + 1] << 8);
  const e = (bits >> 10) & 31;
  const f = bits & 1023;
  const magnitude = e === 31 ? (f ? NaN : Infinity) : e === 0 ? f * 2 ** -24 : (1 + f / 1024) * 2 ** (e - 15);
  return bits >> 15 ? -magnitude : magnitude;
};
const i8 = (byte: number) => (byte > 127 ? byte - 256 : byte);

/** Of sub-block g out of the 12 bytes that Q4_K and Q5_K have. */
const scaleAndMin = (s: Uint8Array, g: number) => (g < 4
  ? { scale: s[g] % 64, min: s[g + 4] % 64 }
  : { scale: (s[g + 4] % 16) + 16 * (s[g - 4] >> 6), min: (s[g + 4] >> 4) + 16 * (s[g] >> 6) });
const IQ4_LEVELS = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

const single = (plane: Uint8Array, at: number): number => new DataView(plane.buffer, plane.byteOffset + at, 4).getFloat32(0, true);
/** Sign, exponent with its bias, mantissa; subnormals where the exponent is 0. */
const minifloat = (byte: number, mantissaBits: number, bias: number): number => {
  const e = (byte & 127) >> mantissaBits;
  const f = (byte & (2 ** mantissaBits - 1)) / 2 ** mantissaBits;
  return (byte > 127 ? -1 : 1) * (e === 0 ? f * 2 ** (1 - bias) : (1 + f) * 2 ** (e - bias));
};
const e4m3 = (byte: number): number => ((byte & 127) === 127 ? NaN : minifloat(byte, 3, 7));
const e5m2 = (byte: number): number => {
  if ((byte & 124) !== 124) return minifloat(byte, 2, 15);
  return byte & 3 ? NaN : byte > 127 ? -Infinity : Infinity;
};
/** The zero point is the word's lowest byte, not a part of the scale. */
const int4 = ([codes, scales]: Uint8Array[], b: number, j: number, blockElems: number): number => {
  const word = scales.slice(b * 4, b * 4 + 4);
  const zero = word[0];
  word[0] = 0;
  return (field(codes, b * blockElems / 2, 4, j) - zero) * single(word, 0);
};

/** Weight j of block b read straight from the planes, written from the layout's description, not from the code. */
const FROM_PLANES: Partial<Record<WeightFormatName, (p: Uint8Array[], b: number, j: number) => number>> = {
  Q8_0: ([codes, scales], b, j) => i8(codes[b * 32 + j]) * half(scales, b * 2),
  Q4_0: ([codes, scales], b, j) => (field(codes, b * 16, 4, j) - 8) * half(scales, b * 2),
  Q4_K: ([codes, scales], b, j) => {
    const { scale, min } = scaleAndMin(scales.subarray(b * 16 + 4, b * 16 + 16), j >> 5);
    return half(scales, b * 16) * scale * field(codes, b * 128, 4, j) - half(scales, b * 16 + 2) * min;
  },
  Q6_K: ([low, high, scales, d], b, j) => {
    const q = field(low, b * 128, 4, j) + 16 * field(high, b * 64, 2, j);
    return half(d, b * 2) * i8(scales[b * 16 + (j >> 4)]) * (q - 32);
  },
  Q2_K: ([codes, scales, dm], b, j) => {
    const s = scales[b * 16 + (j >> 4)];
    return half(dm, b * 4) * (s % 16) * field(codes, b * 64, 2, j) - half(dm, b * 4 + 2) * (s >> 4);
  },
  MXFP4: ([codes, scales], b, j) => {
    const code = field(codes, b * 16, 4, j);
    const exponent = (code >> 1) & 3;
    const magnitude = exponent === 0 ? (code & 1) / 2 : (1 + (code & 1) / 2) * 2 ** (exponent - 1);
    const scale = scales[b] === 255 ? NaN : 2 ** (scales[b] - 127);
    return (code >> 3 && magnitude !== 0 ? -magnitude : magnitude) * scale;
  },
  NVFP4: ([codes, scales], b, j) => {
    const code = field(codes, b * 32, 4, j);
    const scale = scales[b * 4 + (j >> 4)];
    const magnitude = minifloat(code & 7, 1, 1) * (scale === 127 ? 0 : minifloat(scale & 127, 3, 7));
    return code >> 3 && (code & 7) > 0 ? -magnitude : magnitude;
  },
  F8_E4M3: ([codes, scales], b, j) => e4m3(codes[b * 128 + j]) * single(scales, b * 4),
  F8_E4M3_32: ([codes, scales], b, j) => e4m3(codes[b * 32 + j]) * single(scales, b * 4),
  F8_E5M2: ([codes, scales], b, j) => e5m2(codes[b * 128 + j]) * single(scales, b * 4),
  F8_E5M2_32: ([codes, scales], b, j) => e5m2(codes[b * 32 + j]) * single(scales, b * 4),
  INT4: (planes, b, j) => int4(planes, b, j, 128),
  INT4_32: (planes, b, j) => int4(planes, b, j, 32),
  W2: ([codes, scales], b, j) =>
    [-4, -1, 1, 4][field(codes, b * 8, 2, j)] * (scales[b] === 255 ? NaN : 2 ** (scales[b] - 127)),
  W3: (p, b, j) => {
    const e = (p[2][b] >> 3) & 15;
    const f = p[2][b] & 7;
    const magnitude = e === 15 && f === 7 ? NaN : e === 0 ? f * 2 ** -9 : (1 + f / 8) * 2 ** (e - 7);
    return [-8, -5, -3, -1, 1, 3, 5, 8][withHighBit(p, b, j, 32, 2)] * (p[2][b] > 127 ? -magnitude : magnitude) / 64;
  },
  Q4_1: ([codes, dm], b, j) => field(codes, b * 16, 4, j) * half(dm, b * 4) + half(dm, b * 4 + 2),
  Q5_0: (p, b, j) => (withHighBit(p, b, j, 32, 4) - 16) * half(p[2], b * 2),
  Q5_1: (p, b, j) => withHighBit(p, b, j, 32, 4) * half(p[2], b * 4) + half(p[2], b * 4 + 2),
  Q3_K: (p, b, j) => {
    const scale = field(p[2], b * 12, 4, j >> 4) + 16 * field(p[2], b * 12 + 8, 2, j >> 4);
    return half(p[3], b * 2) * (scale - 32) * (withHighBit(p, b, j, 256, 2) - 4);
  },
  Q5_K: (p, b, j) => {
    const { scale, min } = scaleAndMin(p[2].subarray(b * 16 + 4, b * 16 + 16), j >> 5);
    return half(p[2], b * 16) * scale * withHighBit(p, b, j, 256, 4) - half(p[2], b * 16 + 2) * min;
  },
  IQ4_NL: ([codes, scales], b, j) => IQ4_LEVELS[field(codes, b * 16, 4, j)] * half(scales, b * 2),
  IQ4_XS: ([codes, scales], b, j) => {
    const scale = field(scales, b * 8 + 4, 4, j >> 5) + 16 * field(scales, b * 8, 2, 8 + (j >> 5));
    return IQ4_LEVELS[field(codes, b * 128, 4, j)] * half(scales, b * 8) * (scale - 32);
  },
  TQ1_0: ([fives, fours, scales], b, j) => {
    const byte = j < 160 ? fives[b * 48 + j % 32] : j < 240 ? fives[b * 48 + 32 + j % 16] : fours[b * 4 + j % 4];
    const n = j < 160 ? j >> 5 : j < 240 ? (j - 160) >> 4 : (j - 240) >> 2;
    return (Math.floor((byte * 3 ** n % 256) * 3 / 256) - 1) * half(scales, b * 2);
  },
  TQ2_0: ([codes, scales], b, j) => (field(codes, b * 64, 2, j) - 1) * half(scales, b * 2),
  Q1_0: ([codes, scales], b, j) => (field(codes, b * 16, 1, j) ? half(scales, b * 2) : -half(scales, b * 2)),
  Q2_0: ([codes, scales], b, j) => (field(codes, b * 16, 2, j) - 1) * half(scales, b * 2),
};

/** Weight j of a format whose codes have their low bits in one plane and their high bit in the next. */
const withHighBit = (p: Uint8Array[], b: number, j: number, elems: number, lowBits: number) =>
  field(p[0], b * elems * lowBits / 8, lowBits, j) + 2 ** lowBits * field(p[1], b * elems / 8, 1, j);

/** A matrix of random bytes in a format: every bit pattern is a legal block. */
const matrixIn = (formats: readonly WeightFormatName[]) => fc
  .record({ format: fc.constantFrom(...formats), rows: fc.integer({ min: 1, max: 3 }), blocks: fc.integer({ min: 1, max: 3 }) })
  .chain(({ format, rows, blocks }) => {
    const cols = blocks * WEIGHT_FORMATS[format].blockElems;
    const length = fileByteLength(format, rows, cols);
    return fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => ({ format, rows, cols, bytes }));
  });
const matrix = matrixIn(NAMES);

describe('packed layout', () => {
  it('keeps every byte: unpackRows(packRows(x)) is x', () => {
    fc.assert(fc.property(matrix, ({ format, rows, cols, bytes }) => {
      const packed = packRows(format, bytes, rows, cols);
      expect(packed.byteLength).toBe(packedLayout(format, rows, cols).byteLength);
      expect(unpackRows(format, packed, rows, cols)).toEqual(bytes);
    }));
  });

  it.each(Object.keys(FROM_PLANES) as WeightFormatName[])('%s lies where the kernels read it', (name) => {
    fc.assert(fc.property(matrixIn([name]), ({ format, rows, cols, bytes }) => {
      const layout = packedLayout(format, rows, cols);
      const planes = planeViews(layout, packRows(format, bytes, rows, cols));
      const { blockElems } = WEIGHT_FORMATS[format];
      const decoded = decodeRows(format, bytes, rows, cols);
      const fromPlanes = decoded.map((_, i) => FROM_PLANES[format]!(planes, Math.floor(i / blockElems), i % blockElems));
      expect(fromPlanes).toEqual(decoded);
    }), { numRuns: 25 });
  });

  it('decodes the same from the file and from any packed row range', () => {
    fc.assert(fc.property(matrix, fc.nat(), fc.nat(), ({ format, rows, cols, bytes }, a, b) => {
      const begin = a % rows;
      const end = begin + 1 + (b % (rows - begin));
      const layout = packedLayout(format, rows, cols);
      const planes = planeViews(layout, packRows(format, bytes, rows, cols));
      const whole = decodeRows(format, bytes, rows, cols);
      expect(decodePackedRows(layout, planes, begin, end)).toEqual(whole.slice(begin * cols, end * cols));
    }));
  });

  it('can be built chunk of rows by chunk of rows', () => {
    fc.assert(fc.property(matrix, fc.integer({ min: 1, max: 3 }), ({ format, rows, cols, bytes }, chunkRows) => {
      const layout = packedLayout(format, rows, cols);
      const rowByteLength = fileByteLength(format, 1, cols);
      const packed = new Uint8Array(layout.byteLength);
      const planes = allocatePlanes(format, chunkRows, cols);
      for (let row = 0; row < rows; row += chunkRows) {
        const end = Math.min(rows, row + chunkRows);
        packRowsInto(format, bytes.subarray(row * rowByteLength, end * rowByteLength), end - row, cols, planes);
        planes.forEach((plane, p) => {
          const range = planeRowRange(layout, p, row, end);
          packed.set(plane.subarray(0, range.byteLength), range.byteOffset);
        });
      }
      if (layout.constants) packed.set(matrixConstants(format, 1), layout.constants.byteOffset);
      expect(packed).toEqual(packRows(format, bytes, rows, cols));
    }));
  });

  it.each(NAMES)('%s: planes take the block apart without loss or gain', (name) => {
    const { planes, blockByteLength, multiByteFields } = WEIGHT_FORMATS[name];
    expect(planes.reduce((sum, plane) => sum + plane.blockByteLength, 0)).toBe(blockByteLength);
    for (const f of multiByteFields) expect(f.byteOffset + f.byteLength).toBeLessThanOrEqual(blockByteLength);
  });

  it('refuses sizes that do not fit, in one sentence', () => {
    expect(() => packRows('Q4_K', new Uint8Array(144), 1, 128)).toThrow(
      'a row of 128 weights is no multiple of the Q4_K block of 256');
    expect(() => decodeRows('Q8_0', new Uint8Array(33), 1, 32)).toThrow('1 × 32 weights in Q8_0 take 34 bytes, not 33');
  });
});
