/**
 * Heat: how many times a decoded token uses each expert, on average over the recent past. Saved with a model, so that its
 * next start loads the right experts first. As JSON each is one byte: 24,576 experts (48 layers of 512) take 33 kB.
 */
import type { ExpertKey, PoolShape, SlotGroup } from '../compute/residency.ts';

type HeatShape = Pick<PoolShape, 'expertLayerCount' | 'expertCount'>;

/** What is stored: base64 of round(255 * sqrt(heat)) by expert; the root keeps rarely used experts apart. */
export interface StoredHeat {
  readonly version: 1;
  readonly expertLayerCount: number;
  readonly expertCount: number;
  readonly heat: string;
}

/** @param heat [expertLayerCount * expertCount], uses a step, 0 to 1 */
export function storedHeat(heat: Float32Array, { expertLayerCount, expertCount }: HeatShape): StoredHeat {
  const bytes = Uint8Array.from(heat, (uses) => Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, uses)))));
  return { version: 1, expertLayerCount, expertCount, heat: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
}

/** Heat from parsed JSON; null where it is none of this model's. A model without heat only starts slower, so that is no error. */
export function heatFrom(stored: unknown, { expertLayerCount, expertCount }: HeatShape): Float32Array | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { version, expertLayerCount: layers, expertCount: experts, heat } = stored as Partial<Record<keyof StoredHeat, unknown>>;
  if (version !== 1 || layers !== expertLayerCount || experts !== expertCount || typeof heat !== 'string') return null;
  const count = expertLayerCount * expertCount;
  if (heat.length !== 4 * Math.ceil(count / 3) || !/^[A-Za-z0-9+/]*={0,2}$/.test(heat)) return null;
  const bytes = atob(heat);
  if (bytes.length !== count) return null;
  return Float32Array.from({ length: count }, (_, key) => (bytes.charCodeAt(key) / 255) ** 2);
}

/** Experts of a group, hottest first; among equals the same share of each layer, since nothing is known of them. */
export function hottestFirst({ layerIndexes }: SlotGroup, { expertCount }: HeatShape, heat: ArrayLike<number>): ExpertKey[] {
  const keys = Array.from({ length: expertCount }, (_, expert) => layerIndexes.map((layer) => layer * expertCount + expert)).flat();
  // Not by difference: heat may be a logarithm, and infinities subtract to NaN.
  return keys.sort((a, b) => (heat[a] === heat[b] ? 0 : heat[a] < heat[b] ? 1 : -1));
}
