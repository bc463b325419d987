import { describe, expect, it } from 'vitest';
import { convertRun } from '../../../src/quant/convert.ts';
import { errorStatsOf } from '../../../src/quant/error_stats.ts';
import { decodeRows, encodeRows } from '../../../src/quant/pack.ts';
import { w2FromMxfp4 } from '../../../src/quant/w2_from_mxfp4.ts';

/** Standard normal values (Box and Muller) from a linear congruential generator. */
function gaussian(count: number): Float32Array {
  let state = 11;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
}

describe('W2 from MXFP4', () => {
  const MAGNITUDES = [0, 0.5, 1, 1.5, 2, 3, 4, 6];

  it('keeps the scale and takes the nearer of 1 and 4, for every code at every position', () => {
    const block = new Uint8Array(17);
    for (const exponent of [0, 1, 90, 127, 200, 251]) {
      for (let code = 0; code < 16; code++) {
        block.fill(code | (code << 4), 1);
        block[0] = exponent;
        const converted = w2FromMxfp4(block, 1);
        expect(converted[8]).toBe(exponent);
        const magnitude = MAGNITUDES[code & 7];
        const level = (magnitude <= 2 ? 1 : 4) * 2 ** (exponent - 127);
        decodeRows('W2', converted, 1, 32).forEach((value, j) => {
          const negative = magnitude === 0 ? j % 2 === 1 : code > 7;
          expect(value).toBe(Math.fround(negative ? -level : level));
        });
      }
    }
  });

  it('converts each weight by itself, wherever it lies', () => {
    const block = Uint8Array.from({ length: 34 }, (_, i) => (i * 73 + 5) & 0xff);
    const x = decodeRows('MXFP4', block, 1, 64);
    const y = decodeRows('W2', w2FromMxfp4(block, 2), 1, 64);
    for (let j = 0; j < 64; j++) {
      const scale = 2 ** (block[j < 32 ? 0 : 17] - 127);
      expect(Math.abs(y[j])).toBe(Math.abs(x[j]) > 2 * scale ? 4 * scale : scale);
      if (x[j] !== 0) expect(Math.sign(y[j])).toBe(Math.sign(x[j]));
    }
  });

  it('loses on Gaussian weights about what the design says: relative RMS 0.37, cosine 0.93', () => {
    const x = gaussian(1 << 17);
    // The scale rule of the OCP specification: the largest magnitude's power of two is 4 scales.
    const verbatim = new Uint8Array(17 * (x.length / 32));
    for (let b = 0; b < x.length / 32; b++) {
      const values = x.subarray(32 * b, 32 * b + 32);
      const e = Math.floor(Math.log2(Math.max(...values.map(Math.abs)))) - 2 + 127;
      const nearest = (v: number) => MAGNITUDES.reduce((best, m, code) => (
        Math.abs(m - v) < Math.abs(MAGNITUDES[best] - v) ? code : best), 0);
      verbatim[17 * b] = e;
      values.forEach((v, j) => {
        const code = nearest(Math.abs(v) * 2 ** (127 - e)) | (v < 0 ? 8 : 0);
        verbatim[17 * b + 1 + (j & 15)] |= code << (j < 16 ? 0 : 4);
      });
    }
    const y = decodeRows('W2', w2FromMxfp4(verbatim, x.length / 32), 1, x.length);
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, v, i) => sum + v * b[i], 0);
    const error = x.map((v, i) => v - y[i]);
    expect(Math.abs(Math.sqrt(dot(error, error) / dot(x, x)) - 0.37)).toBeLessThan(0.01);
    expect(dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))).toBeCloseTo(0.93, 2);
  });
});

describe('converting a run', () => {
  const x = gaussian(40_000 * 4); // several pieces and a rest

  it('encodes what the source decodes to, to several formats at once, and sums what that lost', () => {
    const bytes = encodeRows('BF16', x, 1, x.length);
    const original = decodeRows('BF16', bytes, 1, x.length);
    const [w2, mxfp4] = convertRun({ format: 'BF16', bytes, elems: x.length, tensorScale: 1 }, ['W2', 'MXFP4']);
    expect(Buffer.compare(w2.bytes, encodeRows('W2', original, 1, x.length))).toBe(0);
    expect(Buffer.compare(mxfp4.bytes, encodeRows('MXFP4', original, 1, x.length))).toBe(0);
    const stats = errorStatsOf(w2.sums);
    expect(stats.elems).toBe(x.length);
    expect(stats.relativeRms).toBeCloseTo(0.361, 2);
    expect(stats.cosine).toBeCloseTo(0.933, 2);
    expect(Math.abs(stats.signBias)).toBeLessThan(1e-4);
    expect(errorStatsOf(mxfp4.sums).relativeRms).toBeLessThan(0.12);
  });

  it('applies the scale of the whole tensor', () => {
    const bytes = encodeRows('MXFP4', x, 1, x.length);
    const scaled = convertRun({ format: 'MXFP4', bytes, elems: x.length, tensorScale: 0.75 }, ['W2'])[0];
    const original = decodeRows('MXFP4', bytes, 1, x.length).map((v) => 0.75 * v);
    expect(Buffer.compare(scaled.bytes, encodeRows('W2', original, 1, x.length))).toBe(0);
    const exact = convertRun({ format: 'MXFP4', bytes, elems: x.length, tensorScale: 1 }, ['W2'])[0];
    expect(Buffer.compare(exact.bytes, w2FromMxfp4(bytes, x.length / 32))).toBe(0);
  });

  it('changes no weight that the target can hold already', () => {
    const bytes = encodeRows('W2', x, 1, x.length);
    const again = convertRun({ format: 'W2', bytes, elems: x.length, tensorScale: 1 }, ['W2'])[0];
    expect(errorStatsOf(again.sums)).toMatchObject({ relativeRms: 0, signBias: 0, meanError: 0 });
  });

  it('shows weights that are no numbers in its sums', () => {
    for (const bad of [NaN, Infinity]) {
      const bytes = encodeRows('F32', new Float32Array(64).fill(1).fill(bad, 40, 41), 1, 64);
      expect(Number.isFinite(convertRun({ format: 'F32', bytes, elems: 64, tensorScale: 1 }, ['W2'])[0].sums.xx)).toBe(false);
    }
  });
});
