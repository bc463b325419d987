/**
 * Checks a back end on this device before a model is trusted to it: the first layers of the very model, with its own
 * weights and shapes, against the reference back end. Drivers that compute wrongly answer with fluent nonsense, and
 * nothing else would tell.
 */
import type { Activation, Backend, LoadOptions, LoadedModel, ModelGraph, Op } from '../compute/ops.ts';
import { createReferenceBackend } from '../compute/reference/backend.ts';
import type { ModelSource } from '../storage/model_source.ts';

/** The device computes wrongly: the sentence says so. A host falls back to another back end. */
export class SelfTestError extends Error {
  override readonly name = 'SelfTestError';
}

/** Prompt of the test: enough rows for the kernels of prefill, then one more token for those of decode. */
const PROMPT_TOKENS = 9;
/** Rows of the prompt that are compared. */
const PROMPT_ROWS = [0, 7, 8];
/**
 * Multiply-adds of expert weights that a prompt may cost the reference, which does some hundred million a second. With
 * larger experts the prompt is one token: that checks the kernels of decode and leaves those of prefill unchecked.
 */
const MAX_PROMPT_WORK = 1e9;
/**
 * Largest relative L2 error of a hidden state. Rounding gives below 1e-3; wrong kernels give about 1. A near tie in
 * the router may rightly go either way and change a row, so one good row a step passes it.
 */
const TOLERANCE = 2e-2;

/**
 * @throws SelfTestError where a step has no row within tolerance; what the back ends throw.
 */
export async function selfTest(backend: Backend, source: ModelSource, graph: ModelGraph, options: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void> {
  const probe = firstLayers(graph);
  const used = new Set(probe.ops.flatMap((op) => Object.values(op).filter((value) => typeof value === 'string')));
  const { manifest } = source;
  const part: ModelSource = {
    manifest: { ...manifest, dense: manifest.dense.filter(({ name }) => used.has(name)) },
    readDense: (...range) => source.readDense(...range),
    readExpertRow: (...row) => source.readExpertRow(...row),
    readTierRow: (...row) => source.readTierRow(...row),
    close: async () => undefined,
  };
  const { expertUsedCount, expertFfnSize, hiddenSize } = manifest.hyperparameters;
  const workOfToken = 3 * expertUsedCount * expertFfnSize * hiddenSize;
  const promptTokens = PROMPT_TOKENS * workOfToken > MAX_PROMPT_WORK ? 1 : PROMPT_TOKENS;
  const load = { contextLength: PROMPT_TOKENS + 1, signal: options.signal };
  const report = (done: number): void => options.onProgress?.({ stage: 'self-test', done, total: 2, unit: 'kernels' });
  report(0);
  const expected = await hiddenStates(createReferenceBackend(), part, probe, load, promptTokens, graph.vocabSize);
  report(1);
  const actual = await hiddenStates(backend, part, probe, load, promptTokens, graph.vocabSize);
  report(2);
  const errors = actual.map((rows, step) => rows.map((row, i) => relativeL2(row, expected[step][i])));
  ['prompt', 'decode'].forEach((name, step) => {
    const best = Math.min(...errors[step].map((error) => Number.isNaN(error) ? Infinity : error));
    if (best <= TOLERANCE) return;
    throw new SelfTestError(
      `${backend.info.label} computes wrongly here: its ${name} kernels are off by ${(100 * best).toFixed(0)} % on this ` +
      'model\'s first layers. Update the graphics driver or the browser.');
  });
}

/** The graph up to its first layer with experts; the hidden states behind it stand in for logits. */
function firstLayers(graph: ModelGraph): ModelGraph {
  const embed = graph.ops.find((op) => op.kind === 'embed');
  const lastLayer = graph.ops.find((op) => op.kind === 'experts')?.layer ?? 0;
  if (!embed) throw new Error('the graph begins with no embedding');
  const stream = embed.out;
  const hidden: Activation = {
    id: Math.max(...graph.activations.map(({ id }) => id)) + 1, cols: stream.cols, rows: 'output', dtype: 'f32', label: 'hidden',
  };
  const ops: Op[] = graph.ops.filter((op) => op === embed || (op.layer !== null && op.layer <= lastLayer));
  ops.push({ kind: 'select_outputs', layer: null, x: stream, out: hidden });
  return {
    ...graph, ops, activations: [...graph.activations, hidden], logits: hidden, vocabSize: hidden.cols,
    kvLayers: graph.kvLayers.filter(({ layer }) => layer <= lastLayer),
  };
}

/** Hidden states of PROMPT_ROWS of the prompt, then of one token more. */
async function hiddenStates(
  backend: Backend, source: ModelSource, probe: ModelGraph, load: LoadOptions, promptTokens: number, vocabSize: number,
): Promise<readonly (readonly Float32Array[])[]> {
  const model: LoadedModel = await backend.load(source, probe, load);
  try {
    const sequence = await model.createSequence();
    // Back ends check ids against the graph's vocabulary, which is the hidden size here.
    const token = (i: number): number => (i * 7919 + 1) % Math.min(vocabSize, probe.vocabSize);
    const prompt = Array.from({ length: Math.min(promptTokens, model.maxStepTokens) }, (_, i) => token(i));
    const rows = PROMPT_ROWS.filter((row) => row < prompt.length);
    const first = await model.step(sequence, prompt, { kind: 'logits', rows });
    const second = await model.step(sequence, [token(promptTokens)], { kind: 'logits', rows: [0] });
    sequence.dispose();
    return [first, second].map(({ logits }) => (logits ?? []).map((row) => Float32Array.from(row)));
  } finally {
    model.dispose();
  }
}

function relativeL2(actual: Float32Array, expected: Float32Array): number {
  let error = 0;
  let norm = 0;
  expected.forEach((value, i) => {
    error += (actual[i] - value) ** 2;
    norm += value ** 2;
  });
  return Math.sqrt(error / norm);
}
