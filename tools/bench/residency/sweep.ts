/** Decode speed against the size of the expert pool, on a model of random weights. Runs in Node and in a browser. */
import type { Backend, LoadedModel } from '../../../src/compute/ops.ts';
import { countersSince, type ExpertPoolOptions, type ResidencyCounters, type StepMode } from '../../../src/compute/residency.ts';
import { approximationOptions } from '../../../src/experts/approximations.ts';
import { NextUsePolicy } from '../../../src/experts/next_use.ts';
import { STEP_FIELDS, type StepField } from '../../../src/profile/steps.ts';
import { Tracer } from '../../../src/profile/trace.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { manifestFromPlan } from '../../../src/storage/manifest.ts';
import type { ModelSource } from '../../../src/storage/model_source.ts';
import { withZipfRouting } from '../../synthetic/biased_router.ts';
import { syntheticCheckpoint, syntheticSource } from '../../synthetic/synthetic_model.ts';
import { withRowsInMemory } from './rows_in_memory.ts';
import type { SweepOptions } from './sweep_options.ts';

/** Takes a line of the report: the terminal, or the server that a page reports to. */
export type Print = (line: string) => void | Promise<void>;

/** Sampled at temperature 1, random weights write random text: no token repeats the experts of the one before. */
const SAMPLING = { temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 11 } as const;

interface DecodeRun {
  /** Tokens a second. */
  readonly rate: number;
  /** All tokens, those before the clock started too. */
  readonly tokens: readonly number[];
  readonly used: ResidencyCounters | null;
  /** Milliseconds of a token by the recorder, of as many tokens more. */
  readonly split: string;
}

/** Where a token's time goes, in columns of the table. */
const SPLIT_FIELDS: readonly StepField[] = ['durationMs', 'gpuMs', 'waitMs', 'readMs', 'uploadMs'];

function splitOf(tracer: Tracer): string {
  const cells = tracer.steps!.since(0);
  const count = cells.length / STEP_FIELDS.length;
  const meanOf = (field: StepField): number => {
    const at = STEP_FIELDS.indexOf(field);
    const values = Array.from({ length: count }, (_, step) => cells[step * STEP_FIELDS.length + at]).filter((value) => !Number.isNaN(value));
    return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  };
  return SPLIT_FIELDS.map((field) => meanOf(field).toFixed(2)).join(' / ');
}

async function decode(model: LoadedModel, warm: number, count: number, tracer: Tracer): Promise<DecodeRun> {
  const sequence = await model.createSequence();
  const tokens = [1];
  const steps = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) {
      const { token } = await model.step(sequence, tokens.slice(-1), { kind: 'sample', sampling: SAMPLING, recentTokens: [] });
      tokens.push(token!);
    }
  };
  await steps(warm);
  const before = model.residency && { ...model.residency };
  const start = performance.now();
  await steps(count);
  const rate = (1000 * count) / (performance.now() - start);
  const after = model.residency;
  const timed = [...tokens];
  tracer.start({ kernels: false });
  await steps(count);
  tracer.stop();
  const split = splitOf(tracer);
  sequence.dispose();
  return { rate, tokens: timed, split, used: before && after ? countersSince(before, after) : null };
}

/** A few rows of one layer serve all experts, which doesn't change routing: making them all would take minutes. */
function withFewRows(source: ModelSource): ModelSource {
  const { layer } = source.manifest.expertLayers[0];
  return withRowsInMemory(source, (_layer, expert) => ({ layer, expert: expert % 8 }));
}

/** Gives a model of random weights a second tier, in MXFP4. */
function withTier(source: ModelSource, { shapeName, shape }: SweepOptions): ModelSource {
  const checkpoint = syntheticCheckpoint(shape, {
    embedding: 'F32', attention: 'Q8_0', head: 'Q8_0', gateUp: 'MXFP4', down: 'MXFP4',
  }, `${shapeName} (random weights)`);
  const fine = withFewRows(syntheticSource(manifestFromPlan(planModel(checkpoint))));
  const { expertLayers: layers, expertStrideByteLength: strideByteLength } = fine.manifest;
  return {
    ...source, manifest: { ...source.manifest, tier: { layers, strideByteLength } },
    readTierRow: (layer, expert, into) => fine.readExpertRow(layer, expert, into),
  };
}

/** What a run asks of the back end; nothing where all experts are resident and there is no second tier. */
function poolOptions(percent: number, tierPercent: number, stepMode: StepMode | null): ExpertPoolOptions | undefined {
  if (stepMode === null && tierPercent === 0) return undefined;
  return {
    size: { share: percent / 100 }, createPolicy: (shape) => new NextUsePolicy(shape), ...(stepMode ? { stepMode } : {}),
    ...approximationOptions({ tierShare: tierPercent / 100, gate: null, missTolerance: 0 }, () => null),
  };
}

/** Prints a table in Markdown, one line a routing and pool. */
export async function sweepPools(backend: Backend, options: SweepOptions, print: Print): Promise<void> {
  const { shapeName, shape, expertFormat, pools, exponents, stepModes, tiers, warm, decode: count } = options;
  const checkpoint = syntheticCheckpoint(shape, {
    embedding: 'F32', attention: 'Q8_0', head: 'Q8_0', gateUp: expertFormat, down: expertFormat,
  }, `${shapeName} (random weights)`);
  const manifest = manifestFromPlan(planModel(checkpoint));
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map((entry) => entry.name));
  await print(`${shapeName}, ${shape.layerCount} layers × ${shape.expertCount} experts in ${expertFormat}, rows of ${manifest.expertStrideByteLength} bytes\n`);
  await print('| routing | pool | FP4 tier | steps | device memory | tok/s | of resident | hits | zero-miss steps | stepwise steps | missed layers/token | rows/token | MB/token | ms a token recorded: all / GPU / waiting / fetching / uploading |');
  await print('|---|---|---|---|---|---|---|---|---|---|---|---|---|---|');
  for (const exponent of exponents) {
    const source: ModelSource = withTier(withFewRows(withZipfRouting(syntheticSource(manifest), exponent)), options);
    let resident = 0;
    /** By tier, which changes it. */
    const texts = new Map<number, string>();
    const runs = pools.flatMap((percent) => (percent >= 100 ? [null] : stepModes).flatMap((stepMode) =>
      tiers.map((tierPercent) => ({ percent, stepMode, tierPercent }))));
    for (const { percent, stepMode, tierPercent } of runs) {
      const tracer = new Tracer();
      const experts = poolOptions(percent, tierPercent, stepMode);
      const model = await backend.load(source, graph, { contextLength: warm + 2 * count + 1, tracer, ...(experts ? { experts } : {}) });
      const { rate, tokens, used, split } = await decode(model, warm, count, tracer);
      if (experts === undefined) resident = rate;
      const text = tokens.join(' ');
      // A wrong result may well be a fast one.
      if ((texts.get(tierPercent) ?? text) !== text) throw new Error(`a pool of ${percent} % (${stepMode}) answered otherwise than the first: its figures mean nothing`);
      texts.set(tierPercent, text);
      const tier = tierPercent === 0 ? '' : `${tierPercent} %, ${(used!.promotions / used!.steps).toFixed(1)} moves`;
      await print(`| ${exponent === 0 ? 'uniform' : `Zipf ${exponent}`} | ${percent} % | ${tier} | ${stepMode ?? ''} | ${(model.deviceByteLength / 1e9).toFixed(2)} GB | `
        + `${rate.toFixed(1)} | ${resident === 0 ? '' : `${(100 * rate / resident).toFixed(0)} %`} | ${cellsOf(used).join(' | ')} | ${split} |`);
      model.dispose();
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
