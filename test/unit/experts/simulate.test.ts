import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ExpertPoolOptions, PoolShape, ResidencyCounters, ResidencyPolicy } from '../../../src/compute/residency.ts';
import { ExpertPool } from '../../../src/compute/webgpu/expert_pool.ts';
import { LruPolicy } from '../../../src/experts/baselines.ts';
import { LfruPolicy } from '../../../src/experts/lfru.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { poolShapeOf, simulate } from '../../../src/experts/simulate.ts';
import { parseTrace, type RoutingTrace } from '../../../src/experts/trace.ts';
import type { ModelSource } from '../../../src/storage/model_source.ts';
import { SYNTHETIC_KINDS, syntheticTrace } from '../../../tools/residency/synthetic_traces.ts';
import { createFakeDevice } from '../../support/fake_device.ts';
import { randomStream } from '../../support/random_weights.ts';

const DEMO = parseTrace(gunzipSync(readFileSync(join(import.meta.dirname, '../../vectors/traces/demo-chats.trace.gz'))).toString());
const SMALL = { expertLayerCount: 6, expertCount: 32, topK: 4 };
const small = (name: string, steps: number): RoutingTrace =>
  syntheticTrace(SYNTHETIC_KINDS.find((kind) => kind.name === name)!, steps, 1, SMALL);

/** Expert rows of 48 bytes and nothing else. */
function rowsOnly({ expertLayerCount, expertCount, topK }: RoutingTrace['shape']): ModelSource {
  const matrix = (byteOffset: number): object => ({ format: 'F32', rows: 1, cols: 4, byteOffset, byteLength: 16 });
  return {
    manifest: {
      expertCount, expertStrideByteLength: 64, hyperparameters: { expertUsedCount: topK },
      expertLayers: Array.from({ length: expertLayerCount }, (_, layer) => ({ layer, gate: matrix(0), up: matrix(16), down: matrix(32) })),
    },
    readExpertRow: async (_layer: number, _expert: number, into?: Uint8Array) => into ?? new Uint8Array(64),
  } as unknown as ModelSource;
}

/** The trace on the real pool, driven as steps drive it. */
async function onThePool({ shape, steps }: RoutingTrace, options: ExpertPoolOptions, bindingByteLength: number): Promise<[PoolShape, ResidencyCounters]> {
  const pool = await ExpertPool.create(createFakeDevice().device, rowsOnly(shape), shape.topK, options, bindingByteLength, null);
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- this fill is the pool's own
  await pool.fill({});
  const { counters } = pool;
  for (const { kind, layers } of steps) {
    let missed = 0;
    for (const [layer, experts] of layers.entries()) {
      const keys = experts.map((expert) => pool.key(layer, expert));
      if (kind === 'prefill') {
        if (pool.holdsLayer(layer)) continue;
        pool.routed(keys, 'prefill', 0);
        for await (const wave of pool.waves(layer, keys)) expect(wave.keys.every((key) => pool.isResident(key))).toBe(true);
        continue;
      }
      const missing = keys.filter((key) => !pool.isResident(key)).length;
      counters.hits += keys.length - missing;
      counters.misses += missing;
      pool.routed(keys, 'decode', missing);
      if (missing === 0) continue;
      missed += 1;
      await pool.ensure(layer, keys);
    }
    pool.stepped(kind, missed === 0);
    counters.missedLayers += missed;
  }
  return [pool.shape, counters];
}

describe('the simulator', () => {
  it.each<[string, number, number, (shape: PoolShape) => ResidencyPolicy]>([
    ['one group', 0.3, 1e6, (shape) => new NextUsePolicy(shape)],
    ['several groups', 0.3, 48 * 25, (shape) => new NextUsePolicy(shape)],
    ['the least that can run', 4.01 / 192, 1e6, (shape) => new LfruPolicy(shape)],
    ['nearly all', 0.95, 1e6, (shape) => new LfruPolicy(shape)],
    ['a policy that starts empty', 0.4, 1e6, () => ({
      initial: () => [], routed: () => undefined, stepped: () => undefined,
      victims: (candidates, count) => candidates.slice(-count),
    })],
  ])('counts what the pool counts: %s', async (_, share, bindingByteLength, createPolicy) => {
    const trace = small('topics', 60);
    const [shape, counters] = await onThePool(trace, { size: { share }, createPolicy }, bindingByteLength);
    const expected: Partial<ResidencyCounters> = simulate(trace, shape, createPolicy);
    expect(shape.groups.length > 1).toBe(bindingByteLength < 1e6);
    expect(counters).toMatchObject(expected);
    expect(counters.misses).toBeGreaterThan(0);
  });

  it('prefetches only when a layer waits, and saves the next one the wait', () => {
    const trace = small('uniform', 100);
    const shape = poolShapeOf(SMALL, 0.5);
    const run = (accuracy: number | null): ResidencyCounters => simulate(
      trace, shape, (pool) => new LruPolicy(pool), accuracy === null ? {} : { prefetch: { accuracy, random: randomStream(1) } });
    const [without, half, sure] = [run(null), run(0.5), run(1)];
    // Every other layer at most waits where all guesses are right.
    expect(sure.missedLayers).toBeLessThanOrEqual(sure.steps * 3);
    expect(half.missedLayers).toBeLessThan(without.missedLayers);
    expect(half.missedLayers).toBeGreaterThan(sure.missedLayers);
  });

  it('refuses a policy that gives up too few', () => {
    const lazy: ResidencyPolicy = { initial: () => [0, 1, 2, 3, 4, 5], routed: () => undefined, stepped: () => undefined, victims: () => [] };
    expect(() => simulate(small('uniform', 3), poolShapeOf(SMALL, 0.03), () => lazy)).toThrow(/not as many as asked for/);
  });
});

describe('the default policy', () => {
  const missedLayers = (trace: RoutingTrace, share: number, createPolicy: (shape: PoolShape) => ResidencyPolicy): number =>
    simulate(trace, poolShapeOf(trace.shape, share), createPolicy).missedLayers;

  it.each<[string, RoutingTrace]>([
    ['the demo model\'s chats', DEMO], ...SYNTHETIC_KINDS.map(({ name }): [string, RoutingTrace] => [name, small(name, 400)]),
  ])('waits at most 5 % more than the best of LRU, LFU and LFRU on %s', (_, trace) => {
    for (const share of [0.25, 0.5]) {
      const best = Math.min(
        missedLayers(trace, share, (shape) => new LruPolicy(shape)),
        missedLayers(trace, share, (shape) => new LfruPolicy(shape)),
        missedLayers(trace, share, (shape) => new LfruPolicy(shape, { decay: 1, graceSteps: 0, promptHeat: 0 })));
      expect(missedLayers(trace, share, (shape) => new NextUsePolicy(shape)), `${share}`).toBeLessThanOrEqual(1.05 * best);
    }
  });
});
