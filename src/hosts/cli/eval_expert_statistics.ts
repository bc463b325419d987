/** How large a model's experts are, and how far their weights are from those of the first line of a table. */
import { addErrors, emptyErrorSums, errorStatsOf, type ErrorStats } from '../../quant/error_stats.ts';
import { WEIGHT_FORMATS } from '../../quant/formats.ts';
import { decodePackedRows, planeViews, tensorScaleOf } from '../../quant/pack.ts';
import { packedLayout } from '../../quant/packed.ts';
import type { ExpertMatrixEntry, Manifest, ModelSource } from '../../storage/model_source.ts';
import type { RoundingOf } from './eval_rounded_source.ts';

export interface ExpertSize {
  /** Scales included. */
  readonly bitsPerWeight: number;
  readonly byteLength: number;
}

/** Means over the matrices: gate, up and down of each expert. */
export type ExpertErrors = Omit<ErrorStats, 'elems'>;

export const NO_ERRORS: ExpertErrors = { relativeRms: 0, cosine: 1, signBias: 0, meanError: 0 };

const MATRIX_NAMES = ['gate', 'up', 'down'] as const;

/** @param roundingOf null for experts as the files have them */
export function expertSize({ expertLayers, expertCount }: Manifest, roundingOf: RoundingOf | null): ExpertSize {
  let elems = 0;
  let bits = 0;
  for (const entry of expertLayers) {
    for (const { format, rows, cols } of MATRIX_NAMES.map((name) => entry[name])) {
      const { blockElems, blockByteLength } = WEIGHT_FORMATS[format];
      for (let expert = 0; expert < expertCount; expert++) {
        elems += rows * cols;
        bits += rows * cols * (roundingOf?.(entry.layer, expert).bitsPerWeight ?? (8 * blockByteLength) / blockElems);
      }
    }
  }
  return { bitsPerWeight: bits / elems, byteLength: bits / 8 };
}

/** All experts, and the second tier's copies of a share of them beside. */
export function tieredSize(manifest: Manifest, tierShare: number): ExpertSize {
  const main = expertSize(manifest, null);
  const copies = expertSize({ ...manifest, expertLayers: manifest.tier?.layers ?? [] }, null);
  const byteLength = main.byteLength + tierShare * copies.byteLength;
  return { bitsPerWeight: main.bitsPerWeight * (byteLength / main.byteLength), byteLength };
}

/** Reads all experts of both; null where their layers, numbers or shapes differ, so that there is nothing to compare. */
export async function expertErrors(baseline: ModelSource, source: ModelSource, signal: AbortSignal): Promise<ExpertErrors | null> {
  if (shapesOf(baseline.manifest) !== shapesOf(source.manifest)) return null;
  const stats: ErrorStats[] = [];
  for (const [i, entry] of source.manifest.expertLayers.entries()) {
    for (let expert = 0; expert < source.manifest.expertCount; expert++) {
      signal.throwIfAborted();
      const [original, row] = await Promise.all([
        baseline.readExpertRow(entry.layer, expert), source.readExpertRow(entry.layer, expert),
      ]);
      for (const name of MATRIX_NAMES) {
        const sums = emptyErrorSums();
        addErrors(sums, decodeMatrix(original, baseline.manifest.expertLayers[i][name]), decodeMatrix(row, entry[name]));
        stats.push(errorStatsOf(sums));
      }
    }
  }
  const mean = (value: (matrix: ErrorStats) => number): number => stats.reduce((sum, matrix) => sum + value(matrix), 0) / stats.length;
  return {
    relativeRms: mean((m) => m.relativeRms), cosine: mean((m) => m.cosine), signBias: mean((m) => m.signBias),
    meanError: mean((m) => m.meanError),
  };
}

function shapesOf({ expertLayers, expertCount }: Manifest): string {
  const shape = ({ rows, cols }: ExpertMatrixEntry): number[] => [rows, cols];
  return JSON.stringify([expertCount, expertLayers.map((entry) => [entry.layer, ...MATRIX_NAMES.map((name) => shape(entry[name]))])]);
}

/** A matrix of an expert's row as f32. */
export function decodeMatrix(row: Uint8Array, { format, rows, cols, byteOffset, byteLength }: ExpertMatrixEntry): Float32Array {
  const layout = packedLayout(format, rows, cols);
  const packed = row.subarray(byteOffset, byteOffset + byteLength);
  return decodePackedRows(layout, planeViews(layout, packed), 0, rows, undefined, tensorScaleOf(layout, packed));
}
