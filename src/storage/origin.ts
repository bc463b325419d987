/**
 * How the imported files can be given back: each file is a list of segments, every byte of it either in a packed
 * matrix (re-created by the exact inverse of packing) or, where the plan doesn't use it — headers, padding, unused
 * tensors, tokenizer files, the scales that were packed together with codes — kept as it was in extra.pack.
 */
import type { ByteSource, Checkpoint } from '../formats/checkpoint.ts';
import { CODE_ORDERS, type CodeOrder, type StoredCodes } from '../formats/code_order.ts';
import type { MatrixSlice, ModelPlan } from '../formats/model_plan.ts';
import type { NamedSource } from '../formats/open_checkpoint.ts';
import { WEIGHT_FORMATS } from '../quant/formats.ts';
import { fileByteLength, planeRowRange } from '../quant/pack.ts';
import { packedLayout } from '../quant/packed.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, Manifest } from './model_source.ts';
import { arrayOf, countOf, damaged, recordOf, textOf } from './stored_json.ts';

export const EXPERT_MATRICES = ['gate', 'up', 'down'] as const;
export type ExpertMatrixName = (typeof EXPERT_MATRICES)[number];

export type OriginSegment =
  | { readonly kind: 'extra'; readonly byteOffset: number; readonly byteLength: number }
  /** The file layout of manifest.dense[index]; with `codes` only the codes, in this order. */
  | { readonly kind: 'dense'; readonly index: number; readonly codes?: CodeOrder }
  /** One matrix of experts first … first + count − 1 of manifest.expertLayers[layerIndex], one after the other. */
  | {
      readonly kind: 'experts'; readonly layerIndex: number; readonly matrix: ExpertMatrixName;
      readonly first: number; readonly count: number; readonly codes?: CodeOrder;
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
  const add = (slice: MatrixSlice, segment: OriginSegment) => {
    // What a derived source is put together from is kept, except for the codes, which are most of it.
    const { source, byteOffset, byteLength }: Omit<StoredCodes, 'order'> = slice.codes ?? slice;
    const list = bySource.get(source) ?? [];
    bySource.set(source, list);
    list.push({ byteOffset, byteLength, segment });
  };
  plan.dense.forEach(({ slice }, index) => add(slice, { kind: 'dense', index, ...codesOf(slice) }));
  plan.experts.forEach((layer, layerIndex) => {
    for (const matrix of EXPERT_MATRICES) {
      layer[matrix].forEach((slice, first) =>
        add(slice, { kind: 'experts', layerIndex, matrix, first, count: 1, ...codesOf(slice) }));
    }
  });
  for (const list of bySource.values()) list.sort((a, b) => a.byteOffset - b.byteOffset);
  return bySource;
}

function codesOf({ codes }: MatrixSlice): { readonly codes?: CodeOrder } {
  return codes ? { codes: codes.order } : {};
}

/** Joins experts that follow each other, as those of a fused tensor do. */
function appendSegment(segments: OriginSegment[], segment: OriginSegment): void {
  const last = segments.at(-1);
  const follows = last?.kind === 'experts' && segment.kind === 'experts' && last.layerIndex === segment.layerIndex
    && last.matrix === segment.matrix && last.codes === segment.codes && last.first + last.count === segment.first;
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
  if (segment.kind === 'dense') return matrixSegmentByteLength(manifest.dense[segment.index], segment.codes);
  return segment.count * matrixSegmentByteLength(manifest.expertLayers[segment.layerIndex][segment.matrix], segment.codes);
}

function matrixSegmentByteLength(
  { format, rows, cols }: Pick<ExpertMatrixEntry, 'format' | 'rows' | 'cols'>, codes: CodeOrder | undefined,
): number {
  if (codes === undefined) return fileByteLength(format, rows, cols);
  return planeRowRange(packedLayout(format, rows, cols), 0, 0, rows).byteLength;
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
    return { kind: 'dense', index, ...checkCodes(s.codes, manifest.dense[index], where) };
  }
  const layerIndex = countOf(s.layerIndex, where);
  const layer: ExpertLayerEntry | undefined = manifest.expertLayers[layerIndex];
  const matrix = EXPERT_MATRICES.find((name) => name === s.matrix);
  const first = countOf(s.first, where);
  const count = countOf(s.count, where);
  if (s.kind !== 'experts' || !layer || !matrix || first + count > manifest.expertCount) {
    throw damaged(`${where} names unknown experts`);
  }
  return { kind: 'experts', layerIndex, matrix, first, count, ...checkCodes(s.codes, layer[matrix], where) };
}

function checkCodes(value: unknown, { format }: Pick<ExpertMatrixEntry, 'format'>, where: string): { readonly codes?: CodeOrder } {
  if (value === undefined) return {};
  const codes = CODE_ORDERS.find((order) => order === value);
  const { planes: [plane], blockElems } = WEIGHT_FORMATS[format];
  const fourBits = plane.blockByteLength % 4 === 0 && plane.blockByteLength * 2 === blockElems;
  if (!codes || (codes !== 'rows' && !fourBits)) throw damaged(`${where} has codes in an unknown order`);
  return { codes };
}
