import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import { decodeRows, encodeRows } from '../../../src/quant/pack.ts';
import { f16ToF32, f32ToBf16, f32ToBits, f32ToF16 } from '../../../src/quant/float.ts';

interface Golden {
  readonly elements_per_row: number;
  readonly row_bytes: number;
  readonly raw_hex: readonly string[];
  readonly values: readonly (readonly number[])[];
}

const goldenUrl = new URL('../../vectors/quant/dequant-golden.json', import.meta.url);
const golden = JSON.parse(readFileSync(goldenUrl, 'utf8')) as Record<string, Golden>;
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
/** The tie between an f16 and the next one. */
const between = (low: number) => (f16ToF32(low) + f16ToF32(low + 1)) / 2;

describe('decode', () => {
  it.each(Object.keys(golden) as WeightFormatName[])(
    '%s gives the floats of gguf-py bit for bit', (format) => {
      const { raw_hex: rows, values, elements_per_row: cols, row_bytes: rowBytes } = golden[format];
      expect(rows).toHaveLength(4);
      for (const [row, hex] of rows.entries()) {
        const raw = bytesOf(hex);
        expect(raw.byteLength).toBe(rowBytes);
        expect(decodeRows(format, raw, 1, cols)).toEqual(Float32Array.from(values[row]));
      }
    },
  );

  it('F32 is what a DataView reads', () => {
    const raw = Uint8Array.from([0, 0, 0x80, 0x3f, 0xdb, 0x0f, 0x49, 0xc0, 1, 0, 0, 0, 0, 0, 0x80, 0xff]);
    const view = new DataView(raw.buffer);
    const expected = [0, 4, 8, 12].map((at) => view.getFloat32(at, true));
    expect([...decodeRows('F32', raw, 2, 2)]).toEqual(expected);
    expect(expected).toEqual([1, Math.fround(-Math.PI), 2 ** -149, -Infinity]);
  });

  it('BF16 is the upper half of an f32', () => {
    const raw = Uint8Array.from([0x80, 0x3f, 0x49, 0xc0, 0x01, 0x00, 0x80, 0x7f]);
    expect([...decodeRows('BF16', raw, 1, 4)]).toEqual([1, -3.140625, 2 ** -133, Infinity]);
    expect(decodeRows('BF16', Uint8Array.from([0xc0, 0x7f]), 1, 1)[0]).toBeNaN();
  });

  it('W2 maps codes 0…3 to −4, −1, +1, +4 times 2^(e − 127)', () => {
    const raw = new Uint8Array(9);
    raw[0] = 0b11_10_01_00;
    raw[7] = 0b00_01_10_11;
    raw[8] = 129;
    const x = decodeRows('W2', raw, 1, 32);
    expect(Array.from(x.subarray(0, 5))).toEqual([-16, -4, 4, 16, -16]);
    expect(Array.from(x.subarray(28))).toEqual([16, 4, -4, -16]);
    raw[8] = 0;
    expect(decodeRows('W2', raw, 1, 32)[2]).toBe(2 ** -127);
    raw[8] = 255;
    expect(decodeRows('W2', raw, 1, 32).every(Number.isNaN)).toBe(true);
  });

  it('MXFP4 maps E2M1 codes, first half in the low nibbles', () => {
    const raw = new Uint8Array(17);
    raw[0] = 128;
    for (let j = 0; j < 16; j++) raw[1 + j] = j | ((15 - j) << 4);
    const levels = [0, 1, 2, 3, 4, 6, 8, 12];
    const expected = [...levels, ...levels.map((v) => (v === 0 ? 0 : -v))];
    expect(Array.from(decodeRows('MXFP4', raw, 1, 32))).toEqual([...expected, ...expected.toReversed()]);
    raw[0] = 0;
    expect(decodeRows('MXFP4', raw, 1, 32)[1]).toBe(2 ** -128);
    raw[0] = 255;
    expect(decodeRows('MXFP4', raw, 1, 32).every(Number.isNaN)).toBe(true);
  });

  it('passes NaN, infinite and zero scales through', () => {
    const q8 = new Uint8Array(34).fill(3);
    q8.set([0x00, 0x7c]);
    expect(decodeRows('Q8_0', q8, 1, 32)[5]).toBe(Infinity);
    q8.set([0x01, 0x7c]);
    expect(decodeRows('Q8_0', q8, 1, 32)[5]).toBeNaN();
    q8.set([0, 0]);
    expect(decodeRows('Q8_0', q8, 1, 32).every((v) => v === 0)).toBe(true);
    const q6 = new Uint8Array(210);
    q6.set([0x00, 0x7c], 208);
    expect(decodeRows('Q6_K', q6, 1, 256).every(Number.isNaN)).toBe(true); // infinity × scale 0
  });
});

describe('half precision', () => {
  it('every f16 survives f16 → f32 → f16', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = f16ToF32(bits);
      if (Number.isNaN(value)) expect(f32ToF16(value) & 0x7fff).toBe(0x7e00);
      else if (f32ToF16(value) !== bits) expect.fail(`0x${bits.toString(16)} came back as 0x${f32ToF16(value).toString(16)}`);
    }
  });

  it('rounds to nearest, ties to even', () => {
    for (const low of [0, 1, 2, 0x3fe, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bfe]) {
      const tie = between(low);
      expect(f32ToF16(tie)).toBe(low % 2 === 0 ? low : low + 1);
      expect(f32ToF16(tie * (1 + 2 ** -20))).toBe(low + 1);
      expect(f32ToF16(tie * (1 - 2 ** -20))).toBe(low);
    }
    expect(f32ToF16(65519.99)).toBe(0x7bff);
    expect(f32ToF16(65520)).toBe(0x7c00);
    expect(f32ToF16(-1e30)).toBe(0xfc00);
    expect(f32ToF16(-0)).toBe(0x8000);
  });

  it('bf16 rounds to nearest, ties to even, and keeps NaN', () => {
    expect(f32ToBf16(1)).toBe(0x3f80);
    expect(f32ToBf16(1 + 2 ** -8)).toBe(0x3f80);
    expect(f32ToBf16(1 + 3 * 2 ** -8)).toBe(0x3f82);
    expect(f32ToBf16(1 + 2 ** -8 + 2 ** -20)).toBe(0x3f81);
    expect(f32ToBf16(3.4e38)).toBe(0x7f80);
    expect(f32ToBf16(-Infinity)).toBe(0xff80);
    expect(f32ToBf16(NaN) & 0x7fff).toBeGreaterThan(0x7f80);
  });

  it('the float formats encode what they decode', () => {
    const x = Float32Array.of(0, -1.5, 2 ** -10, 3, -65504, 0.25, -0.0078125, 1024);
    for (const format of ['F32', 'F16', 'BF16'] as const) {
      const expected = format === 'BF16' ? x.map((v) => (v === -65504 ? -65536 : v)) : x;
      expect(decodeRows(format, encodeRows(format, x, 2, 4), 2, 4)).toEqual(expected);
    }
    expect(f32ToBits(-1)).toBe(0xbf800000);
  });
});

it('no format claims the same name, ggml type or shader twice', () => {
  const specs = Object.values(WEIGHT_FORMATS);
  for (const [name, spec] of Object.entries(WEIGHT_FORMATS)) expect(spec.name).toBe(name);
  const ggmlTypes = specs.flatMap(({ ggmlType }) => (ggmlType === null ? [] : [ggmlType]));
  expect(new Set(ggmlTypes).size).toBe(ggmlTypes.length);
  expect(new Set(specs.map((s) => s.shader)).size).toBe(specs.length);
});
