/** Which experts a text needs most: a pass over it on the reference back end, which tells whom it routes to. */
import { createReferenceBackend } from '../../compute/reference/backend.ts';
import { createEngine } from '../../engine/engine.ts';
import type { ModelSource } from '../../storage/model_source.ts';

/** Tokens routed to an expert, by `layer/expert`. */
export type RoutedCounts = ReadonlyMap<string, number>;

export const expertKey = (layer: number, expert: number): string => `${layer}/${expert}`;

/**
 * Counts the tokens that each expert answers.
 * @param source closed afterwards
 * @param tokenCount tokens of the text that are run, from its start
 * @param contextLength tokens that are run together
 */
export async function countRoutedTokens(
  source: ModelSource, text: string, tokenCount: number, contextLength: number, signal: AbortSignal,
): Promise<RoutedCounts> {
  const counts = new Map<string, number>();
  const backend = createReferenceBackend({
    onRouted: (layer, expert, count) => {
      const key = expertKey(layer, expert);
      counts.set(key, (counts.get(key) ?? 0) + count);
    },
  });
  const engine = await createEngine({ backend, source, contextLength, signal });
  try {
    const tokens = engine.encodeText(text).tokens.slice(0, tokenCount);
    for (let begin = 0; begin < tokens.length; begin += contextLength) {
      signal.throwIfAborted();
      const part = tokens.slice(begin, begin + contextLength);
      await engine.logits(part, [part.length - 1]);
    }
  } finally {
    await engine.dispose();
    backend.dispose();
  }
  return counts;
}

/** The share of all the model's experts with the most tokens, by key; of equals the earlier layer and lower id. */
export function hottestExperts(
  counts: RoutedCounts, layers: readonly number[], expertCount: number, share: number,
): ReadonlySet<string> {
  const keys = layers.flatMap((layer) => Array.from({ length: expertCount }, (_, expert) => expertKey(layer, expert)));
  const byHeat = keys.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  return new Set(byHeat.slice(0, Math.round(share * keys.length)));
}
