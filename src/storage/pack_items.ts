/**
 * The pieces of a pack in the order they are written, verified and numbered in checksums.bin: dense tensors, expert
 * rows, then the kept runs of the original files.
 */
import type { Manifest } from './model_source.ts';
import type { Origin } from './origin.ts';

export type PackItem =
  | { readonly kind: 'dense'; readonly index: number; readonly byteLength: number }
  | { readonly kind: 'expert'; readonly layerIndex: number; readonly expert: number; readonly byteLength: number }
  /** index counts the kept runs. */
  | { readonly kind: 'extra'; readonly index: number; readonly byteOffset: number; readonly byteLength: number };

/** byteLength of an item is what it occupies in its pack file. */
export function packItems(manifest: Manifest, origin: Origin): PackItem[] {
  const items: PackItem[] = manifest.dense.map(({ byteLength }, index) => ({ kind: 'dense', index, byteLength }));
  for (let layerIndex = 0; layerIndex < manifest.expertLayers.length; layerIndex++) {
    for (let expert = 0; expert < manifest.expertCount; expert++) {
      items.push({ kind: 'expert', layerIndex, expert, byteLength: manifest.expertStrideByteLength });
    }
  }
  const kept = origin.files.flatMap((file) => file.segments.filter((segment) => segment.kind === 'extra'));
  kept.forEach(({ byteOffset, byteLength }, index) => items.push({ kind: 'extra', index, byteOffset, byteLength }));
  return items;
}

/**
 * Offset of an expert's row in experts.pack. Rows are numbered by the layer's place in manifest.expertLayers, so
 * that dense layers take no room.
 */
export function expertRowByteOffset(manifest: Manifest, layerIndex: number, expert: number): number {
  return (layerIndex * manifest.expertCount + expert) * manifest.expertStrideByteLength;
}

/** Whole length of each pack file. */
export function packFileByteLengths(manifest: Manifest, origin: Origin) {
  return {
    'dense.pack': manifest.denseByteLength,
    'experts.pack': expertRowByteOffset(manifest, manifest.expertLayers.length, 0),
    'extra.pack': origin.extraByteLength,
  } as const;
}

export type PackFileName = keyof ReturnType<typeof packFileByteLengths>;
export const PACK_FILES: readonly PackFileName[] = ['dense.pack', 'experts.pack', 'extra.pack'];
