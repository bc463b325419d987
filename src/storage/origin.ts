/**
 * How the imported files can be given back: each file is a list of segments, every byte of it either in a packed
 * matrix (re-created by the exact inverse of packing) or, where the plan doesn't use it — headers, padding, unused
 * tensors, tokenizer files — kept as it was in extra.pack.
 */
import type { ByteSource, Checkpoint } from '../formats/checkpoint.ts';
import type { ModelPlan } from '../formats/model_plan.ts';
import type { NamedSource } from '../formats/open_checkpoint.ts';
import { fileByteLength } from '../quant/pack.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, Manifest } from './model_source.ts';
import { arrayOf, countOf, damaged, recordOf, textOf } from './stored_json.ts';

export const EXPERT_MATRICES = ['gate', 'up', 'down'] as const;
export type ExpertMatrixName = (typeof EXPERT_MATRICES)[number];

export type OriginSegment =
  | { readonly kind: 'extra'; readonly byteOffset: number; readonly byteLength: number }
  /** The file layout of manifest.dense[index]. */
  | { readonly kind: 'dense'; readonly index: number }
  /** One matrix of experts first … first + count − 1 of manifest.expertLayers[layerIndex], one after the other. */
  | {
      readonly kind: 'experts'; readonly layerIndex: number; readonly matrix: ExpertMatrixName;
      readonly first: number; readonly count: number;
    };

export interface OriginFile {
  /** Path as dropped, with '/' and without '..'. */
  readonly name: string;
  readonly byteLength: number;
  readonly segments: readonly OriginSegment[];
}

export interface Origin {
  readonly files: readonly OriginFile[];
  readonly extraByteLength: number;
}

/** A run of a dropped file that goes into extra.pack as it is. */
export interface ExtraRun {
  readonly source: ByteSource;
  readonly sourceByteOffset: number;
  /** Offset in extra.pack. */
  readonly byteOffset: number;
  readonly byteLength: number;
}

const SIDE_FILE = /\.(json|jinja|txt|md|model)$|(^|\/)licen[cs]e$/i;
const MAX_SIDE_FILE_BYTE_LENGTH = 64 * 1024 * 1024;

/** Whether a dropped file is kept for export: weights, and the small files that belong to a model. */
export function isKeptFile(file: NamedSource, checkpoint: Checkpoint): boolean {
  return checkpoint.sources.includes(file.source)
    || (SIDE_FILE.test(file.path) && file.source.byteLength <= MAX_SIDE_FILE_BYTE_LENGTH);
}

interface Placement {
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly segment: OriginSegment;
}

/**
 * Describes the kept files. A slice whose source is none of them (a view that swaps bytes, say) can't be written
 * back from its matrix; its bytes then stay in extra.pack besides.
 */
export function buildOrigin(
  plan: ModelPlan, files: readonly NamedSource[],
): { readonly origin: Origin; readonly extras: readonly ExtraRun[] } {
  const placements = placementsBySource(plan);
  const extras: ExtraRun[] = [];
  let extraByteLength = 0;
  const originFiles = files.map(({ path, source }): OriginFile => {
    const segments: OriginSegment[] = [];
    let at = 0;
    const keepUpTo = (end: number) => {
      if (end <= at) return;
      const run = { byteOffset: extraByteLength, byteLength: end - at };
      segments.push({ kind: 'extra', ...run });
      extras.push({ source, sourceByteOffset: at, ...run });
      extraByteLength += run.byteLength;
    };
    for (const placement of placements.get(source) ?? []) {
      // Tied weights: the same bytes serve two names and are written back once.
      if (placement.byteOffset < at) continue;
      keepUpTo(placement.byteOffset);
      appendSegment(segments, placement.segment);
      at = placement.byteOffset + placement.byteLength;
    }
    keepUpTo(source.byteLength);
    return { name: safePath(path), byteLength: source.byteLength, segments };
  });
  return { origin: { files: originFiles, extraByteLength }, extras };
}

function placementsBySource(plan: ModelPlan): Map<ByteSource, Placement[]> {
  const bySource = new Map<ByteSource, Placement[]>();
  const add = (slice: { source: ByteSource; byteOffset: number; byteLength: number }, segment: OriginSegment) => {
    const list = bySource.get(slice.source) ?? [];
    bySource.set(slice.source, list);
    list.push({ byteOffset: slice.byteOffset, byteLength: slice.byteLength, segment });
  };
  plan.dense.forEach(({ slice }, index) => add(slice, { kind: 'dense', index }));
  plan.experts.forEach((layer, layerIndex) => {
    for (const matrix of EXPERT_MATRICES) {
      layer[matrix].forEach((slice, first) => add(slice, { kind: 'experts', layerIndex, matrix, first, count: 1 }));
    }
  });
  for (const list of bySource.values()) list.sort((a, b) => a.byteOffset - b.byteOffset);
  return bySource;
}

/** Joins experts that follow each other, as those of a fused tensor do. */
function appendSegment(segments: OriginSegment[], segment: OriginSegment): void {
  const last = segments.at(-1);
  const follows = last?.kind === 'experts' && segment.kind === 'experts' && last.layerIndex === segment.layerIndex
    && last.matrix === segment.matrix && last.first + last.count === segment.first;
  if (follows) segments[segments.length - 1] = { ...last, count: last.count + segment.count };
  else segments.push(segment);
}

/** A dropped path that stays inside the folder it is exported to. */
function safePath(path: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.join('/') || 'model';
}

/** Bytes of a segment in its file. */
export function segmentByteLength(manifest: Manifest, segment: OriginSegment): number {
  if (segment.kind === 'extra') return segment.byteLength;
  if (segment.kind === 'dense') return matrixFileByteLength(manifest.dense[segment.index]);
  return segment.count * matrixFileByteLength(manifest.expertLayers[segment.layerIndex][segment.matrix]);
}

function matrixFileByteLength(matrix: Pick<ExpertMatrixEntry, 'format' | 'rows' | 'cols'>): number {
  return fileByteLength(matrix.format, matrix.rows, matrix.cols);
}

/** Checks a stored origin against its manifest. @throws StorageError where they don't fit. */
export function checkOrigin(value: unknown, manifest: Manifest): Origin {
  const root = recordOf(value, 'origin.json');
  const extraByteLength = countOf(root.extraByteLength, 'origin.json: extraByteLength');
  const files = arrayOf(root.files, 'origin.json: files').map((entry, i): OriginFile => {
    const where = `origin.json: file ${i}`;
    const file = recordOf(entry, where);
    const byteLength = countOf(file.byteLength, `${where}: byteLength`);
    const segments = arrayOf(file.segments, where).map((s) => checkSegment(s, manifest, extraByteLength, where));
    const total = segments.reduce((sum, segment) => sum + segmentByteLength(manifest, segment), 0);
    if (total !== byteLength) throw damaged(`${where} has ${total} bytes instead of ${byteLength}`);
    return { name: safePath(textOf(file.name, `${where}: name`)), byteLength, segments };
  });
  return { files, extraByteLength };
}

function checkSegment(value: unknown, manifest: Manifest, extraByteLength: number, where: string): OriginSegment {
  const s = recordOf(value, where);
  if (s.kind === 'extra') {
    const byteOffset = countOf(s.byteOffset, where);
    const byteLength = countOf(s.byteLength, where);
    if (byteOffset + byteLength > extraByteLength) throw damaged(`${where} is outside extra.pack`);
    return { kind: 'extra', byteOffset, byteLength };
  }
  if (s.kind === 'dense') {
    const index = countOf(s.index, where);
    if (index >= manifest.dense.length) throw damaged(`${where} names an unknown tensor`);
    return { kind: 'dense', index };
  }
  const layerIndex = countOf(s.layerIndex, where);
  const layer: ExpertLayerEntry | undefined = manifest.expertLayers[layerIndex];
  const matrix = EXPERT_MATRICES.find((name) => name === s.matrix);
  const first = countOf(s.first, where);
  const count = countOf(s.count, where);
  if (s.kind !== 'experts' || !layer || !matrix || first + count > manifest.expertCount) {
    throw damaged(`${where} names unknown experts`);
  }
  return { kind: 'experts', layerIndex, matrix, first, count };
}
