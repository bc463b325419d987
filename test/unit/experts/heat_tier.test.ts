import { describe, expect, it } from 'vitest';
import type { ExpertKey, PoolShape, TierMove } from '../../../src/compute/residency.ts';
import { HeatTierPolicy } from '../../../src/experts/heat_tier.ts';
import { randomStream } from '../../support/random_weights.ts';

/** Two layers of 8 experts that share a tier of so many slots. */
const shape = (slotCount: number): PoolShape => ({
  expertLayerCount: 2, expertCount: 8, topK: 2, groups: [{ layerIndexes: [0, 1], slotCount, slotByteLength: 16 }],
});

function step(policy: HeatTierPolicy, ...layers: readonly (readonly ExpertKey[])[]): readonly TierMove[] {
  for (const keys of layers) policy.routed(keys);
  return policy.stepped();
}

describe('the tier of the hottest', () => {
  it('starts with the hottest of an earlier session, and empty without one', () => {
    const heat = new Float32Array(16);
    heat.set([0.2, 0, 0.9], 3);
    heat[12] = 0.5;
    const started = new HeatTierPolicy(shape(3), { heat });
    expect(started.initial(shape(3).groups[0])).toEqual([5, 12, 3]);
    expect(step(started, [5], [12])).toEqual([]);
    expect(new HeatTierPolicy(shape(3)).initial(shape(3).groups[0])).toEqual([]);
  });

  it('fills free slots, a few a step, hottest first', () => {
    const policy = new HeatTierPolicy(shape(16), { movesPerStep: 3 });
    expect(step(policy, [0, 1], [8, 9])).toEqual([0, 1, 8].map((key) => ({ key, evicts: null })));
    expect(step(policy, [0, 1], [9, 10])).toEqual([9, 10].map((key) => ({ key, evicts: null })));
  });

  it('drives out only experts that rest, and only for clearly hotter ones', () => {
    const policy = new HeatTierPolicy(shape(2), { hysteresis: 1.5, coldSteps: 2 });
    step(policy, [0, 1], [8, 9]);
    // 0 and 1 are held. 8 and 9 are as hot as they are, and those were used a step ago.
    expect(step(policy, [2, 3], [8, 9])).toEqual([]);
    expect(step(policy, [2, 3], [8, 9])).toEqual([{ key: 8, evicts: 0 }, { key: 9, evicts: 1 }]);
    expect(step(policy, [0, 1], [8, 9])).toEqual([]);
  });

  it('brings in all of an unsure step that fit, in their order, and gives up none of its own', () => {
    const policy = new HeatTierPolicy(shape(3));
    step(policy, [0, 1], [8]);
    expect(policy.demanded([2, 0, 9, 10])).toEqual([{ key: 2, evicts: 1 }, { key: 9, evicts: 8 }]);
    expect(policy.demanded([2, 0, 9, 10])).toEqual([]);
  });

  // Counts that halve each step outgrow their unit within the test.
  it.each([0.99, 0.5])('makes moves that hold together and depend on routing alone, uses kept %s', (decay) => {
    const run = (): TierMove[] => {
      const random = randomStream(3);
      const policy = new HeatTierPolicy(shape(5), { decay });
      const held = new Set<ExpertKey>();
      const all: TierMove[] = [];
      for (let i = 0; i < 500; i++) {
        const routed = [0, 8].map((first) => [...new Set([random(), random()].map((x) => first + Math.floor(8 * x ** (1 + i % 3))))]);
        const moves = [...step(policy, ...routed), ...(i % 7 === 0 ? policy.demanded(routed.flat()) : [])];
        for (const { key, evicts } of moves) {
          expect(held.has(key)).toBe(false);
          if (evicts !== null) expect(held.delete(evicts)).toBe(true);
          held.add(key);
          expect(held.size).toBeLessThanOrEqual(5);
        }
        all.push(...moves);
      }
      return all;
    };
    const moves = run();
    expect(moves.length).toBeGreaterThan(50);
    expect(run()).toEqual(moves);
  });
});
