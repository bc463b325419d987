import { describe, expect, it } from 'vitest';
import { attendRow, dot, rmsNorm, rope, route } from '../../../src/compute/reference/kernels.ts';
import { DecodeBudget, Matrix } from '../../../src/compute/reference/weights.ts';

const f32 = (...values: number[]): Float32Array => Float32Array.from(values);
const near = (actual: ArrayLike<number>, expected: readonly number[]): void =>
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 5));
const bytesOf = (values: Float32Array): Uint8Array => new Uint8Array(values.buffer);

describe('dot', () => {
  it.each([1, 3, 4, 7, 64])('sums %d products', (n) => {
    const ones = new Float32Array(n + 2).fill(1);
    const ramp = Float32Array.from({ length: n + 1 }, (_, i) => i);
    expect(dot(ones, 2, ramp, 1, n)).toBe((n * (n + 1)) / 2);
  });
});

describe('rms_norm', () => {
  it('normalises each run of the weight\'s length by itself', () => {
    const weight = new Matrix('F32', 1, 2, new Uint8Array(bytesOf(f32(1, 2, 0, 0))), new DecodeBudget(0));
    const out = new Float32Array(4);
    rmsNorm(f32(3, 4, 30, 40), out, 4, weight, 0);
    const rms = Math.sqrt(12.5);
    near(out, [3 / rms, 8 / rms, 3 / rms, 8 / rms]);
  });
});

describe('rope', () => {
  const quarter = { headDim: 4, scale: 1, invFreq: f32(Math.PI / 2, 0) };

  it('rotates (i, i + d/2) in style half', () => {
    const x = f32(1, 2, 3, 4);
    rope(x, 1, 4, 1, { ...quarter, style: 'half' });
    near(x, [-3, 2, 1, 4]);
  });

  it('rotates (2i, 2i + 1) in style interleaved', () => {
    const x = f32(1, 2, 3, 4);
    rope(x, 1, 4, 1, { ...quarter, style: 'interleaved' });
    near(x, [-2, 1, 3, 4]);
  });

  it('leaves the elements behind the rotated ones, and turns later rows further', () => {
    const x = f32(1, 0, 7, 1, 0, 7);
    rope(x, 2, 3, 0, { headDim: 3, scale: 1, invFreq: f32(Math.PI / 2), style: 'half' });
    near(x, [1, 0, 7, 0, 1, 7]);
  });

  it('scales', () => {
    const x = f32(1, 0);
    rope(x, 1, 2, 0, { headDim: 2, scale: 1.5, invFreq: f32(1), style: 'half' });
    near(x, [1.5, 0]);
  });
});

describe('attention', () => {
  const shape = { headCount: 1, kvHeadCount: 1, headDim: 1, scale: 1, window: null };

  it('is a softmax average of the values up to its own position', () => {
    const out = f32(0);
    attendRow(f32(1), 0, f32(0, Math.log(3), 50), f32(1, 5, 1000), out, 1, shape);
    near(out, [(1 + 3 * 5) / 4]);
  });

  it('sees only its window', () => {
    const out = f32(0);
    attendRow(f32(1), 0, f32(0, 0, 0), f32(100, 2, 4), out, 2, { ...shape, window: 2 });
    near(out, [3]);
    attendRow(f32(1), 0, f32(0, 0, 0), f32(100, 2, 4), out, 2, { ...shape, window: 3 });
    near(out, [106 / 3]);
  });

  it('shares a key head between the query heads of its group', () => {
    const out = new Float32Array(4);
    attendRow(f32(1, 1, 1, 1), 0, f32(0, 0), f32(7, 9), out, 0, { ...shape, headCount: 4, kvHeadCount: 2 });
    near(out, [7, 7, 9, 9]);
  });
});

describe('router', () => {
  const run = (logits: Float32Array, more: object): { ids: number[]; weights: Float32Array } => {
    const [ids, weights] = [new Uint32Array(2), new Float32Array(2)];
    route(logits, 0, ids, weights, { expertCount: 4, topK: 2, normalize: false, scale: 1, ...more });
    return { ids: [...ids], weights };
  };
  const logits = Float32Array.from([0.1, 0.4, 0.2, 0.3], Math.log);

  it('chooses the best, with their share of the softmax over all experts', () => {
    const { ids, weights } = run(logits, {});
    expect(ids).toEqual([1, 3]);
    near(weights, [0.4, 0.3]);
  });

  it('divides by the sum of the chosen, and scales', () => {
    near(run(logits, { normalize: true, scale: 2 }).weights, [8 / 7, 6 / 7]);
  });

  it('prefers lower ids on ties', () => {
    expect(run(f32(1, 2, 2, 2), {}).ids).toEqual([1, 2]);
  });
});

describe('Matrix', () => {
  const values = Float32Array.from({ length: 40 * 4 }, (_, i) => i);

  it.each([['kept decoded', 1e6], ['decoded as needed', 0]])('reads any row: %s', (_, budget) => {
    const matrix = new Matrix('F32', 40, 4, bytesOf(values), new DecodeBudget(budget));
    for (const row of [0, 39, 17, 16, 15, 39, 1]) {
      const at = matrix.at(row);
      expect([...matrix.values.subarray(at, at + 4)]).toEqual([...values.subarray(row * 4, row * 4 + 4)]);
    }
  });

  it('keeps its values decoded only within the budget', () => {
    const budget = new DecodeBudget(1000);
    const [first, second] = [1, 2].map(() => new Matrix('F32', 40, 4, bytesOf(values), budget));
    expect([first.decodedByteLength, second.decodedByteLength]).toEqual([640, 0]);
    expect(second.values.length).toBeLessThan(160);
  });
});
