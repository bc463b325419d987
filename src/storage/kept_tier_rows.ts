/** Rows of the second tier kept in memory, for sources that make them anew at each read. */
import type { ModelSource } from './model_source.ts';

/**
 * The source with its latest rows of the second tier kept: an expert that comes back to the tier, or that two reads want
 * at once, is converted once.
 * @param byteLength most bytes of rows that are kept; one row is, whatever it takes
 */
export function keepTierRows(source: ModelSource, byteLength: number): ModelSource {
  const { tier } = source.manifest;
  if (tier === null) return source;
  const most = Math.max(1, Math.floor(byteLength / tier.strideByteLength));
  /** Latest read last. */
  const kept = new Map<string, Promise<Uint8Array>>();
  return {
    ...source,
    async readTierRow(layer, expert) {
      const key = `${layer}/${expert}`;
      const row = kept.get(key) ?? source.readTierRow(layer, expert);
      kept.delete(key);
      kept.set(key, row);
      // Whoever waits for it hears of a failure; a later read tries again.
      row.catch(() => { if (kept.get(key) === row) kept.delete(key); });
      if (kept.size > most) kept.delete(kept.keys().next().value!);
      return row;
    },
    close() {
      kept.clear();
      return source.close();
    },
  };
}
