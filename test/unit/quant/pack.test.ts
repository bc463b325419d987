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

/** Weight j of block b read straight from the planes, written from the layout's description, not from the code. */
const FROM_PLANES: Partial<Record<WeightFormatName, (p: Uint8Array[], b: number, j: number) => number>> = {
  Q8_0: ([codes, scales], b, j) => i8(codes[b * 32 + j]) * half(scales, b * 2),
  Q4_0: ([codes, scales], b, j) => (field(codes, b * 16, 4, j) - 8) * half(scales, b * 2),
  Q4_K: ([codes, scales], b, j) => {
    const s = scales.subarray(b * 16 + 4, b * 16 + 16);
    const g = j >> 5;
    const scale = g < 4 ? s[g] % 64 : (s[g + 4] % 16) + 16 * (s[g - 4] >> 6);
    const min = g < 4 ? s[g + 4] % 64 : (s[g + 4] >> 4) + 16 * (s[g] >> 6);
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
  W2: ([codes, scales], b, j) =>
    [-4, -1, 1, 4][field(codes, b * 8, 2, j)] * (scales[b] === 255 ? NaN : 2 ** (scales[b] - 127)),
};

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
