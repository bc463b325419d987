/** The policies that are compared, by the names of the table. */
import type { PoolShape, ResidencyPolicy } from '../../src/compute/residency.ts';
import { LruPolicy, profileOf, StaticPolicy } from '../../src/experts/baselines.ts';
import { BeladyPolicy } from '../../src/experts/belady.ts';
import { LfruPolicy } from '../../src/experts/lfru.ts';
import { NextUsePolicy } from '../../src/experts/next_use.ts';
import type { RoutingTrace } from '../../src/experts/trace.ts';

/** Part of a trace that a static profile is taken from. */
const PROFILE_SHARE = 0.25;

export const POLICIES: Readonly<Record<string, (shape: PoolShape, trace: RoutingTrace) => ResidencyPolicy>> = {
  'static profile': (shape, trace) => new StaticPolicy(shape, profileOf(trace, PROFILE_SHARE)),
  LRU: (shape) => new LruPolicy(shape),
  LFU: (shape) => new LfruPolicy(shape, { decay: 1, promptHeat: 0, graceSteps: 0 }),
  'LFU, aged': (shape) => new LfruPolicy(shape, { promptHeat: 0, graceSteps: 0 }),
  LFRU: (shape) => new LfruPolicy(shape),
  'next use, layers alike': (shape) => new NextUsePolicy(shape, { missingLayerWorth: Infinity }),
  'next use': (shape) => new NextUsePolicy(shape),
  'Belády (offline)': (shape, trace) => new BeladyPolicy(shape, trace),
};
