import { describe, expect, it } from 'vitest';
import { BeladyPolicy } from '../../../src/experts/belady.ts';
import { LruPolicy, profileOf, StaticPolicy } from '../../../src/experts/baselines.ts';
import { heatFrom, storedHeat } from '../../../src/experts/heat.ts';
import { LfruPolicy } from '../../../src/experts/lfru.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { coldest } from '../../../src/experts/select.ts';
import { poolShapeOf, simulate } from '../../../src/experts/simulate.ts';
import { parseTrace, type RoutingTrace } from '../../../src/experts/trace.ts';
import type { ResidencyPolicy } from '../../../src/compute/residency.ts';
import { randomStream } from '../../support/random_weights.ts';

const SHAPE = poolShapeOf({ expertLayerCount: 1, expertCount: 8, topK: 1 }, 0.5);
const ALL = [0, 1, 2, 3, 4, 5, 6, 7];

/** One decode step a list of experts. */
function decode(policy: ResidencyPolicy, steps: readonly (readonly number[])[]): void {
  for (const keys of steps) {
    policy.routed(keys, 'decode', 0);
    policy.stepped('decode');
  }
}

const repeated = (times: number, ...keys: number[]): number[][] => Array.from({ length: times }, () => keys);

it('coldest chooses as a full sort does', () => {
  const random = randomStream(3);
  for (const count of [0, 1, 2, 7, 40, 60]) {
    const score = Float64Array.from({ length: 60 }, () => (random() < 0.2 ? -Infinity : Math.floor(random() * 12)));
    const candidates = ALL.concat(Array.from({ length: 52 }, (_, i) => 59 - i));
    const sorted = candidates.toSorted((a, b) => (score[a] === score[b] ? a - b : score[a] < score[b] ? -1 : 1));
    expect(coldest(candidates, count, score), `${count}`).toEqual(sorted.slice(0, count));
  }
});

describe('LFRU', () => {
  it('without decay and grace gives up the least used', () => {
    const policy = new LfruPolicy(SHAPE, { decay: 1, graceSteps: 0 });
    decode(policy, [...repeated(3, 0), ...repeated(1, 1), ...repeated(2, 2)]);
    expect(policy.victims([0, 1, 2], 2)).toEqual([1, 2]);
  });

  it('lets old uses fade', () => {
    const policy = new LfruPolicy(SHAPE, { decay: 0.5, graceSteps: 0 });
    decode(policy, [...repeated(6, 0), ...repeated(4, 1)]);
    expect(policy.victims([0, 1], 1)).toEqual([0]);
  });

  it('stays exact after a hundred thousand steps', () => {
    const policy = new LfruPolicy(SHAPE, { decay: 0.9, graceSteps: 0 });
    decode(policy, [...repeated(100_000, 0), [1], [2], [2]]);
    expect(policy.victims([0, 1, 2], 3)).toEqual([1, 2, 0]);
  });

  it('spares what the last steps used, as long as graceSteps', () => {
    const policy = new LfruPolicy(SHAPE, { decay: 0.99, graceSteps: 3 });
    decode(policy, repeated(9, 0));
    decode(policy, [[1], [2]]);
    expect(policy.victims([0, 1], 1)).toEqual([0]);
    decode(policy, [[3]]);
    expect(policy.victims([0, 1], 1)).toEqual([1]);
  });

  it('learns little from a prompt', () => {
    const policy = new LfruPolicy(SHAPE, { promptHeat: 0.25, graceSteps: 0 });
    policy.routed([0, 1, 2], 'prefill');
    policy.stepped('prefill');
    decode(policy, [[2], [3]]);
    expect(policy.victims(ALL, 7)).toEqual([4, 5, 6, 7, 0, 1, 3]);
  });
});

describe('next use, the default', () => {
  const two = poolShapeOf({ expertLayerCount: 2, expertCount: 8, topK: 1 }, 0.5);
  const favourite = (step: number): number[] => [step % 4 === 3 ? 1 + (step >> 2) % 7 : 0];

  it('spares an expert just used over one never used', () => {
    const policy = new NextUsePolicy(SHAPE);
    decode(policy, [[5]]);
    expect(policy.victims(ALL, 7)).not.toContain(5);
  });

  it('keeps a favourite that was not among the latest', () => {
    const policy = new NextUsePolicy(SHAPE);
    decode(policy, Array.from({ length: 79 }, (_, step) => favourite(step)));
    decode(policy, [[3], [4], [5]]);
    expect(policy.victims(ALL, 7)).not.toContain(0);
  });

  it('learns from a model that takes turns', () => {
    const policy = new NextUsePolicy(SHAPE);
    decode(policy, Array.from({ length: 200 }, (_, step) => [step % 8]));
    expect(policy.victims(ALL, 6).toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('forgets a favourite that is one no more', () => {
    const policy = new NextUsePolicy(SHAPE, { decay: 0.9 });
    decode(policy, [...repeated(50, 0), ...repeated(50, 1), [2]]);
    expect(policy.victims([0, 1], 1)).toEqual([0]);
    expect(policy.heat()[1]).toBeGreaterThan(policy.heat()[0]);
  });

  it('prefers a layer that finds its experts to one that misses anyway, unless told not to', () => {
    const victimsOf = (missingLayerWorth: number): readonly number[] => {
      const policy = new NextUsePolicy(two, { missingLayerWorth });
      for (let step = 0; step < 100; step++) {
        policy.routed([step % 8], 'decode', 1);
        policy.routed([8 + step % 8], 'decode', 0);
        policy.stepped('decode');
      }
      return policy.victims([0, 1, 2, 3, 8, 9, 10, 11], 4).toSorted((a, b) => a - b);
    };
    expect(victimsOf(0.5)).toEqual([0, 1, 2, 3]);
    expect(victimsOf(Infinity)).not.toEqual([0, 1, 2, 3]);
  });

  it('starts from saved heat and lets the chat overrule it', () => {
    const before = new NextUsePolicy(two);
    decode(before, Array.from({ length: 60 }, (_, step) => [step % 3 === 0 ? 6 : 2]));
    const heat = heatFrom(JSON.parse(JSON.stringify(storedHeat(before.heat(), two))), two);
    const [group] = two.groups;
    expect(new NextUsePolicy(two).initial(group)).toEqual([0, 8, 1, 9, 2, 10, 3, 11]);
    const policy = new NextUsePolicy(two, { heat });
    expect(policy.initial(group).slice(0, 4)).toEqual([2, 6, 0, 8]);
    policy.heat().forEach((uses, key) => expect(uses).toBeCloseTo(before.heat()[key], 2));
    expect(policy.victims([2, 6, 7], 2)).toEqual([7, 6]);
    decode(policy, repeated(100, 7));
    expect(policy.victims([2, 6, 7], 2)).toEqual([6, 2]);
  });

  it('ignores heat of another shape', () => {
    expect(new NextUsePolicy(SHAPE, { heat: new Float32Array(3).fill(1) }).heat()).toEqual(new Float32Array(8));
  });

  it('does the same on the same routing', () => {
    const run = (): unknown => {
      const policy = new NextUsePolicy(SHAPE);
      const random = randomStream(4);
      const chosen: unknown[] = [];
      for (let step = 0; step < 600; step++) {
        decode(policy, [[Math.floor(8 * random() * random())]]);
        chosen.push(policy.victims(ALL, 3));
      }
      return [chosen, policy.heat()];
    };
    expect(run()).toEqual(run());
  });
});

describe('stored heat', () => {
  const heat = Float32Array.from({ length: 16 }, (_, i) => i / 15);
  const shape = { expertLayerCount: 2, expertCount: 8 };
  const stored = storedHeat(heat, shape);

  it('keeps every expert within a percent of the scale', () => {
    heatFrom(stored, shape)!.forEach((uses, key) => expect(Math.abs(uses - heat[key])).toBeLessThan(0.005));
    expect(heatFrom(storedHeat(Float32Array.of(-1, 7, Number.NaN), { expertLayerCount: 1, expertCount: 3 }), { expertLayerCount: 1, expertCount: 3 }))
      .toEqual(Float32Array.of(0, 1, 0));
  });

  it.each([
    null, 'heat', [], { ...stored, version: 2 }, { ...stored, expertCount: 9 }, { ...stored, heat: 7 },
    { ...stored, heat: stored.heat.slice(0, -4) }, { ...stored, heat: `${stored.heat.slice(0, -1)}!` }, { ...stored, heat: '=' + stored.heat.slice(1) },
  ])('is nothing where it is not whole or another model\'s: %j', (damaged) => {
    expect(heatFrom(damaged, shape)).toBeNull();
  });
});

describe('textbook policies', () => {
  const trace: RoutingTrace = parseTrace(`hotset-trace 1 layers=1 experts=8 topK=1\n${
    [0, 1, 2, 3, 0, 1, 4, 0, 1, 2, 3, 4, 5, 0, 1].map((expert) => `d ${expert}\n`).join('')}`);
  const missesOf = (createPolicy: (shape: typeof SHAPE) => ResidencyPolicy, slots: number): number =>
    simulate(trace, poolShapeOf(trace.shape, slots / 8), createPolicy).misses;

  it('LRU gives up the longest unused', () => {
    const policy = new LruPolicy(SHAPE);
    decode(policy, [[3], [1], [2], [3]]);
    policy.routed([1], 'prefill');
    expect(policy.victims([1, 2, 3], 2)).toEqual([1, 2]);
  });

  it('a static profile keeps its hottest', () => {
    const heat = profileOf(trace, 0.3);
    expect([...heat]).toEqual([2, 1, 1, 1, 0, 0, 0, 0]);
    // 0, 2 and 3 stay; 4 takes the place of 1 (the first of those equally cold), 1 of 4, and so on with 5.
    expect(missesOf((shape) => new StaticPolicy(shape, heat), 4)).toBe(5);
  });

  it('Belády\'s loads the fewest rows that any choice does', () => {
    for (const slots of [2, 3, 4]) {
      const least = fewestMisses(trace, slots);
      expect(missesOf((shape) => new BeladyPolicy(shape, trace), slots), `${slots} slots`).toBe(least);
      expect(missesOf((shape) => new LruPolicy(shape), slots)).toBeGreaterThanOrEqual(least);
    }
  });
});

/** Tries every start and every victim. */
function fewestMisses({ steps, shape }: RoutingTrace, slots: number): number {
  let reached = new Map<string, number>();
  for (let mask = 0; mask < 1 << shape.expertCount; mask++) {
    const held = ALL.filter((expert) => mask & (1 << expert));
    if (held.length === slots) reached.set(held.join(), 0);
  }
  for (const { layers: [[wanted]] } of steps) {
    const next = new Map<string, number>();
    const reach = (held: readonly number[], misses: number): unknown => {
      const name = held.toSorted((a, b) => a - b).join();
      return next.set(name, Math.min(misses, next.get(name) ?? Infinity));
    };
    for (const [name, misses] of reached) {
      const held = name.split(',').map(Number);
      if (held.includes(wanted)) reach(held, misses);
      else for (const victim of held) reach([...held.filter((key) => key !== victim), wanted], misses + 1);
    }
    reached = next;
  }
  return Math.min(...reached.values());
}
