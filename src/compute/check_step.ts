/** What every back end refuses, in the same words. */
import type { BatchRow, Sequence, StepOutput } from './ops.ts';
import { checkSamplingParams } from './sampling.ts';

/** @throws RangeError naming what doesn't fit: step size, context, token ids, output rows, sampling parameters. */
export function checkStep(
  sequence: Sequence, tokens: readonly number[], output: StepOutput, maxStepTokens: number, vocabSize: number,
): void {
  if (tokens.length < 1 || tokens.length > maxStepTokens) {
    throw new RangeError(`a step takes 1 to ${maxStepTokens} tokens, not ${tokens.length}`);
  }
  if (sequence.length + tokens.length > sequence.capacity) {
    throw new RangeError(`${tokens.length} tokens after ${sequence.length} do not fit the context of ${sequence.capacity}`);
  }
  const strange = tokens.find((token) => !(Number.isInteger(token) && token >= 0 && token < vocabSize));
  if (strange !== undefined) throw new RangeError(`token ${strange} is outside of the vocabulary of ${vocabSize}`);
  if (output.kind === 'sample') checkSamplingParams(output.sampling);
  if (output.kind !== 'logits') return;
  const row = output.rows.find((r) => !(Number.isInteger(r) && r >= 0 && r < tokens.length));
  if (row !== undefined) throw new RangeError(`row ${row} is outside of a step of ${tokens.length} tokens`);
}

/** @throws RangeError as checkStep does, and for no rows, too many, or a sequence that is there twice. */
export function checkBatch(rows: readonly BatchRow[], maxBatchRows: number, vocabSize: number): void {
  if (rows.length < 1 || rows.length > maxBatchRows) throw new RangeError(`a batch takes 1 to ${maxBatchRows} rows, not ${rows.length}`);
  if (new Set(rows.map(({ sequence }) => sequence)).size < rows.length) throw new RangeError('a sequence is in the batch twice');
  for (const { sequence, token, output } of rows) checkStep(sequence, [token], output, 1, vocabSize);
}
