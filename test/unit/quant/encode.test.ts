import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mxfp4 } from '../../../src/quant/mxfp4.ts';
import { w2 } from '../../../src/quant/w2.ts';
import { w3 } from '../../../src/quant/w3.ts';
import { e4m3Value } from '../../../src/quant/float8.ts';
import { decodeRows, encodeRows } from '../../../src/quant/pack.ts';

/** Standard normal values from a small deterministic generator (mulberry32 + Box-Muller). */
function gaussian(count: number, seed: number): Float32Array {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
}

/** 32 values of all sizes, as the encoders may meet them. */
const anyBlock = fc.array(fc.oneof(
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -40, max: 40, noNaN: true }).map((e) => Math.fround(2 ** e)),
  fc.double({ min: -4, max: 4, noNaN: true }).map((v) => Math.fround(v)),
  fc.constantFrom(0, -0, 1, -1, 1.5, 3.999),
), { minLength: 32, maxLength: 32 });

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, v, i) => sum + v * b[i], 0);

describe('W2 encoder', () => {
  it('reaches the known error on Gaussian weights: relative RMS 0.361, cosine 0.933', () => {
    const x = gaussian(32 * 4096, 7);
    const y = decodeRows('W2', encodeRows('W2', x, 4096, 32), 4096, 32);
    const error = x.map((v, i) => v - y[i]);
    expect(Math.sqrt(dot(error, error) / dot(x, x))).toBeCloseTo(0.361, 2);
    expect(dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))).toBeCloseTo(0.933, 2);
  });

  it('finds the exponent and codes with the least squared error of all', { timeout: 60_000 }, () => {
    fc.assert(fc.property(anyBlock, (values) => {
      const x = Float32Array.from(values);
      const block = new Uint8Array(9);
      w2.encodeBlock!(x, 0, block, 0);
      const errorAt = (e: number) => {
        const s = 2 ** (e - 127);
        return x.reduce((sum, v) => sum + Math.min(...[-4, -1, 1, 4].map((c) => (v - c * s) ** 2)), 0);
      };
      let least = Infinity;
      // From 253 on, ±4 scales overflow f32: an encoder that chose them would write infinities.
      for (let e = 0; e < 253; e++) least = Math.min(least, errorAt(e));
      const y = new Float32Array(32);
      w2.decodeBlock(block, 0, y, 0);
      const s = 2 ** (block[8] - 127);
      expect(errorAt(block[8])).toBe(least);
      x.forEach((v, j) => expect((v - y[j]) ** 2).toBe(Math.min(...[-4, -1, 1, 4].map((c) => (v - Math.fround(c * s)) ** 2))));
    }), { numRuns: 300 });
  });

  it('keeps representable blocks exactly', () => {
    fc.assert(fc.property(
      fc.array(fc.constantFrom(-4, -1, 1, 4), { minLength: 32, maxLength: 32 }), fc.integer({ min: 4, max: 240 }),
      (codes, e) => {
        fc.pre(codes.some((c) => Math.abs(c) === 1) && codes.some((c) => Math.abs(c) === 4));
        const x = Float32Array.from(codes, (c) => c * 2 ** (e - 127));
        expect(decodeRows('W2', encodeRows('W2', x, 1, 32), 1, 32)).toEqual(x);
      },
    ));
  });

  it('gives zeros alternating signs and marks a block with NaN or infinity', () => {
    const y = decodeRows('W2', encodeRows('W2', new Float32Array(32), 1, 32), 1, 32);
    expect(y.map(Math.sign)).toEqual(Float32Array.from({ length: 32 }, (_, j) => (j % 2 ? -1 : 1)));
    expect(Math.max(...y)).toBeLessThan(1e-37);
    for (const bad of [NaN, Infinity, -Infinity]) {
      const x = new Float32Array(32).fill(1);
      x[9] = bad;
      expect(encodeRows('W2', x, 1, 32)[8]).toBe(255);
    }
  });
});

describe('W3 encoder', () => {
  const LEVELS = [-8, -5, -3, -1, 1, 3, 5, 8];
  /** In the range of E4M3 scales, and around the largest and the smallest. */
  const block = fc.oneof(
    anyBlock,
    fc.tuple(fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 32, maxLength: 32 }), fc.integer({ min: -18, max: 6 }))
      .map(([values, e]) => values.map((v) => Math.fround(v * 2 ** e))),
  );
  const scaleOf = (byte: number) => e4m3Value(byte) / 64;

  it('reaches relative RMS 0.163 and cosine 0.987 on Gaussian weights', () => {
    const x = gaussian(32 * 4096, 7).map((v) => v / 40);
    const y = decodeRows('W3', encodeRows('W3', x, 4096, 32), 4096, 32);
    const error = x.map((v, i) => v - y[i]);
    expect(Math.sqrt(dot(error, error) / dot(x, x))).toBeCloseTo(0.163, 3);
    expect(dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))).toBeCloseTo(0.987, 3);
  });

  it('finds the scale and codes with the least squared error of all', { timeout: 60_000 }, () => {
    fc.assert(fc.property(block, (values) => {
      const x = Float32Array.from(values);
      const bytes = new Uint8Array(13);
      w3.encodeBlock!(x, 0, bytes, 0);
      const errorAt = (byte: number) =>
        x.reduce((sum, v) => sum + Math.min(...LEVELS.map((c) => (v - c * scaleOf(byte)) ** 2)), 0);
      const byte = bytes[12];
      const largest = Math.max(...x.map(Math.abs));
      // Where weights are a million times out of reach, doubles can't tell the errors apart.
      if (largest > 1e6) expect(byte).toBe(0x7e);
      let least = Infinity;
      for (let other = 0; other <= 0x7e; other++) least = Math.min(least, errorAt(other));
      expect(errorAt(byte) - least).toBeLessThanOrEqual(1e-13 * largest ** 2);
      const y = new Float32Array(32);
      w3.decodeBlock(bytes, 0, y, 0);
      x.forEach((v, j) => expect((v - y[j]) ** 2).toBe(Math.min(...LEVELS.map((c) => (v - c * scaleOf(byte)) ** 2))));
    }), { numRuns: 300 });
  });

  it('keeps representable blocks exactly', () => {
    fc.assert(fc.property(
      fc.array(fc.constantFrom(...LEVELS), { minLength: 32, maxLength: 32 }), fc.integer({ min: 1, max: 0x7e }),
      (codes, byte) => {
        fc.pre([1, 3, 5, 8].every((m) => codes.some((c) => Math.abs(c) === m)));
        const x = Float32Array.from(codes, (c) => c * scaleOf(byte));
        const bytes = encodeRows('W3', x, 1, 32);
        expect(bytes[12]).toBe(byte);
        expect(decodeRows('W3', bytes, 1, 32)).toEqual(x);
      },
    ));
  });

  it('gives zeros alternating signs, saturates, and marks a block with NaN or infinity', () => {
    const zeros = encodeRows('W3', new Float32Array(32), 1, 32);
    expect(zeros[12]).toBe(0);
    expect(encodeRows('W3', decodeRows('W3', zeros, 1, 32), 1, 32)).toEqual(zeros);
    const alternating = Float32Array.from({ length: 32 }, (_, j) => (j % 2 ? -1 : 1));
    zeros[12] = 0x68; // 2^6 in 64ths
    expect(decodeRows('W3', zeros, 1, 32)).toEqual(alternating);
    const mixed = decodeRows('W3', encodeRows('W3', new Float32Array(32).fill(8, 0, 1), 1, 32), 1, 32);
    expect(mixed.slice(1).map(Math.sign)).toEqual(alternating.slice(1));
    expect(decodeRows('W3', encodeRows('W3', alternating.map((v) => v * 1e30), 1, 32), 1, 32)).toEqual(alternating.map((v) => v * 56));
    for (const bad of [NaN, Infinity, -Infinity]) {
      expect(encodeRows('W3', new Float32Array(32).fill(1).fill(bad, 9, 10), 1, 32)[12]).toBe(0x7f);
    }
  });
});

describe('MXFP4 encoder', () => {
  const LEVELS = [0, 0.5, 1, 1.5, 2, 3, 4, 6].flatMap((v) => [v, -v]);

  it('errs about as little as four bits allow on Gaussian weights', () => {
    const x = gaussian(32 * 4096, 7);
    const y = decodeRows('MXFP4', encodeRows('MXFP4', x, 4096, 32), 4096, 32);
    const error = x.map((v, i) => v - y[i]);
    expect(Math.sqrt(dot(error, error) / dot(x, x))).toBeLessThan(0.12);
  });

  it('finds the exponent and codes with the least squared error of all', { timeout: 60_000 }, () => {
    fc.assert(fc.property(anyBlock, (values) => {
      const x = Float32Array.from(values);
      const block = new Uint8Array(17);
      mxfp4.encodeBlock!(x, 0, block, 0);
      const errorAt = (e: number) => {
        const s = 2 ** (e - 127);
        return x.reduce((sum, v) => sum + Math.min(...LEVELS.map((c) => (v - c * s) ** 2)), 0);
      };
      let least = Infinity;
      for (let e = 0; e <= 252; e++) least = Math.min(least, errorAt(e)); // above, levels overflow
      expect(errorAt(block[0])).toBe(least);
      const y = new Float32Array(32);
      mxfp4.decodeBlock(block, 0, y, 0);
      const s = 2 ** (block[0] - 127);
      x.forEach((v, j) => expect((v - y[j]) ** 2).toBe(Math.min(...LEVELS.map((c) => (v - Math.fround(c * s)) ** 2))));
    }), { numRuns: 300 });
  });

  it('keeps what it decoded, zeros included, and marks a block with NaN or infinity', () => {
    fc.assert(fc.property(
      fc.array(fc.constantFrom(...LEVELS), { minLength: 32, maxLength: 32 }), fc.integer({ min: 2, max: 250 }), (codes, e) => {
        const x = Float32Array.from(codes, (c) => (c === 0 ? 0 : c * 2 ** (e - 127)));
        expect(decodeRows('MXFP4', encodeRows('MXFP4', x, 1, 32), 1, 32)).toEqual(x);
      },
    ));
    expect(encodeRows('MXFP4', new Float32Array(32), 1, 32)).toEqual(new Uint8Array(17));
    for (const bad of [NaN, Infinity, -Infinity]) {
      expect(encodeRows('MXFP4', new Float32Array(32).fill(1).fill(bad, 9, 10), 1, 32)[0]).toBe(255);
    }
  });
});

describe('Q8_0 encoder', () => {
  it('makes the bytes that llama.cpp made of the same weights', () => {
    const url = new URL('../../vectors/quant/q8_0-encode.json', import.meta.url);
    const { bf16_hex: input, q8_0_hex: expected } = JSON.parse(readFileSync(url, 'utf8')) as Record<string, string>;
    const raw = Uint8Array.from(Buffer.from(input, 'hex'));
    const x = decodeRows('BF16', raw, 1, raw.byteLength / 2);
    expect(Buffer.from(encodeRows('Q8_0', x, 1, x.length)).toString('hex')).toBe(expected);
  });

  it('errs by at most half a step and handles zero blocks', () => {
    const x = gaussian(32 * 64, 3);
    const y = decodeRows('Q8_0', encodeRows('Q8_0', x, 64, 32), 64, 32);
    for (let block = 0; block < 64; block++) {
      const slice = x.subarray(block * 32, block * 32 + 32);
      const step = Math.max(...slice.map(Math.abs)) / 127;
      // Half a step from rounding, plus up to 127 steps of the f16 scale's relative error of 2^-11.
      slice.forEach((v, j) => expect(Math.abs(v - y[block * 32 + j])).toBeLessThanOrEqual(step * (0.5 + 127 / 2048) * 1.001));
    }
    expect(encodeRows('Q8_0', new Float32Array(32), 1, 32)).toEqual(new Uint8Array(34));
  });
});

it('says when a format has no encoder', () => {
  expect(() => encodeRows('Q4_K', new Float32Array(256), 1, 256)).toThrow('there is no encoder for Q4_K');
});
