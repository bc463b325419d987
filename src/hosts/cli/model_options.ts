/** Options that several commands share. */
import { MAX_PENALTY_TOKENS, type LoadProgress, type SamplingParams } from '../../compute/ops.ts';
import type { PoolShape } from '../../compute/residency.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { isExact } from '../../experts/approximations.ts';
import { recordingPolicy, type TraceRecorder } from '../../experts/trace.ts';
import type { Tracer } from '../../profile/trace.ts';
import { NODE_BACKENDS, openNodeBackend, type NodeBackendName } from '../node_backend.ts';
import type { OpenedModel } from '../node_model.ts';
import { flag, numberOption, textOption, UsageError, type OptionSpecs, type ParsedCommand } from './args.ts';
import type { Terminal } from './command.ts';
import { approximationText, type ExpertOptions } from './expert_options.ts';
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

/** What a run may have besides its model. */
export interface RunOptions {
  readonly backendName: NodeBackendName | 'auto';
  readonly contextLength: number;
  readonly experts: ExpertOptions;
  /** Told of all routing. */
  readonly recorder?: TraceRecorder | null;
  /** Told what steps do while it records. */
  readonly tracer?: Tracer | null;
}

/**
 * Opens the back end asked for, names it on stderr (with the reason where it is a fallback), after whatever makes answers
 * approximate; loads the model, and closes both after `use`.
 * @throws Error with one sentence where WebGPU was asked for or is needed and isn't there, or the model can't be loaded
 */
export async function withEngine<T>(
  opened: OpenedModel, options: RunOptions, terminal: Terminal, signal: AbortSignal, use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const { contextLength, experts: { pool, approximations }, recorder, tracer } = options;
  const backend = await openNodeBackend(
    options.backendName, recorder ? { reference: referenceHooks(recorder, opened.source.manifest) } : {});
  try {
    const { kind, label, fallbackReason } = backend.info;
    if (!isExact(approximations)) {
      if (kind === 'reference') throw new Error(`--tier and --miss-tolerance need WebGPU (--backend webgpu), and this is ${label}`);
      terminal.note(`Approximate: ${approximationText(approximations)}\n`);
    }
    // WebGPU's label names a software adapter as one; its reason is meant for people in a browser.
    terminal.note(`${label}${kind === 'webgpu' || fallbackReason === null ? '' : `. ${fallbackReason}`}\n`);
    const experts = pool && (recorder
      ? { ...pool, createPolicy: (shape: PoolShape) => recordingPolicy(pool.createPolicy(shape), recorder) }
      : pool);
    const engine = await createEngine({
      backend, source: opened.source, contextLength, signal, onProgress: progressLine(terminal),
      ...(experts ? { experts } : {}),
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
