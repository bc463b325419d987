/** Expert rows at the speed of a copy, as a RAM arena that holds them all gives them. */
import type { ModelSource } from '../../../src/storage/model_source.ts';

export interface RowOf {
  readonly layer: number;
  readonly expert: number;
}

/**
 * The source with each row that was read kept.
 * @param standIn the row that is read in an expert's place
 */
export function withRowsInMemory(
  source: ModelSource, standIn: (layer: number, expert: number) => RowOf = (layer, expert) => ({ layer, expert }),
): ModelSource {
  const rows = new Map<string, Uint8Array>();
  return {
    ...source,
    async readExpertRow(wantedLayer, wantedExpert, into) {
      const { layer, expert } = standIn(wantedLayer, wantedExpert);
      const key = `${layer}/${expert}`;
      const row = rows.get(key) ?? await source.readExpertRow(layer, expert);
      rows.set(key, row);
      if (!into) return row;
      into.set(row);
      return into.subarray(0, row.byteLength);
    },
  };
}
