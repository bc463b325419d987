/** Options that several commands share. */
import { MAX_PENALTY_TOKENS, type LoadProgress, type SamplingParams } from '../../compute/ops.ts';
import type { ExpertPoolOptions, PoolShape, ResidencyCounters } from '../../compute/residency.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { NextUsePolicy } from '../../experts/next_use.ts';
import { recordingPolicy, type TraceRecorder } from '../../experts/trace.ts';
import type { Tracer } from '../../profile/trace.ts';
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../node_backend.ts';
import type { OpenedModel } from '../node_model.ts';
import { flag, numberOption, textOption, UsageError, type OptionSpecs, type ParsedCommand } from './args.ts';
import type { Terminal } from './command.ts';
import { referenceHooks } from './record_trace.ts';

export const BACKEND_OPTION: OptionSpecs = {
  backend: { type: 'string', value: 'NAME', help: `${NODE_BACKENDS.join(' or ')}; default: webgpu on the graphics driver, else reference` },
};

export const SAMPLING_OPTIONS: OptionSpecs = {
  greedy: { type: 'boolean', help: 'always the likeliest token (as --temperature 0)' },
  temperature: { type: 'string', value: 'T', help: '0 to 100, default 0.7' },
  'top-k': { type: 'string', value: 'K', help: 'keep the K likeliest tokens, 0 = off, default 40' },
  'top-p': { type: 'string', value: 'P', help: 'keep the likeliest tokens up to probability P, default 0.95' },
  'min-p': { type: 'string', value: 'P', help: 'drop tokens below P times the likeliest, default 0 (off)' },
  'repetition-penalty': { type: 'string', value: 'X', help: '1 = off (default)' },
  seed: { type: 'string', value: 'N', help: 'whole number; default: drawn at random and shown' },
};

/** @throws UsageError */
export function samplingOf(parsed: ParsedCommand): SamplingParams {
  const greedy = flag(parsed, 'greedy');
  if (greedy && (textOption(parsed, 'temperature') ?? '0') !== '0') {
    throw new UsageError('--greedy and --temperature exclude each other');
  }
  const largestSeed = 2 ** 32 - 1;
  return {
    temperature: greedy ? 0 : numberOption(parsed, 'temperature', { min: 0, max: 100 }, 0.7),
    topK: numberOption(parsed, 'top-k', { min: 0, max: 2 ** 31 - 1, integer: true }, 40),
    topP: numberOption(parsed, 'top-p', { min: 0, max: 1 }, 0.95),
    minP: numberOption(parsed, 'min-p', { min: 0, max: 1 }, 0),
    repetitionPenalty: numberOption(parsed, 'repetition-penalty', { min: 0.01, max: 100 }, 1),
    penaltyLastN: MAX_PENALTY_TOKENS,
    seed: numberOption(parsed, 'seed', { min: 0, max: largestSeed, integer: true }, null)
      ?? Math.floor(Math.random() * largestSeed),
  };
}

/** Forms that a run without storage can use: a second tier is for stored models. */
const EXPERT_FORMS = ['keep', 'w2', 'w3'] as const satisfies readonly ExpertConversion[];

export const EXPERTS_OPTION: OptionSpecs = {
  experts: { type: 'string', value: 'FORM', help: 'keep (default), or convert the experts to w2 (2 bits) or w3 (3 bits) as an import does' },
};

/** @throws UsageError for an unknown form. */
export function expertsOf(parsed: ParsedCommand): ExpertConversion {
  const name = textOption(parsed, 'experts') ?? 'keep';
  const known = EXPERT_FORMS.find((candidate) => candidate === name);
  if (known === undefined) {
    throw new UsageError(`--experts is ${EXPERT_FORMS.slice(0, -1).join(', ')} or ${EXPERT_FORMS.at(-1)}, not '${name}'`);
  }
  return known;
}

export const EXPERT_POOL_OPTION: OptionSpecs = {
  'expert-pool': {
    type: 'string', value: 'SIZE',
    help: 'memory for experts: a share of them (25%) or MiB (512); the rest is fetched when routed to; default: all stay',
  },
};

/** @throws UsageError */
export function expertPoolOf(parsed: ParsedCommand): ExpertPoolOptions | undefined {
  const text = textOption(parsed, 'expert-pool');
  if (text === null) return undefined;
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
  const number = Number(match?.[1]);
  if (!match || !(number > 0) || (match[2] === '%' && number > 100)) {
    throw new UsageError(`--expert-pool is a share above 0 and up to 100% or a number of MiB, not '${text}'`);
  }
  const size = match[2] === '%' ? { share: number / 100 } : { byteLength: Math.floor(number * 2 ** 20) };
  return { size, createPolicy: (shape) => new NextUsePolicy(shape) };
}

/** 'experts resident in 31 of 40 steps, 97.1 % of those routed to; 12 rows, 3.4 MB fetched' */
export function residencyText(counters: Readonly<ResidencyCounters>): string {
  const { steps, zeroMissSteps, hits, misses, rowsLoaded, byteLengthLoaded } = counters;
  const share = (100 * hits) / Math.max(1, hits + misses);
  return `experts resident in ${zeroMissSteps} of ${steps} steps, ${share.toFixed(1)} % of those routed to; `
    + `${rowsLoaded} rows, ${(byteLengthLoaded / 1e6).toFixed(1)} MB fetched`;
}

/** Enough for a long answer and small enough for the KV cache of any model. */
const DEFAULT_CONTEXT_TOKENS = 4096;

export const CONTEXT_OPTION: OptionSpecs = {
  context: { type: 'string', value: 'N', help: `tokens of context, default ${DEFAULT_CONTEXT_TOKENS} or what the model was trained for` },
};

/** @throws UsageError */
export function contextLengthOf(parsed: ParsedCommand): number {
  return numberOption(parsed, 'context', { min: 2, max: 2 ** 31 - 1, integer: true }, DEFAULT_CONTEXT_TOKENS);
}

/** @throws UsageError for an unknown name. */
export function backendNameOf(parsed: ParsedCommand): NodeBackendName | 'auto' {
  const name = textOption(parsed, 'backend');
  if (name === null || name === 'auto') {
    return 'auto';
  }
  const known = NODE_BACKENDS.find((candidate) => candidate === name);
  if (known === undefined) {
    throw new UsageError(`--backend is ${NODE_BACKENDS.join(' or ')}, not '${name}'`);
  }
  return known;
}

/** Progress of a load on one terminal line; nothing where stderr is a file or a pipe. */
function progressLine(terminal: Terminal): ((progress: LoadProgress) => void) | undefined {
  if (!process.stderr.isTTY) {
    return undefined;
  }
  return ({ stage, done, total }) => {
    const end = done >= total ? '\r\x1b[K' : '';
    terminal.note(`\r\x1b[K${stage} ${Math.floor((100 * done) / Math.max(total, 1))} %${end}`);
  };
}

/**
 * Opens the back end asked for, names it on stderr (with the reason where it is a fallback), loads the model, and
 * closes both after `use`.
 * @param recorder told of all routing
 * @param tracer told what steps do while it records
 * @throws Error with one sentence where WebGPU was asked for and isn't there, or the model can't be loaded
 */
export async function withEngine<T>(
  opened: OpenedModel, backendName: NodeBackendName | 'auto', contextLength: number, terminal: Terminal, signal: AbortSignal,
  use: (engine: Engine) => Promise<T>, experts?: ExpertPoolOptions, recorder?: TraceRecorder | null, tracer?: Tracer | null,
): Promise<T> {
  const backend = await openNodeBackend(
    backendName, recorder ? { reference: referenceHooks(recorder, opened.source.manifest) } : {});
  const pool = experts && recorder
    ? { ...experts, createPolicy: (shape: PoolShape) => recordingPolicy(experts.createPolicy(shape), recorder) }
    : experts;
  try {
    const { kind, label, fallbackReason } = backend.info;
    // WebGPU's label names a software adapter as one; its reason is meant for people in a browser.
    terminal.note(`${label}${kind === 'webgpu' || fallbackReason === null ? '' : `. ${fallbackReason}`}\n`);
    const engine = await createEngine({
      backend, source: opened.source, contextLength, signal, onProgress: progressLine(terminal),
      ...(pool ? { experts: pool } : {}),
      ...(tracer ? { tracer } : {}),
    });
    try {
      return await use(engine);
    } finally {
      await engine.dispose();
    }
  } finally {
    backend.dispose();
  }
}
