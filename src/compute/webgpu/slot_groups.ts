/** How device memory for experts is cut into groups of equal slots. Pure arithmetic. */
import type { SlotGroup } from '../residency.ts';

interface LayerRow {
  readonly layerIndex: number;
  /** Bytes of one expert's row in this layer, a multiple of 16. */
  readonly rowByteLength: number;
}

/**
 * Layers of equal rows share slots, in as few groups as bindings allow, so that memory goes where routing needs it. A
 * group whose layers' share is larger than a binding has one layer and is split into several slabs by the caller. Where
 * the memory is too small for that, all layers share one group of the longest row.
 * @param byteLength for all slots together, at least topK of the longest
 * @param topK slots that each group needs at least
 */
export function planSlotGroups(
  rows: readonly LayerRow[], expertCount: number, topK: number, byteLength: number, maxBindingByteLength: number,
): SlotGroup[] {
  const longest = Math.max(...rows.map((row) => row.rowByteLength));
  const total = rows.reduce((sum, row) => sum + row.rowByteLength * expertCount, 0);
  const budget = Math.min(byteLength, total);
  const byRow = new Map<number, number[]>();
  for (const { layerIndex, rowByteLength } of rows) {
    byRow.set(rowByteLength, [...byRow.get(rowByteLength) ?? [], layerIndex]);
  }
  const groups = [...byRow].flatMap(([slotByteLength, layers]) => {
    const share = budget * (layers.length * expertCount * slotByteLength / total);
    const runs = splitEvenly(layers, Math.min(layers.length, Math.ceil(share / maxBindingByteLength)));
    return runs.map((layerIndexes) => groupOf(layerIndexes, slotByteLength, share * layerIndexes.length / layers.length));
  });
  if (groups.every((group) => group.slotCount >= topK)) return groups;
  return [groupOf(rows.map((row) => row.layerIndex), longest, budget)];

  function groupOf(layerIndexes: readonly number[], slotByteLength: number, share: number): SlotGroup {
    // A share of all bytes must give all slots, whatever rounding did to it.
    const slotCount = Math.min(layerIndexes.length * expertCount, Math.floor(share / slotByteLength + 1e-6));
    return { layerIndexes, slotCount, slotByteLength };
  }
}

/**
 * Slots [first, first + count) of each of the slabs that `slotCount` slots are split into, none larger than a binding.
 * @param what whose slots they are, for the message
 * @throws Error where one slot is larger than a binding
 */
export function slabRanges(
  slotCount: number, slotByteLength: number, maxBindingByteLength: number, what: string,
): { readonly first: number; readonly count: number }[] {
  const perSlab = Math.floor(maxBindingByteLength / slotByteLength);
  if (perSlab === 0) throw new Error(`${what}: one expert (${slotByteLength} bytes) is larger than one GPU binding of ${maxBindingByteLength} bytes`);
  return Array.from({ length: Math.ceil(slotCount / perSlab) }, (_, slab) => {
    const first = slab * perSlab;
    return { first, count: Math.min(perSlab, slotCount - first) };
  });
}

function splitEvenly<T>(items: readonly T[], parts: number): T[][] {
  return Array.from({ length: parts }, (_, i) =>
    items.slice(Math.floor(i * items.length / parts), Math.floor((i + 1) * items.length / parts)));
}
