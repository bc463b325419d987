/** What the reference kit measures of a model, for the test suite and for `npm run kit`. Knows no test runner. */
import type { LoadedModel, SamplingParams } from '../../src/compute/ops.ts';
import { collectLogits } from '../../src/engine/logits.ts';

export const GREEDY: SamplingParams = {
  temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 0,
};

/** What a reference.json of the kit holds, in the names of that file. */
export interface ReferenceRun {
  readonly tokens: readonly number[];
  readonly logit_positions: readonly number[];
  readonly logits: readonly (readonly number[])[];
  readonly argmax: readonly number[];
  readonly greedy_prompt_len: number;
  readonly greedy: readonly number[];
}

/** NaN where one is. */
export function relativeL2(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let error = 0;
  let norm = 0;
  for (let i = 0; i < expected.length; i++) {
    error += (actual[i] - expected[i]) ** 2;
    norm += expected[i] ** 2;
  }
  return Math.sqrt(error / norm);
}

/**
 * Largest relative L2 error over the stored positions, in steps of at most `chunk` tokens; infinite where a value is NaN.
 * @throws RangeError where the model's vocabulary isn't the reference's
 */
export async function worstError(model: LoadedModel, run: ReferenceRun, chunk: number): Promise<number> {
  const actual = await collectLogits(model, run.tokens, run.logit_positions, Math.min(chunk, model.maxStepTokens));
  return Math.max(...actual.map((row, i) => {
    if (row.length !== run.logits[i].length) throw new RangeError(`${row.length} logits where the reference has ${run.logits[i].length}`);
    const error = relativeL2(row, run.logits[i]);
    return Number.isNaN(error) ? Infinity : error;
  }));
}

/** Greedy continuation, sampled by the back end itself. */
export async function continueGreedily(model: LoadedModel, prompt: readonly number[], count: number): Promise<number[]> {
  const sequence = await model.createSequence();
  const output = { kind: 'sample', sampling: GREEDY, recentTokens: [] } as const;
  const continuation: number[] = [];
  // The last token of the prompt is the first step of decode; what lies before it goes in as large steps as fit.
  for (let begin = 0; begin < prompt.length - 1; begin += model.maxStepTokens) {
    await model.step(sequence, prompt.slice(begin, Math.min(begin + model.maxStepTokens, prompt.length - 1)), { kind: 'none' });
  }
  let next: readonly number[] = prompt.slice(-1);
  while (continuation.length < count) {
    const { token } = await model.step(sequence, next, output);
    if (token === null) throw new Error('the back end sampled nothing');
    continuation.push(token);
    next = [token];
  }
  sequence.dispose();
  return continuation;
}
