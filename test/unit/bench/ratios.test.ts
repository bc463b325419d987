import { describe, expect, it } from 'vitest';
import { pairedRatio, shuffled } from '../../../tools/bench/profile/ratios.ts';
import { normalValues, uniformRandom } from '../../../tools/synthetic/random.ts';

describe('ratios of paired turns', () => {
  it('tell one per cent where turns spread by half and their neighbours share it', () => {
    const random = uniformRandom(3);
    const noise = normalValues(random, 200, 0.02);
    const bases = Array.from({ length: 100 }, () => 100 * (1 + random()));
    const values = bases.map((base, i) => base * 1.01 * (1 + noise[2 * i]) / (1 + noise[2 * i + 1]));
    const { low, median, high } = pairedRatio(values, bases);
    expect(median).toBeCloseTo(1.01, 2);
    expect(low).toBeGreaterThan(1);
    expect(high).toBeLessThan(1.02);
  });

  it('hold the true median in about 95 of 100 cases', () => {
    const random = uniformRandom(5);
    const ones = Array.from({ length: 30 }, () => 1);
    const held = Array.from({ length: 1000 }, () => {
      const { low, high } = pairedRatio([...normalValues(random, 30, 1)].map(Math.exp), ones);
      return low <= 1 && high >= 1;
    }).filter(Boolean).length;
    expect(held).toBeGreaterThan(930);
    expect(held).toBeLessThan(985);
  });

  it('give ranks of known numbers', () => {
    const values = [9, 1, 8, 2, 7, 3, 6, 4, 5, 10];
    expect(pairedRatio(values, values.map(() => 2))).toEqual({ median: 2.75, low: 1, high: 4.5, lowerQuartile: 1.5, upperQuartile: 4 });
    expect(() => pairedRatio([1, 2, 3], [1, 2, 3])).toThrow(/6 pairs/);
  });
});

it('shuffles into every order alike, and keeps what was there', () => {
  const random = uniformRandom(7);
  const counts = new Map<string, number>();
  for (let i = 0; i < 6000; i++) {
    const order = shuffled(['a', 'b', 'c'], random).join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});
