/** Logits that a model is compared with: another model run in step with it, or what an earlier run kept. */
import type { LoadedModel, Sequence } from '../compute/ops.ts';
import { evaluationWindows, scoredTokens, type EvaluationWindow, type WindowOptions } from './evaluate_windows.ts';

/** Some tokens of a window, run in one step. */
export interface EvaluationStep {
  /** Tokens of the window before these; 0 begins a window. */
  readonly offset: number;
  readonly tokens: readonly number[];
  /** Rows of this step (0 = its first token) that are scored; neighbours, may be empty. */
  readonly rows: readonly number[];
  /** Number of the first of these predictions among all that are scored. */
  readonly scoredBefore: number;
}

export interface BaselineLogits {
  /** Most tokens that a step may have. */
  readonly maxStepTokens: number;
  /** Why this can't be compared with a run over these windows, in a sentence; null where it can. */
  refusal(vocabSize: number, tokens: readonly number[], options: WindowOptions): string | null;
  /** Logits [vocab] of the step's rows; they may be overwritten by the next call. Called for each step in order. */
  logits(step: EvaluationStep): Promise<readonly Float32Array[]>;
  dispose(): void;
}

/** Runs the steps of an evaluation on a model; used for the model itself, too. */
export class SteppedModel implements BaselineLogits {
  readonly #model: LoadedModel;
  readonly #vocabSize: number;
  #sequence: Sequence | null = null;

  constructor(model: LoadedModel, vocabSize: number) {
    this.#model = model;
    this.#vocabSize = vocabSize;
  }

  get maxStepTokens(): number {
    return this.#model.maxStepTokens;
  }

  refusal(vocabSize: number, _tokens: readonly number[], { contextLength }: WindowOptions): string | null {
    if (vocabSize !== this.#vocabSize) return otherVocabulary(this.#vocabSize, vocabSize);
    if (contextLength <= this.#model.contextLength) return null;
    return `The windows have ${contextLength} tokens, but the model was opened with ${this.#model.contextLength} of context.`;
  }

  async logits({ offset, tokens, rows }: EvaluationStep): Promise<readonly Float32Array[]> {
    this.#sequence ??= await this.#model.createSequence();
    if (offset === 0) this.#sequence.truncate(0);
    const { logits } = await this.#model.step(this.#sequence, tokens, rows.length === 0 ? { kind: 'none' } : { kind: 'logits', rows });
    return logits ?? [];
  }

  dispose(): void {
    this.#sequence?.dispose();
    this.#sequence = null;
  }
}

/** A text that is too long to be recorded in the memory allowed. */
export class RecordingTooLongError extends RangeError {
  override readonly name = 'RecordingTooLongError';
}

/** Bytes that a recording takes: a row of f32 logits for each scored token. */
export function recordingByteLength(vocabSize: number, tokens: number): number {
  return vocabSize * tokens * Float32Array.BYTES_PER_ELEMENT;
}

/**
 * The logits of a whole run, kept in memory as the model gave them (f32, not as log-probabilities): a model compared
 * with its own recording then differs by nothing at all.
 */
export class LogitRecording implements BaselineLogits {
  readonly maxStepTokens = Infinity;
  readonly vocabSize: number;
  readonly #tokens: readonly number[];
  readonly #options: WindowOptions;
  readonly #capacity: number;
  readonly #rows: Float32Array[] = [];

  /**
   * An empty recording of these windows, to be filled by evaluate().
   * @throws RecordingTooLongError where it would take more than maxByteLength; RangeError as evaluationWindows does
   */
  constructor(vocabSize: number, tokens: readonly number[], options: WindowOptions, maxByteLength: number) {
    const scored = scoredTokens(evaluationWindows(tokens, options));
    const byteLength = recordingByteLength(vocabSize, scored);
    if (byteLength > maxByteLength) {
      const most = Math.floor(maxByteLength / recordingByteLength(vocabSize, 1));
      throw new RecordingTooLongError(
        `A recording of ${scored} tokens with ${vocabSize} logits each takes ${mebibytes(byteLength)}, more than the ` +
        `${mebibytes(maxByteLength)} that it may: choose a text of at most ${most} scored tokens.`);
    }
    this.vocabSize = vocabSize;
    this.#tokens = [...tokens];
    this.#options = options;
    this.#capacity = scored;
  }

  get isComplete(): boolean {
    return this.#rows.length === this.#capacity;
  }

  /** Adds the next prediction's logits; they are copied. */
  push(logits: Float32Array): void {
    if (this.isComplete) throw new RangeError(`the recording holds its ${this.#capacity} rows already`);
    this.#rows.push(logits.slice());
  }

  refusal(vocabSize: number, tokens: readonly number[], options: WindowOptions): string | null {
    if (!this.isComplete) return 'The baseline run did not end, so there is nothing to compare with.';
    if (vocabSize !== this.vocabSize) return otherVocabulary(this.vocabSize, vocabSize);
    if (tokens.length !== this.#tokens.length || tokens.some((token, i) => token !== this.#tokens[i])) {
      return 'The baseline was made with another text, or its model cuts the text into other tokens.';
    }
    const same = (Object.keys(options) as (keyof WindowOptions)[]).every((key) => options[key] === this.#options[key]);
    return same ? null : 'The baseline was made with other windows: choose the same context length.';
  }

  async logits({ rows, scoredBefore }: EvaluationStep): Promise<readonly Float32Array[]> {
    return this.#rows.slice(scoredBefore, scoredBefore + rows.length);
  }

  dispose(): void {
    this.#rows.length = 0;
  }
}

/** Cuts a window into steps of at most `most` tokens. */
export function stepsOf({ tokens, firstRow, scoredBefore }: EvaluationWindow, most: number): EvaluationStep[] {
  const steps: EvaluationStep[] = [];
  let before = scoredBefore;
  for (let offset = 0; offset < tokens.length; offset += most) {
    const part = tokens.slice(offset, offset + most);
    // The last token of a window predicts what lies behind it.
    const end = Math.min(part.length, tokens.length - 1 - offset);
    const rows = Array.from({ length: Math.max(0, end - Math.max(0, firstRow - offset)) }, (_, i) => Math.max(0, firstRow - offset) + i);
    steps.push({ offset, tokens: part, rows, scoredBefore: before });
    before += rows.length;
  }
  return steps;
}

function otherVocabulary(baseline: number, model: number): string {
  return `The baseline's vocabulary has ${baseline} tokens, this model's ${model}: only models of one vocabulary can be compared.`;
}

function mebibytes(byteLength: number): string {
  return `${(byteLength / 2 ** 20).toFixed(byteLength < 10 * 2 ** 20 ? 1 : 0)} MiB`;
}
