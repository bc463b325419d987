/**
 * The pieces of a pack in the order they are written, verified and numbered in checksums.bin: dense tensors, expert
 * rows, each followed by that of its second tier, then the kept runs of the original files.
 */
import type { ExpertLayerEntry, Manifest } from './model_source.ts';
import type { Origin } from './origin.ts';

/** A row of the experts that run by default, or of the second tier. */
export type ExpertRowKind = 'expert' | 'tier';

export type PackItem =
  | { readonly kind: 'dense'; readonly index: number; readonly byteLength: number }
  | { readonly kind: ExpertRowKind; readonly layerIndex: number; readonly expert: number; readonly byteLength: number }
  /** index counts the kept runs. */
  | { readonly kind: 'extra'; readonly index: number; readonly byteOffset: number; readonly byteLength: number };

/** byteLength of an item is what it occupies in its pack file. */
export function packItems(manifest: Manifest, origin: Origin): PackItem[] {
  const items: PackItem[] = manifest.dense.map(({ byteLength }, index) => ({ kind: 'dense', index, byteLength }));
  for (let layerIndex = 0; layerIndex < manifest.expertLayers.length; layerIndex++) {
    for (let expert = 0; expert < manifest.expertCount; expert++) {
      items.push({ kind: 'expert', layerIndex, expert, byteLength: manifest.expertStrideByteLength });
      if (manifest.tier) items.push({ kind: 'tier', layerIndex, expert, byteLength: manifest.tier.strideByteLength });
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

/** The same in experts_fp4.pack; 0 where the model has no second tier. */
export function tierRowByteOffset(manifest: Manifest, layerIndex: number, expert: number): number {
  return (layerIndex * manifest.expertCount + expert) * (manifest.tier?.strideByteLength ?? 0);
}

/** Whole length of each pack file. */
export function packFileByteLengths(manifest: Manifest, origin: Origin) {
  return {
    'dense.pack': manifest.denseByteLength,
    'experts.pack': expertRowByteOffset(manifest, manifest.expertLayers.length, 0),
    'experts_fp4.pack': tierRowByteOffset(manifest, manifest.expertLayers.length, 0),
    'extra.pack': origin.extraByteLength,
  } as const;
}

export type PackFileName = keyof ReturnType<typeof packFileByteLengths>;

/** The files that a model's pack has. */
export function packFileNames(manifest: Manifest): PackFileName[] {
  return ['dense.pack', 'experts.pack', ...(manifest.tier ? ['experts_fp4.pack' as const] : []), 'extra.pack'];
}

/** Where the pack has a row of an expert, and how it is laid out. */
export function expertRow(
  manifest: Manifest, kind: ExpertRowKind, layerIndex: number, expert: number,
): { readonly file: PackFileName; readonly byteOffset: number; readonly byteLength: number; readonly layout: ExpertLayerEntry } {
  if (kind === 'expert') {
    return {
      file: 'experts.pack', byteOffset: expertRowByteOffset(manifest, layerIndex, expert),
      byteLength: manifest.expertStrideByteLength, layout: manifest.expertLayers[layerIndex],
    };
  }
  const { tier } = manifest;
  if (!tier) throw new RangeError(`${manifest.name} has no second tier of experts`);
  return {
    file: 'experts_fp4.pack', byteOffset: tierRowByteOffset(manifest, layerIndex, expert),
    byteLength: tier.strideByteLength, layout: tier.layers[layerIndex],
  };
}
