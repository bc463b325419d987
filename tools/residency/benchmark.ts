/** What a policy itself takes of a token's time, at the size of a large model. */
import type { ExpertKey, ResidencyPolicy } from '../../src/compute/residency.ts';
import { poolShapeOf, simulate } from '../../src/experts/simulate.ts';
import { POLICIES } from './policies.ts';
import { SYNTHETIC_KINDS, syntheticTrace } from './synthetic_traces.ts';

const SHARE = 0.25;
const TOKENS_PER_SECOND = 60;

/** Prints microseconds a call and a token of each policy on a trace with topics. */
export function benchmark(steps: number, seed: number): void {
  const trace = syntheticTrace(SYNTHETIC_KINDS.find(({ name }) => name === 'topics')!, steps, seed);
  const { expertLayerCount, expertCount, topK } = trace.shape;
  console.log(`${expertLayerCount} layers of ${expertCount} experts, ${topK} used, ${100 * SHARE} % resident in one group, ${steps} tokens\n`);
  console.log(`| policy | routed, µs a call | victims, µs a call | µs a token | of a token at ${TOKENS_PER_SECOND}/s |\n|---|---|---|---|---|`);
  for (const [name, create] of Object.entries(POLICIES)) {
    const times = { routed: 0, victims: 0, stepped: 0 };
    const calls = { routed: 0, victims: 0, stepped: 0 };
    simulate(trace, poolShapeOf(trace.shape, SHARE), (shape) => timed(create(shape, trace), (call, ms) => {
      times[call] += ms;
      calls[call] += 1;
    }));
    const perToken = (times.routed + times.victims + times.stepped) / steps;
    const perCall = (call: 'routed' | 'victims'): string => (1000 * times[call] / Math.max(1, calls[call])).toFixed(1);
    console.log(`| ${name} | ${perCall('routed')} | ${perCall('victims')} | ${(1000 * perToken).toFixed(0)} | ${(100 * perToken / (1000 / TOKENS_PER_SECOND)).toFixed(2)} % |`);
  }
}

function timed(policy: ResidencyPolicy, took: (call: 'routed' | 'victims' | 'stepped', ms: number) => void): ResidencyPolicy {
  const time = <T>(call: 'routed' | 'victims' | 'stepped', run: () => T): T => {
    const start = performance.now();
    const result = run();
    took(call, performance.now() - start);
    return result;
  };
  return {
    initial: (group) => policy.initial(group),
    routed: (keys, kind, missing) => time('routed', () => policy.routed(keys, kind, missing)),
    stepped: (kind) => time('stepped', () => policy.stepped(kind)),
    victims: (candidates: readonly ExpertKey[], count) => time('victims', () => policy.victims(candidates, count)),
  };
}
