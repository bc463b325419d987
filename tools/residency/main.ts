/** `npm run residency`: residency policies compared on routing traces. See --help. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { ResidencyCounters } from '../../src/compute/residency.ts';
import { poolShapeOf, simulate } from '../../src/experts/simulate.ts';
import { parseTrace, type RoutingTrace } from '../../src/experts/trace.ts';
import { uniformRandom } from '../synthetic/random.ts';
import { benchmark } from './benchmark.ts';
import { POLICIES } from './policies.ts';
import { SYNTHETIC_KINDS, syntheticTrace } from './synthetic_traces.ts';

/** Unpacked bytes of a trace file at most. */
const MAX_TRACE_BYTE_LENGTH = 512 * 2 ** 20;

const METRICS: Readonly<Record<string, readonly [heading: string, value: (counters: ResidencyCounters) => string]>> = {
  missed: ['layers a token that wait for an expert', ({ missedLayers, steps }) => (missedLayers / steps).toFixed(2)],
  zero: ['tokens that wait for none, %', ({ zeroMissSteps, steps }) => (100 * zeroMissSteps / steps).toFixed(1)],
  rows: ['experts loaded a token', ({ misses, steps }) => (misses / steps).toFixed(1)],
  hits: ['routed experts that were there, %', ({ hits, misses }) => (100 * hits / (hits + misses)).toFixed(1)],
};
const KINDS = SYNTHETIC_KINDS.map(({ name }) => name);

const HELP = `Usage: npm run residency -- [options]
  --trace FILE      a trace that hotset generate or chat recorded (--record-trace); several times for several
  --synthetic LIST  made-up traces: ${KINDS.join(', ')}; or all
  --steps N         decoded tokens of a made-up trace (default 1000)
  --seed N          of made-up traces (default 1)
  --capacity LIST   percent of all experts that the pool holds (default 10,25,50,75)
  --groups N        groups of layers that share slots (default 1)
  --policies LIST   ${Object.keys(POLICIES).map((name) => name.replace(',', '')).join(', ')} (default all)
  --metrics LIST    ${Object.entries(METRICS).map(([name, [heading]]) => `${name} (${heading})`).join(', ')};
                    one table each (default missed)
  --prefetch P      when a layer waits, load the next one's experts, too, as guessed right in P percent
  --bench           instead, measure what the policies themselves take
`;

function main(): void {
  const { values } = parseArgs({ options: {
    trace: { type: 'string', multiple: true, default: [] }, synthetic: { type: 'string', default: '' },
    steps: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' },
    capacity: { type: 'string', default: '10,25,50,75' }, groups: { type: 'string', default: '1' },
    policies: { type: 'string', default: '' }, metrics: { type: 'string', default: 'missed' },
    prefetch: { type: 'string' }, bench: { type: 'boolean' }, help: { type: 'boolean' },
  } });
  if (values.help) {
    console.log(HELP);
    return;
  }
  const steps = numberOf('steps', values.steps, 1, 100_000);
  const seed = numberOf('seed', values.seed, 0, 2 ** 32 - 1);
  if (values.bench) {
    benchmark(steps, seed);
    return;
  }
  const kinds = namesOf('synthetic', values.synthetic, KINDS);
  if (values.trace.length + kinds.length === 0) throw new RangeError('give --trace FILE, or --synthetic all; see --help');
  const policies = values.policies === '' ? Object.keys(POLICIES) : namesOf('policies', values.policies, Object.keys(POLICIES));
  const metrics = namesOf('metrics', values.metrics, Object.keys(METRICS));
  const capacities = values.capacity.split(',').map((text) => numberOf('capacity', text, 0.01, 100));
  const accuracy = values.prefetch === undefined ? null : numberOf('prefetch', values.prefetch, 0, 100) / 100;

  const rows: { readonly head: string; readonly counters: readonly ResidencyCounters[] }[] = [];
  for (const [name, trace] of tracesOf(values.trace, kinds, steps, seed)) {
    const groups = numberOf('groups', values.groups, 1, trace.shape.expertLayerCount);
    for (const capacity of capacities) {
      const shape = poolShapeOf(trace.shape, capacity / 100, groups);
      const counters = policies.map((policy) => simulate(trace, shape, (pool) => POLICIES[policy](pool, trace),
        accuracy === null ? {} : { prefetch: { accuracy, random: uniformRandom(seed) } }));
      rows.push({ head: `${name} | ${capacity} %`, counters });
    }
  }
  for (const metric of metrics) {
    const [heading, value] = METRICS[metric];
    console.log(`${heading}:\n\n| trace | pool | ${policies.join(' | ')} |\n|---|---|${'---|'.repeat(policies.length)}`);
    for (const { head, counters } of rows) console.log(`| ${head} | ${counters.map(value).join(' | ')} |`);
    console.log();
  }
}

/** One at a time, since a long trace takes much memory. */
function* tracesOf(paths: readonly string[], kinds: readonly string[], steps: number, seed: number): Generator<[string, RoutingTrace]> {
  for (const path of paths) {
    const bytes = readFileSync(path);
    const text = path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: MAX_TRACE_BYTE_LENGTH }) : bytes;
    const trace = parseTrace(text.toString('latin1'));
    if (!trace.steps.some(({ kind }) => kind === 'decode')) throw new RangeError(`${path} has no decoded token`);
    yield [basename(path).replace(/\.trace(\.gz)?$/, ''), trace];
  }
  for (const kind of SYNTHETIC_KINDS) {
    if (kinds.includes(kind.name)) yield [kind.name, syntheticTrace(kind, steps, seed)];
  }
}

function numberOf(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) throw new RangeError(`--${option} takes a number from ${least} to ${most}, not '${text}'`);
  return value;
}

/** Names with a comma in them are given without it. @throws RangeError for an unknown one */
function namesOf(option: string, text: string, allowed: readonly string[]): readonly string[] {
  if (text === 'all') return allowed;
  return text.split(',').filter((name) => name !== '').map((name) => {
    const found = allowed.find((candidate) => candidate.replace(',', '').toLowerCase() === name.trim().toLowerCase());
    if (found === undefined) throw new RangeError(`--${option} takes ${allowed.join(', ')}, not '${name}'`);
    return found;
  });
}

try {
  main();
} catch (error) {
  console.error(`residency: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
