import { describe, expect, test } from 'vitest';
import { addErrors, addErrorSums, emptyErrorSums, errorStatsOf } from '../../../src/quant/error_stats.ts';
import { decodeRows, encodeRows } from '../../../src/quant/pack.ts';

function statsOf(x: readonly number[], y: readonly number[]): ReturnType<typeof errorStatsOf> {
  const sums = emptyErrorSums();
  addErrors(sums, Float32Array.from(x), Float32Array.from(y));
  return errorStatsOf(sums);
}

/** Normal deviates by Box and Muller from a linear congruential sequence. */
function gaussian(count: number): Float32Array {
  let state = 7;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
}

describe('error statistics', () => {
  test('by hand', () => {
    const stats = statsOf([3, -4, 0, 0], [3, 4, 1, 0]);
    expect(stats.elems).toBe(4);
    expect(stats.relativeRms).toBeCloseTo(Math.sqrt(65 / 25), 12);
    expect(stats.cosine).toBeCloseTo((9 - 16) / Math.sqrt(25 * 26), 12);
    // Three of four are above zero; before, one above and one below.
    expect(stats.signBias).toBe(3 / 4);
    expect(stats.meanError).toBeCloseTo((9 / 4) / Math.sqrt(25 / 4), 12);
  });

  test('lossless, zero and damaged tensors', () => {
    expect(statsOf([1, -2], [1, -2])).toMatchObject({ relativeRms: 0, cosine: 1, signBias: 0, meanError: 0 });
    expect(statsOf([0, 0], [0, 0])).toMatchObject({ relativeRms: 0, cosine: 1, meanError: 0 });
    expect(statsOf([0, 0], [1, -1])).toMatchObject({ relativeRms: Infinity, cosine: 0, signBias: 0, meanError: 0 });
    expect(errorStatsOf(emptyErrorSums())).toEqual({ elems: 0, relativeRms: 0, cosine: 1, signBias: 0, meanError: 0 });
    expect(statsOf([1, 2], [1, NaN]).relativeRms).toBeNaN();
    expect(() => statsOf([1], [1, 2])).toThrow(RangeError);
  });

  test('pieces add up to the whole, and sums survive a structured clone', () => {
    const x = gaussian(96);
    const y = x.map((value) => Math.round(4 * value) / 4);
    const whole = emptyErrorSums();
    addErrors(whole, x, y);
    const pieces = emptyErrorSums();
    for (const begin of [0, 32, 64]) {
      const piece = emptyErrorSums();
      addErrors(piece, x.subarray(begin, begin + 32), y.subarray(begin, begin + 32));
      addErrorSums(pieces, structuredClone(piece));
    }
    const stats = errorStatsOf(whole);
    for (const [key, value] of Object.entries(errorStatsOf(pieces))) {
      expect(value).toBeCloseTo(stats[key as keyof typeof stats], 12);
    }
  });

  test('W2 of Gaussian weights is as good as its design says, and has no sign bias', () => {
    const x = gaussian(64 * 1024);
    const sums = emptyErrorSums();
    addErrors(sums, x, decodeRows('W2', encodeRows('W2', x, 64, 1024), 64, 1024));
    const stats = errorStatsOf(sums);
    expect(stats.relativeRms).toBeGreaterThan(0.355);
    expect(stats.relativeRms).toBeLessThan(0.367);
    expect(stats.cosine).toBeCloseTo(0.933, 2);
    expect(stats.signBias).toBe(0);
    expect(Math.abs(stats.meanError)).toBeLessThan(0.005);
  });
});
