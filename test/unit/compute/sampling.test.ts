import { describe, expect, it } from 'vitest';
import { gumbelNoise, hashU32, sampleToken } from '../../../src/compute/sampling.ts';
import type { SamplingParams } from '../../../src/compute/ops.ts';

const PLAIN: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 64, seed: 7,
};
/** Logits of probabilities, shuffled so that the order of ids isn't the order of probability. */
const PROBABILITIES = [0.05, 0.4, 0.1, 0.02, 0.25, 0.03, 0.15];
const LOGITS = Float32Array.from(PROBABILITIES, Math.log);

function draw(params: Partial<SamplingParams>, position = 0, recent: readonly number[] = []): number {
  return sampleToken(LOGITS, { ...PLAIN, ...params }, recent, position);
}

function counts(params: Partial<SamplingParams>, draws: number): number[] {
  const found = PROBABILITIES.map(() => 0);
  for (let position = 0; position < draws; position++) found[draw(params, position)]++;
  return found;
}

/** Pearson's χ² of counts against probabilities (renormalised over those above 0). */
function chiSquare(observed: readonly number[], probabilities: readonly number[]): number {
  const total = observed.reduce((sum, n) => sum + n, 0);
  const mass = probabilities.reduce((sum, p) => sum + p, 0);
  return observed.reduce((sum, n, i) => {
    const expected = (total * probabilities[i]) / mass;
    return expected > 0 ? sum + (n - expected) ** 2 / expected : sum;
  }, 0);
}

/** 99.9 % quantiles of χ² by degrees of freedom. */
const CHI_SQUARE_999: Readonly<Record<number, number>> = { 1: 10.83, 2: 13.82, 3: 16.27, 6: 22.46, 15: 37.7 };

describe('the hash', () => {
  it('is the documented one: values that a shader twin is checked against', () => {
    expect([hashU32(0, 0, 0), hashU32(1, 2, 3), hashU32(0xffffffff, 1000, 151935)]).toEqual([1058359340, 1500469937, 3087786286]);
  });

  it('differs in each of seed, position and token, and fills its range evenly', () => {
    const buckets = new Array<number>(16).fill(0);
    for (let token = 0; token < 16000; token++) buckets[hashU32(1, 2, token) >>> 28]++;
    expect(chiSquare(buckets, buckets.map(() => 1 / 16))).toBeLessThan(CHI_SQUARE_999[15]);
    const base = hashU32(5, 6, 7);
    expect([hashU32(6, 6, 7), hashU32(5, 7, 7), hashU32(5, 6, 8)]).not.toContain(base);
  });
});

describe('Gumbel noise', () => {
  it('has the mean 0.5772 and variance π²/6 of its distribution', () => {
    const n = 40000;
    const noise = Array.from({ length: n }, (_, token) => gumbelNoise(3, 4, token));
    const mean = noise.reduce((sum, x) => sum + x, 0) / n;
    const variance = noise.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
    expect(Math.abs(mean - 0.5772)).toBeLessThan(0.03);
    expect(Math.abs(variance - Math.PI ** 2 / 6)).toBeLessThan(0.08);
    expect(Math.min(...noise)).toBeGreaterThan(-3);
  });
});

describe('greedy', () => {
  it('takes the largest logit, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed++) {
      expect(draw({ temperature: 0, seed })).toBe(1);
      expect(draw({ topK: 1, temperature: 5, seed })).toBe(1);
    }
  });

  it('takes the lowest id on a tie', () => {
    const tied = Float32Array.from([0, 3, 1, 3]);
    expect(sampleToken(tied, { ...PLAIN, temperature: 0 }, [], 0)).toBe(1);
    expect(sampleToken(tied, { ...PLAIN, topK: 1 }, [], 0)).toBe(1);
  });

  it('feels the repetition penalty', () => {
    // 0.4 has the logit -0.92, twice that is below those of 0.25 and 0.2.
    expect(draw({ temperature: 0, repetitionPenalty: 2 }, 0, [1, 1])).toBe(4);
    const positive = Float32Array.from([3, 2]);
    expect(sampleToken(positive, { ...PLAIN, temperature: 0, repetitionPenalty: 2 }, [0], 0)).toBe(1);
  });

  it('sees only the latest penaltyLastN tokens', () => {
    const params = { temperature: 0, repetitionPenalty: 2 };
    expect(draw({ ...params, penaltyLastN: 2 }, 0, [1, 0, 0])).toBe(1);
    expect(draw({ ...params, penaltyLastN: 3 }, 0, [1, 0, 0])).toBe(4);
    expect(draw({ ...params, penaltyLastN: 0 }, 0, [1])).toBe(1);
  });
});

describe('drawing', () => {
  it('repeats with the seed and changes with it', () => {
    const sequence = (seed: number): number[] => Array.from({ length: 50 }, (_, position) => draw({ seed }, position));
    expect(sequence(11)).toEqual(sequence(11));
    expect(sequence(11)).not.toEqual(sequence(12));
  });

  it('follows the softmax', () => {
    expect(chiSquare(counts({}, 4000), PROBABILITIES)).toBeLessThan(CHI_SQUARE_999[6]);
  });

  it('follows the softmax at another temperature', () => {
    const sharper = PROBABILITIES.map((p) => p ** 2);
    expect(chiSquare(counts({ temperature: 0.5 }, 4000), sharper)).toBeLessThan(CHI_SQUARE_999[6]);
  });

  it.each<[string, Partial<SamplingParams>, readonly number[]]>([
    ['topK 3', { topK: 3 }, [1, 4, 6]],
    ['topP 0.79: 0.4 + 0.25 + 0.15 reach it', { topP: 0.79 }, [1, 4, 6]],
    ['topP 0.81: needs one more', { topP: 0.81 }, [1, 2, 4, 6]],
    ['topP 0: the largest alone', { topP: 0 }, [1]],
    ['topP of what topK left: 0.5 is below 0.4 / 0.65', { topK: 2, topP: 0.5 }, [1]],
    ['minP 0.3: at least 0.12', { minP: 0.3 }, [1, 4, 6]],
    ['minP 1: the largest alone', { minP: 1 }, [1]],
    ['minP is taken before the temperature', { minP: 0.3, temperature: 10 }, [1, 4, 6]],
  ])('%s', (_, params, kept) => {
    const observed = counts(params, 2000);
    expect(observed.flatMap((n, token) => (n > 0 ? [token] : []))).toEqual(kept);
    const flattened = PROBABILITIES.map((p, token) => (kept.includes(token) ? p ** (1 / (params.temperature ?? 1)) : 0));
    if (kept.length > 1) expect(chiSquare(observed, flattened)).toBeLessThan(CHI_SQUARE_999[kept.length - 1]);
  });

  it('keeps tokens tied with the k-th', () => {
    const tied = Float32Array.from([2, 1, 1, 0]);
    const seen = new Set(Array.from({ length: 200 }, (_, p) => sampleToken(tied, { ...PLAIN, topK: 2 }, [], p)));
    expect([...seen].sort()).toEqual([0, 1, 2]);
  });

  it('leaves the logits as they were', () => {
    const logits = Float32Array.from(LOGITS);
    sampleToken(logits, { ...PLAIN, repetitionPenalty: 2, topK: 3 }, [1], 0);
    expect(logits).toEqual(LOGITS);
  });
});

describe('refusals', () => {
  it.each<[keyof SamplingParams, number]>([
    ['temperature', -1], ['temperature', NaN], ['topK', -1], ['topP', 1.5], ['minP', -0.1], ['repetitionPenalty', 0],
    ['seed', -1], ['seed', 2 ** 32],
  ])('%s %d', (name, value) => {
    expect(() => draw({ [name]: value })).toThrow(new RegExp(`sampling: ${name} is`));
  });

  it('logits that are no numbers', () => {
    expect(() => sampleToken(new Float32Array(4).fill(NaN), PLAIN, [], 0)).toThrow(/no finite logits/);
    expect(() => sampleToken(Float32Array.from([1, Infinity]), PLAIN, [], 0)).toThrow(/no finite logits/);
  });
});
