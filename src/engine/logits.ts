/** Raw logits of a token list, for comparison with other programs. */
import type { LoadedModel } from '../compute/ops.ts';

/**
 * Runs `tokens` in steps of at most `chunk` on a fresh KV cache; logits [vocab] in the order of `positions`.
 * @throws RangeError where a position is outside of the tokens or the tokens don't fit the context.
 */
export async function collectLogits(
  model: LoadedModel, tokens: readonly number[], positions: readonly number[], chunk: number,
): Promise<Float32Array[]> {
  const strange = positions.find((position) => !(Number.isInteger(position) && position >= 0 && position < tokens.length));
  if (strange !== undefined) throw new RangeError(`position ${strange} is outside of the ${tokens.length} tokens`);
  const wanted = [...new Set(positions)].sort((a, b) => a - b);
  const found = new Map<number, Float32Array>();
  const sequence = await model.createSequence();
  try {
    for (let begin = 0; begin < tokens.length; begin += chunk) {
      const part = tokens.slice(begin, begin + chunk);
      const inPart = wanted.filter((position) => position >= begin && position < begin + part.length);
      const { logits } = await model.step(sequence, part, inPart.length === 0
        ? { kind: 'none' }
        : { kind: 'logits', rows: inPart.map((position) => position - begin) });
      inPart.forEach((position, i) => found.set(position, logits![i]));
    }
  } finally {
    sequence.dispose();
  }
  return positions.map((position) => found.get(position)!);
}
