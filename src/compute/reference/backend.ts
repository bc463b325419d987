/** The reference back end: plain TypeScript, one thread. The oracle of the tests and the fallback without WebGPU. */
import { checkBatch, checkStep } from '../check_step.ts';
import { sampleToken } from '../sampling.ts';
import type {
  Backend, BackendInfo, LoadedModel, LoadOptions, ModelGraph, Sequence, StepOutput, StepResult,
} from '../ops.ts';
import type { ExpertView } from '../../profile/trace.ts';
import { expertRowByteLength } from '../../storage/manifest.ts';
import type { Manifest, ModelSource } from '../../storage/model_source.ts';
import { checkPoolHoldsOneLayer, poolByteLength } from '../pool_size.ts';
import { Breather, type BreatherOptions } from './breather.ts';
import { Interpreter, type RoutingObserver } from './interpreter.ts';
import { ReferenceSequence } from './sequence.ts';
import { DecodeBudget, ExpertStore, Matrix } from './weights.ts';

export interface ReferenceOptions {
  /** Why a person gets this back end, in a sentence with what to do about it; null where it was asked for. */
  readonly fallbackReason?: string | null;
  /** Bytes of weights that may be kept decoded as f32. */
  readonly decodedByteLength?: number;
  /** Bytes of packed experts that may be kept in memory. */
  readonly expertByteLength?: number;
  /** Small steps keep progress and stop responsive; large ones decode each weight row less often. */
  readonly maxStepTokens?: number;
  readonly breather?: Partial<BreatherOptions>;
  /** Told how many of a step's tokens each chosen expert answers: which experts a text needs. */
  readonly onRouted?: RoutingObserver;
  /** Told after each step how many tokens it ran. */
  readonly onStepped?: (tokens: number) => void;
}

/** Rows run one after the other: more would only keep those that come later waiting. */
const MAX_BATCH_ROWS = 8;

const DEFAULTS = {
  decodedByteLength: 512 * 2 ** 20,
  expertByteLength: 2 * 2 ** 30,
  maxStepTokens: 32,
} as const;

export function createReferenceBackend(options: ReferenceOptions = {}): Backend {
  const info: BackendInfo = {
    kind: 'reference', label: 'Reference (CPU, slow)', adapter: '', features: [],
    fallbackReason: options.fallbackReason ?? null,
  };
  return {
    info,
    load: (source, graph, loadOptions) => loadModel(source, graph, loadOptions, options),
    lost: new Promise<string>(() => undefined),
    dispose: () => undefined,
  };
}

async function loadModel(
  source: ModelSource, graph: ModelGraph, { contextLength, experts: pool, tracer, onProgress, signal }: LoadOptions,
  options: ReferenceOptions,
): Promise<LoadedModel> {
  const { dense: entries } = source.manifest;
  const maxStepTokens = options.maxStepTokens ?? DEFAULTS.maxStepTokens;
  const budget = new DecodeBudget(options.decodedByteLength ?? DEFAULTS.decodedByteLength);
  const breather = new Breather({
    sliceMs: 20, now: () => performance.now(), yieldToHost: () => new Promise((resolve) => setTimeout(resolve, 0)),
    ...options.breather,
  });
  const total = entries.reduce((sum, entry) => sum + entry.byteLength, 0);
  const dense = new Map<string, Matrix>();
  let done = 0;
  for (const { name, format, rows, cols, byteLength } of entries) {
    signal?.throwIfAborted();
    onProgress?.({ stage: 'read weights', done, total, unit: 'bytes' });
    dense.set(name, new Matrix(format, rows, cols, await source.readDense(name), budget));
    done += byteLength;
  }
  onProgress?.({ stage: 'read weights', done, total, unit: 'bytes' });
  let expertByteLength = options.expertByteLength ?? DEFAULTS.expertByteLength;
  if (pool) {
    if (pool.tier) throw new Error('the reference back end runs no second tier of experts: leave the tier out, or use WebGPU');
    expertByteLength = poolByteLength(pool, source.manifest);
    checkPoolHoldsOneLayer(expertByteLength, source.manifest, source.manifest.hyperparameters.expertUsedCount);
  }
  const experts = new ExpertStore(source, budget, expertByteLength, tracer ?? null);
  const view = expertView(source.manifest, experts, pool ? expertByteLength : null);
  tracer?.attach(view);
  const layerIndexes = new Map(view.layers.map((layer, index) => [layer, index]));
  let decoding = false;
  const interpreter = new Interpreter(graph, dense, experts, breather, (layer, expert, tokenCount) => {
    options.onRouted?.(layer, expert, tokenCount);
    if (tracer?.on && decoding) tracer.routed(layerIndexes.get(layer)!, expert);
  });

  const step = async (sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> => {
    if (!(sequence instanceof ReferenceSequence)) throw new TypeError('the sequence belongs to another back end');
    checkStep(sequence, tokens, output, maxStepTokens, graph.vocabSize);
    const outputRows = output.kind === 'logits' ? output.rows : output.kind === 'sample' ? [tokens.length - 1] : [];
    const { counters } = experts;
    const missesBefore = counters.misses;
    decoding = tokens.length === 1;
    if (tracer?.on) tracer.beginStep(decoding ? 'decode' : 'prefill', sequence.length, tokens.length);
    const logits = await interpreter.run({ tokens, sequence, outputRows });
    if (tokens.length === 1) {
      counters.steps += 1;
      counters.zeroMissSteps += counters.misses === missesBefore ? 1 : 0;
    } else {
      counters.prefillLoads += counters.misses - missesBefore;
    }
    options.onStepped?.(tokens.length);
    if (tracer?.on) tracer.endStep();
    sequence.advance(tokens.length);
    return {
      token: output.kind === 'sample' ? sampleToken(logits, output.sampling, output.recentTokens, sequence.length) : null,
      logits: output.kind === 'logits'
        ? outputRows.map((_, i) => logits.slice(i * graph.vocabSize, (i + 1) * graph.vocabSize))
        : null,
    };
  };

  // Steps share the interpreter's activations, so each waits for the one before, failed or not.
  let latest: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = latest.then(work);
    latest = result.catch(() => undefined);
    return result;
  };
  return {
    maxStepTokens, contextLength, maxBatchRows: MAX_BATCH_ROWS,
    deviceByteLength: total,
    residency: pool ? experts.counters : null,
    createSequence: async () => new ReferenceSequence(contextLength, graph.kvLayers),
    step: (sequence, tokens, output) => inTurn(() => step(sequence, tokens, output)),
    stepBatch: (rows) => inTurn(async () => {
      checkBatch(rows, MAX_BATCH_ROWS, graph.vocabSize);
      const drawn: number[] = [];
      for (const { sequence, token, output } of rows) drawn.push((await step(sequence, [token], output)).token!);
      return drawn;
    }),
    dispose: () => {
      tracer?.detach(view);
      dense.clear();
    },
  };
}

/** How the recorder sees the experts; with a pool, those whose rows are in memory. */
function expertView(manifest: Manifest, experts: ExpertStore, poolByteLength: number | null): ExpertView {
  const { expertLayers, expertCount, hyperparameters } = manifest;
  const rowByteLength = Math.max(1, ...expertLayers.map(expertRowByteLength));
  return {
    layers: expertLayers.map(({ layer }) => layer), expertCount, topK: hyperparameters.expertUsedCount,
    pool: poolByteLength === null ? null : { slotCount: Math.floor(poolByteLength / rowByteLength), byteLength: poolByteLength },
    resident: () => poolByteLength === null ? null
      : Uint8Array.from(expertLayers.flatMap(({ layer }) =>
        Array.from({ length: expertCount }, (_, expert) => (experts.has(layer, expert) ? 1 : 0)))),
  };
}
