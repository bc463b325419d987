/**
 * How well a model predicts a text (perplexity), and how much its predictions differ from those of a baseline (KL
 * divergence, agreement of the likeliest token). Works window by window, so memory doesn't grow with the text but by
 * one number a scored token.
 */
import type { LoadedModel } from '../compute/ops.ts';
import { SteppedModel, stepsOf, type BaselineLogits, type LogitRecording } from './evaluate_baseline.ts';
import { ComparisonSums, ScoreSums, summarize, type Comparison, type TextScore } from './evaluate_stats.ts';
import { evaluationWindows, scoredTokens, type WindowOptions } from './evaluate_windows.ts';

export interface EvaluationRequest {
  readonly tokens: readonly number[];
  readonly vocabSize: number;
  readonly windows: WindowOptions;
  /** null: perplexity alone. */
  readonly baseline: BaselineLogits | null;
  /** Filled with this run's logits, to be the baseline of later ones; made for the same tokens and windows. */
  readonly recording?: LogitRecording | null;
  /** Most tokens of a step; 1: the model runs as it does when it answers. Default: as many as there is room for. */
  readonly stepTokens?: number;
  /** Milliseconds, to time the model's steps. */
  readonly clock?: () => number;
  /** Scored tokens done and in all. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface Evaluation extends TextScore {
  /** null without a baseline. */
  readonly comparison: Comparison | null;
  /** Tokens that the model ran, and the time of its steps alone; null without a clock. */
  readonly timing: { readonly tokens: number; readonly millis: number } | null;
}

/** Logits that a step may bring at once: a large vocabulary takes shorter steps. */
const MAX_STEP_LOGITS_BYTES = 32 * 2 ** 20;

/**
 * Scores a text.
 * @throws RangeError for windows that don't fit the model or the text; Error with a sentence where the baseline can't
 *   be compared; LogitsError for logits that aren't finite; the signal's reason where it was aborted.
 */
export async function evaluate(model: LoadedModel, request: EvaluationRequest): Promise<Evaluation> {
  const { tokens, vocabSize, baseline, recording = null, clock, onProgress, signal } = request;
  const windows = evaluationWindows(tokens, request.windows);
  const total = scoredTokens(windows);
  const own = new SteppedModel(model, vocabSize);
  const refusal = own.refusal(vocabSize, tokens, request.windows);
  if (refusal !== null) throw new RangeError(refusal);
  const mismatch = baseline?.refusal(vocabSize, tokens, request.windows) ?? null;
  if (mismatch !== null) throw new Error(mismatch);

  const most = Math.max(1, Math.min(
    own.maxStepTokens, baseline?.maxStepTokens ?? Infinity, request.stepTokens ?? Infinity,
    Math.floor(MAX_STEP_LOGITS_BYTES / (vocabSize * Float32Array.BYTES_PER_ELEMENT))));
  const score = new ScoreSums();
  const comparison = baseline === null ? null : new ComparisonSums(total);
  const ran = { tokens: 0, millis: 0 };
  onProgress?.(0, total);
  try {
    for (const window of windows) {
      for (const step of stepsOf(window, most)) {
        signal?.throwIfAborted();
        const started = clock?.() ?? 0;
        const logits = await own.logits(step);
        ran.tokens += step.tokens.length;
        ran.millis += (clock?.() ?? 0) - started;
        const expected = await baseline?.logits(step) ?? null;
        step.rows.forEach((row, i) => {
          const token = window.tokens[step.offset + row + 1];
          const summary = summarize(logits[i], 'The model');
          score.add(summary.logSum - logits[i][token]);
          recording?.push(logits[i]);
          if (expected !== null) comparison?.add(expected[i], summarize(expected[i], 'The baseline'), logits[i], summary, token);
        });
        onProgress?.(step.scoredBefore + step.rows.length, total);
      }
    }
  } finally {
    own.dispose();
  }
  return { ...score.score, comparison: comparison?.comparison ?? null, timing: clock ? ran : null };
}
