/** `npm run bench:profile`: what recording costs a decoded token. See --help. */
import { parseArgs } from 'node:util';
import type { Backend, LoadedModel, Sequence } from '../../../src/compute/ops.ts';
import type { PoolShape } from '../../../src/compute/residency.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../../../src/hosts/node_backend.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { Tracer } from '../../../src/profile/trace.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import { manifestFromPlan } from '../../../src/storage/manifest.ts';
import { withZipfRouting } from '../../synthetic/biased_router.ts';
import { syntheticCheckpoint, syntheticSource } from '../../synthetic/synthetic_model.ts';
import { uniformRandom } from '../../synthetic/random.ts';
import { median } from '../measure.ts';
import { BENCH_SHAPES } from '../shapes.ts';
import { pairedRatio, shuffled } from './ratios.ts';

const HELP = `Usage: npm run bench:profile -- [options]
  --backend NAME        ${NODE_BACKENDS.join(' or ')} (default webgpu)
  --shape NAME          ${Object.keys(BENCH_SHAPES).join(', ')} (default olmoe)
  --layers N            keep only the first N layers
  --format F            weight format of all matrices but the embedding (default Q4_K)
  --pools LIST          shares of experts in device memory, in percent; 100: all resident (default 100,50)
  --decode N            tokens a turn (default 32)
  --rounds N            turns of each variant, at least 6 (default 40)
  --kernels             one more variant, that times every kernel

Each variant has a model of its own. In each round all decode the same tokens, in random order; a variant's cost is the
median of its turns' times over those of the model without a recorder in the same rounds. A second model without one
tells what chance makes of that.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    kernels: { type: 'boolean', default: false },
    backend: { type: 'string', default: 'webgpu' },
    shape: { type: 'string', default: 'olmoe' },
    layers: { type: 'string' },
    format: { type: 'string', default: 'Q4_K' },
    pools: { type: 'string', default: '100,50' },
    decode: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '40' },
  },
});

const SAMPLING = { temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 11 } as const;
/** Exponent of the routers' preference: a pool is of use only where experts are not all alike. */
const ZIPF_EXPONENT = 0.8;

interface Variant {
  readonly name: string;
  readonly model: LoadedModel;
  readonly sequence: Sequence;
  readonly milliseconds: number[];
}

async function turn({ model, sequence }: Variant, round: number, tokens: number): Promise<number> {
  sequence.truncate(0);
  let token = round + 1;
  const start = performance.now();
  for (let i = 0; i < tokens; i++) {
    token = (await model.step(sequence, [token], { kind: 'sample', sampling: SAMPLING, recentTokens: [] })).token ?? 0;
  }
  return performance.now() - start;
}

/** One line a variant. Fastest turns are those that other programs on the machine disturb least. */
function report(variants: readonly Variant[], percent: number, tokens: number): void {
  const [base] = variants;
  const cost = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${(100 * (ratio - 1)).toFixed(2)} %`;
  for (const variant of variants) {
    const { name, milliseconds } = variant;
    const speed = `| ${percent} % | ${name} | ${milliseconds.length} | ${((1000 * tokens) / median(milliseconds)).toFixed(1)} |`;
    if (variant === base) {
      console.log(`${speed} | | | |`);
      continue;
    }
    const ratio = pairedRatio(milliseconds, base.milliseconds);
    console.log(`${speed} ${cost(ratio.median)} | ${cost(ratio.low)} to ${cost(ratio.high)} | `
      + `${cost(ratio.lowerQuartile)} to ${cost(ratio.upperQuartile)} | ${cost(Math.min(...milliseconds) / Math.min(...base.milliseconds))} |`);
  }
}

async function measure(backend: Backend, percent: number): Promise<void> {
  const shape = { ...BENCH_SHAPES[values.shape], ...(values.layers ? { layerCount: Number(values.layers) } : {}) };
  const format = values.format as WeightFormatName;
  const manifest = manifestFromPlan(planModel(syntheticCheckpoint(
    shape, { embedding: 'F32', attention: format, head: format, gateUp: format, down: format }, `${values.shape} (random weights)`)));
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map((entry) => entry.name));
  const [tokens, rounds] = [Number(values.decode), Number(values.rounds)];
  const experts = percent >= 100 ? {} : {
    experts: { size: { share: percent / 100 }, createPolicy: (pool: PoolShape) => new NextUsePolicy(pool) },
  };
  const variants: Variant[] = [];
  const add = async (name: string, tracer: Tracer | null): Promise<void> => {
    const source = withZipfRouting(syntheticSource(manifest), ZIPF_EXPONENT);
    const model = await backend.load(source, graph, { contextLength: tokens + 1, ...experts, ...(tracer ? { tracer } : {}) });
    variants.push({ name, model, sequence: await model.createSequence(), milliseconds: [] });
  };
  const [on, kernels] = [new Tracer(), new Tracer()];
  await add('no recorder', null);
  await add('no recorder, again', null);
  await add('recorder off', new Tracer());
  await add('recorder on', on);
  if (values.kernels) await add('on, with kernels', kernels);
  on.start({ kernels: false });
  kernels.start({ kernels: true });
  for (const variant of variants) await turn(variant, rounds, tokens);
  const random = uniformRandom(percent);
  for (let round = 0; round < rounds; round++) {
    // Another order each round, so that what drifts or comes at intervals meets all of them.
    for (const variant of shuffled(variants, random)) variant.milliseconds.push(await turn(variant, round, tokens));
  }
  report(variants, percent, tokens);
  for (const { model } of variants) model.dispose();
}

if (values.help) {
  process.stdout.write(HELP);
} else {
  if (!(values.shape in BENCH_SHAPES)) throw new RangeError(`--shape takes one of ${Object.keys(BENCH_SHAPES).join(', ')}`);
  if (!(values.format in WEIGHT_FORMATS)) throw new RangeError(`--format takes one of ${Object.keys(WEIGHT_FORMATS).join(', ')}`);
  const name = NODE_BACKENDS.find((candidate) => candidate === values.backend);
  if (!name) throw new RangeError(`--backend takes one of ${NODE_BACKENDS.join(', ')}`);
  const backend = await openNodeBackend(name satisfies NodeBackendName);
  console.log(`${backend.info.label}\n${values.shape}, ${values.format}\n`);
  console.log('| experts resident | variant | turns | tok/s | cost | 95 % interval | half of the turns | of fastest turns |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const percent of values.pools.split(',').map(Number)) await measure(backend, percent);
  backend.dispose();
}
