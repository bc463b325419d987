/** `npm run bench:residency`: upload ways, and decode speed against the size of the expert pool. See --help. */
import { parseArgs } from 'node:util';
import type { Backend, LoadedModel } from '../../../src/compute/ops.ts';
import type { PoolShape, ResidencyCounters, StepMode } from '../../../src/compute/residency.ts';
import { openDevice } from '../../../src/compute/webgpu/device.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { openDawn } from '../../../src/hosts/dawn.ts';
import { openNodeBackend } from '../../../src/hosts/node_backend.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import { manifestFromPlan } from '../../../src/storage/manifest.ts';
import type { ModelSource } from '../../../src/storage/model_source.ts';
import { withZipfRouting } from '../../synthetic/biased_router.ts';
import { syntheticCheckpoint, syntheticSource } from '../../synthetic/synthetic_model.ts';
import { BENCH_SHAPES } from '../shapes.ts';
import { measureUploads } from './uploads.ts';

const HELP = `Usage: npm run bench:residency -- [options]
  --uploads             time the ways to upload rows, and stop
  --shape NAME          ${Object.keys(BENCH_SHAPES).join(', ')} (default qwen3-30b)
  --layers N            keep only the first N layers
  --expert-format F     (default W2)
  --pools LIST          shares of all experts in percent (default 100,50,25,12.5)
  --zipf LIST           exponents of the routers' preference, 0 = uniform (default 0,0.8)
  --step-mode LIST      how steps are submitted: adaptive, whole, stepwise (default adaptive)
  --warm N              tokens before the clock starts (default 64)
  --decode N            tokens timed (default 128)
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    uploads: { type: 'boolean', default: false },
    shape: { type: 'string', default: 'qwen3-30b' },
    layers: { type: 'string' },
    'expert-format': { type: 'string', default: 'W2' },
    pools: { type: 'string', default: '100,50,25,12.5' },
    zipf: { type: 'string', default: '0,0.8' },
    'step-mode': { type: 'string', default: 'adaptive' },
    warm: { type: 'string', default: '64' },
    decode: { type: 'string', default: '128' },
  },
});

const STEP_MODES: readonly StepMode[] = ['adaptive', 'whole', 'stepwise'];

/** Sampled at temperature 1, random weights write random text: no token repeats the experts of the one before. */
const SAMPLING = { temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 11 } as const;

async function decode(model: LoadedModel, warm: number, count: number): Promise<{ rate: number; used: ResidencyCounters | null }> {
  const sequence = model.createSequence();
  let token = 1;
  const steps = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) {
      token = (await model.step(sequence, [token], { kind: 'sample', sampling: SAMPLING, recentTokens: [] })).token ?? 0;
    }
  };
  await steps(warm);
  const before = model.residency && { ...model.residency };
  const start = performance.now();
  await steps(count);
  const rate = (1000 * count) / (performance.now() - start);
  const after = model.residency;
  sequence.dispose();
  return { rate, used: before && after ? difference(after, before) : null };
}

function difference(after: Readonly<ResidencyCounters>, before: Readonly<ResidencyCounters>): ResidencyCounters {
  const used = { ...after };
  for (const name of Object.keys(used) as (keyof ResidencyCounters)[]) used[name] -= before[name];
  return used;
}

/** Rows of a layer out of memory at the speed of a copy: a few made once serve all experts, which doesn't change routing. */
function withRowsInMemory(source: ModelSource): ModelSource {
  const rows = new Map<number, Uint8Array>();
  return {
    ...source,
    async readExpertRow(layer, expert, into) {
      const row = rows.get(expert % 8) ?? await source.readExpertRow(layer, expert);
      rows.set(expert % 8, row);
      if (!into) return row;
      into.set(row);
      return into.subarray(0, row.byteLength);
    },
  };
}

function stepModes(): StepMode[] {
  return values['step-mode'].split(',').map((name) => {
    const mode = STEP_MODES.find((candidate) => candidate === name);
    if (!mode) throw new RangeError(`--step-mode takes ${STEP_MODES.join(', ')}`);
    return mode;
  });
}

async function sweep(backend: Backend): Promise<void> {
  const shape = { ...BENCH_SHAPES[values.shape], ...(values.layers ? { layerCount: Number(values.layers) } : {}) };
  const expertFormat = values['expert-format'] as WeightFormatName;
  if (!(expertFormat in WEIGHT_FORMATS)) throw new RangeError(`--expert-format takes one of ${Object.keys(WEIGHT_FORMATS).join(', ')}`);
  const checkpoint = syntheticCheckpoint(shape, {
    embedding: 'F32', attention: 'Q8_0', head: 'Q8_0', gateUp: expertFormat, down: expertFormat,
  }, `${values.shape} (random weights)`);
  const manifest = manifestFromPlan(planModel(checkpoint));
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map((entry) => entry.name));
  const [warm, count] = [Number(values.warm), Number(values.decode)];
  console.log(`${values.shape}, ${shape.layerCount} layers × ${shape.expertCount} experts in ${expertFormat}, rows of ${manifest.expertStrideByteLength} bytes\n`);
  console.log('| routing | pool | steps | device memory | tok/s | of resident | hits | zero-miss steps | stepwise steps | missed layers/token | rows/token | MB/token |');
  console.log('|---|---|---|---|---|---|---|---|---|---|---|---|');
  const modes = stepModes();
  for (const exponent of values.zipf.split(',').map(Number)) {
    const source: ModelSource = withRowsInMemory(withZipfRouting(syntheticSource(manifest), exponent));
    let resident = 0;
    for (const percent of values.pools.split(',').map(Number)) {
      for (const stepMode of percent >= 100 ? [null] : modes) {
        const experts = stepMode === null ? {} : {
          experts: { size: { share: percent / 100 }, stepMode, createPolicy: (pool: PoolShape) => new NextUsePolicy(pool) },
        };
        const model = await backend.load(source, graph, { contextLength: warm + count + 1, ...experts });
        const { rate, used } = await decode(model, warm, count);
        if (stepMode === null) resident = rate;
        console.log(`| ${exponent === 0 ? 'uniform' : `Zipf ${exponent}`} | ${percent} % | ${stepMode ?? ''} | ${(model.deviceByteLength / 1e9).toFixed(2)} GB | ` +
          `${rate.toFixed(1)} | ${resident === 0 ? '' : `${(100 * rate / resident).toFixed(0)} %`} | ${cellsOf(used).join(' | ')} |`);
        model.dispose();
      }
    }
  }
}

function cellsOf(used: ResidencyCounters | null): string[] {
  if (!used) return ['100 %', '100 %', '', '0', '0', '0'];
  const share = (part: number, all: number): string => `${(100 * part / Math.max(1, all)).toFixed(1)} %`;
  return [
    share(used.hits, used.hits + used.misses), share(used.zeroMissSteps, used.steps), share(used.stepwiseSteps, used.steps),
    (used.missedLayers / used.steps).toFixed(2), (used.rowsLoaded / used.steps).toFixed(1), (used.byteLengthLoaded / used.steps / 1e6).toFixed(2),
  ];
}

if (values.help) {
  process.stdout.write(HELP);
} else if (values.uploads) {
  const opened = await openDevice(await openDawn());
  const { device, adapter } = opened;
  console.log(`${adapter}\n\n| way | row | GB/s |\n|---|---|---|`);
  await measureUploads(device, [256 * 1024, 1024 * 1024, 4 * 1024 * 1024], ({ way, rowByteLength, gigabytesPerSecond }) =>
    console.log(`| ${way} | ${rowByteLength / 1024} KiB | ${gigabytesPerSecond.toFixed(2)} |`));
  device.destroy();
  // Dawn crashes where its root object is collected while a device works: this keeps it.
  if (!opened.gpu) throw new Error('the GPU is gone');
} else {
  const backend = await openNodeBackend('webgpu');
  console.log(backend.info.label);
  await sweep(backend);
  backend.dispose();
}
