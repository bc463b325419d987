/** `npm run bench`: prompt and answer speed of a model shape with random weights. See --help. */
import { parseArgs } from 'node:util';
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import type { KernelProfile } from '../../src/compute/webgpu/kernel_profile.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../../src/hosts/node_backend.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { manifestFromPlan } from '../../src/storage/manifest.ts';
import type { MoeShape } from '../synthetic/moe_shape.ts';
import { syntheticCheckpoint, syntheticSource } from '../synthetic/synthetic_model.ts';
import { measureDecode, measurePrefill, type Rate } from './measure.ts';
import { BENCH_SHAPES } from './shapes.ts';

const HELP = `Usage: npm run bench -- [options]
  --backend NAME      ${NODE_BACKENDS.join(' or ')} (default webgpu)
  --shape NAME        ${Object.keys(BENCH_SHAPES).join(', ')} (default olmoe)
  --format NAME       weight format of all matrices: ${Object.keys(WEIGHT_FORMATS).join(', ')} (default Q4_K)
  --expert-format F   weight format of the experts (default: as --format); several separated by commas, or all, are
                      measured one after the other and end in a table
  --prompts LIST      prompt lengths to time (default 128,512)
  --decode N          tokens to decode (default 64)
  --runs N            timed runs each, after one warm-up (default 5)
  --layers N          keep only the first N layers of the shape
  --dawn-features L   Dawn features to enable, separated by commas
  --kernel-times      measure every kernel of the decode steps by timestamp queries (slows them)
  --json              print JSON only
`;

interface BenchOptions {
  readonly backend: NodeBackendName;
  readonly shapeName: string;
  readonly shape: MoeShape;
  readonly format: WeightFormatName;
  readonly expertFormats: readonly WeightFormatName[];
  readonly prompts: readonly number[];
  readonly decode: number;
  readonly runs: number;
  readonly dawnFeatures: readonly string[];
  readonly kernelTimes: boolean;
  readonly json: boolean;
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined) {
    throw new RangeError(`--${option} takes one of ${allowed.join(', ')}, not '${value}'`);
  }
  return found;
}

/** @throws RangeError for an unknown name */
function expertFormatsOf(text: string, formats: readonly WeightFormatName[]): readonly WeightFormatName[] {
  return text === 'all' ? formats : text.split(',').map((name) => oneOf('expert-format', name, formats));
}

function positiveInteger(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new RangeError(`--${option} takes whole numbers above 0, not '${text}'`);
  }
  return value;
}

/** @returns null where help was asked for. @throws RangeError or TypeError for wrong usage. */
function readOptions(args: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      'kernel-times': { type: 'boolean', default: false },
      backend: { type: 'string', default: 'webgpu' },
      shape: { type: 'string', default: 'olmoe' },
      format: { type: 'string', default: 'Q4_K' },
      'expert-format': { type: 'string' },
      prompts: { type: 'string', default: '128,512' },
      decode: { type: 'string', default: '64' },
      runs: { type: 'string', default: '5' },
      layers: { type: 'string' },
      'dawn-features': { type: 'string', default: '' },
    },
  });
  if (values.help) {
    return null;
  }
  const formats = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];
  const shapeName = oneOf('shape', values.shape, Object.keys(BENCH_SHAPES));
  const shape = BENCH_SHAPES[shapeName];
  const layerCount = values.layers === undefined ? shape.layerCount : Math.min(shape.layerCount, positiveInteger('layers', values.layers));
  return {
    backend: oneOf('backend', values.backend, NODE_BACKENDS),
    shapeName,
    shape: { ...shape, layerCount },
    format: oneOf('format', values.format, formats),
    expertFormats: expertFormatsOf(values['expert-format'] ?? values.format, formats),
    prompts: values.prompts.split(',').map((text) => positiveInteger('prompts', text)),
    decode: positiveInteger('decode', values.decode),
    runs: positiveInteger('runs', values.runs),
    dawnFeatures: values['dawn-features'].split(',').filter((name) => name !== ''),
    kernelTimes: values['kernel-times'],
    json: values.json,
  };
}

async function loadSynthetic(backend: Backend, options: BenchOptions, expertFormat: WeightFormatName): Promise<LoadedModel> {
  const { shape, format } = options;
  const checkpoint = syntheticCheckpoint(shape, {
    embedding: format, attention: format, head: format, gateUp: expertFormat, down: expertFormat,
  }, `${options.shapeName} (random weights)`);
  const manifest = manifestFromPlan(planModel(checkpoint));
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map((entry) => entry.name));
  const contextLength = Math.min(shape.contextLength, Math.max(...options.prompts, PROMPT_BEFORE_DECODE + options.decode) + 1);
  return backend.load(syntheticSource(manifest), graph, { contextLength });
}

/** Tokens of prompt before the decoded ones, as in a chat's first answer. */
const PROMPT_BEFORE_DECODE = 32;

function row(label: string, rate: Rate): string {
  const low = Math.min(...rate.runs);
  const high = Math.max(...rate.runs);
  return `${label.padEnd(16)} ${rate.median.toFixed(1).padStart(10)} tokens/s   (${low.toFixed(1)} to ${high.toFixed(1)}, ${rate.runs.length} runs)`;
}

function kernelProfileOf(backend: Backend): KernelProfile | null {
  return 'kernelProfile' in backend ? backend.kernelProfile as KernelProfile | null : null;
}

/** Where the GPU's time went since the last call, warm-up runs included. */
function printKernelTimes(what: string, profile: KernelProfile | null, options: BenchOptions): void {
  if (!profile || options.json) return;
  const totals = profile.totals();
  const sum = totals.reduce((ms, t) => ms + t.milliseconds, 0);
  console.log(`kernels of ${what}: ${sum.toFixed(1)} ms on the GPU`);
  for (const t of totals) {
    console.log(`  ${(100 * t.milliseconds / sum).toFixed(1).padStart(5)} %  ${(1000 * t.milliseconds / t.calls).toFixed(1).padStart(8)} µs × ${String(t.calls).padEnd(6)} ${t.kernel}`);
  }
  profile.reset();
}

/** What one format of experts reached. */
interface Measured {
  readonly expertFormat: WeightFormatName;
  readonly deviceByteLength: number;
  readonly prefill: Readonly<Record<string, Rate>>;
  readonly decode: Rate;
}

async function measure(backend: Backend, options: BenchOptions, expertFormat: WeightFormatName): Promise<Measured> {
  if (!options.json) {
    console.log(`shape ${options.shapeName}, ${options.shape.layerCount} layers, ${options.format}, experts ${expertFormat}`);
  }
  const start = performance.now();
  const model = await loadSynthetic(backend, options, expertFormat);
  const loadSeconds = (performance.now() - start) / 1000;
  if (!options.json) {
    console.log(`loaded ${(model.deviceByteLength / 1e9).toFixed(2)} GB in ${loadSeconds.toFixed(1)} s`);
  }
  const prefill: Record<string, Rate> = {};
  for (const length of options.prompts) {
    prefill[length] = await measurePrefill(model, length, options.shape.vocabSize, options.runs);
    if (!options.json) {
      console.log(row(`prompt ${length}`, prefill[length]));
    }
  }
  const profile = kernelProfileOf(backend);
  printKernelTimes('prompts', profile, options);
  const decode = await measureDecode(model, PROMPT_BEFORE_DECODE, options.decode, options.shape.vocabSize, options.runs);
  if (!options.json) {
    console.log(row(`decode ${options.decode}`, decode));
  }
  printKernelTimes('decode', profile, options);
  console.log(JSON.stringify({
    backend: backend.info.kind, adapter: backend.info.adapter, features: backend.info.features,
    shape: options.shapeName, layers: options.shape.layerCount, format: options.format, expertFormat,
    deviceByteLength: model.deviceByteLength, maxStepTokens: model.maxStepTokens, loadSeconds, prefill, decode,
  }));
  const { deviceByteLength } = model;
  model.dispose();
  return { expertFormat, deviceByteLength, prefill, decode };
}

async function run(options: BenchOptions): Promise<void> {
  const backend = await openNodeBackend(options.backend, { dawnFeatures: options.dawnFeatures, profileKernels: options.kernelTimes });
  if (!options.json) console.log(`${backend.info.label}\nfeatures: ${backend.info.features.join(' ') || 'none'}`);
  const measured: Measured[] = [];
  for (const expertFormat of options.expertFormats) measured.push(await measure(backend, options, expertFormat));
  backend.dispose();
  if (measured.length > 1 && !options.json) printTable(measured, options.prompts);
}

/** Markdown, tokens a second. */
function printTable(measured: readonly Measured[], prompts: readonly number[]): void {
  console.log(`| experts | GPU memory | ${prompts.map((length) => `prompt ${length}`).join(' | ')} | decode |`);
  console.log(`|---|---|${prompts.map(() => '---|').join('')}---|`);
  for (const { expertFormat, deviceByteLength, prefill, decode } of measured) {
    const rates = [...prompts.map((length) => prefill[length].median), decode.median].map((rate) => rate.toFixed(0));
    console.log(`| ${expertFormat} | ${(deviceByteLength / 1e9).toFixed(2)} GB | ${rates.join(' | ')} |`);
  }
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) {
    await run(options);
  } else {
    process.stdout.write(HELP);
  }
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  if (process.env['HOTSET_DEBUG'] === '1') {
    console.error(error);
  }
  process.exitCode = 1;
}
