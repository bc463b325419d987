/**
 * What a conversion lost, while it goes on: a fixed-size record for each converted row in conversion_sums.bin, written
 * and flushed with the row, so that an import that was cut off resumes with exactly the numbers that it had. The report
 * is made of them at the end.
 */
import { addErrorSums, emptyErrorSums, errorStatsOf, type ErrorSums } from '../quant/error_stats.ts';
import type { ConversionReport, LayerReport, MatrixReport } from './conversion_report.ts';
import type { StoragePlan } from './convert_plan.ts';
import type { ExpertLayerEntry, Manifest } from './model_source.ts';
import { EXPERT_MATRICES, type ExpertMatrixName } from './origin.ts';
import type { ExpertRowKind } from './pack_items.ts';
import { damaged } from './stored_json.ts';

const FIELDS: readonly (keyof ErrorSums)[] = ['elems', 'xx', 'yy', 'xy', 'squaredError', 'error', 'xSigns', 'ySigns'];
const MATRIX_BYTE_LENGTH = 8 * FIELDS.length;
/** Bytes of one row's record: gate, up and down. */
export const SUMS_RECORD_BYTE_LENGTH = EXPERT_MATRICES.length * MATRIX_BYTE_LENGTH;
/** Digits that a report keeps: more would say nothing, and a model has tens of thousands of numbers. */
const REPORT_DIGITS = 5;

/** Length of the whole file. */
export function sumsFileByteLength(manifest: Manifest): number {
  return manifest.expertLayers.length * manifest.expertCount * rowKinds(manifest) * SUMS_RECORD_BYTE_LENGTH;
}

/** Where a row's record lies. */
export function sumsByteOffset(manifest: Manifest, kind: ExpertRowKind, layerIndex: number, expert: number): number {
  const row = layerIndex * manifest.expertCount + expert;
  return (row * rowKinds(manifest) + (kind === 'tier' ? 1 : 0)) * SUMS_RECORD_BYTE_LENGTH;
}

/** @param matrices sums of gate, up and down */
export function encodeSums(matrices: readonly ErrorSums[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(SUMS_RECORD_BYTE_LENGTH));
  matrices.forEach((sums, m) => FIELDS.forEach((field, f) => (
    view.setFloat64(m * MATRIX_BYTE_LENGTH + f * 8, sums[field], true))));
  return new Uint8Array(view.buffer);
}

/**
 * The report of a conversion whose rows are all written.
 * @param bytes conversion_sums.bin, null where it is missing
 * @throws StorageError where it doesn't have a record for each row
 */
export function reportFromSums(
  conversion: NonNullable<StoragePlan['conversion']>, manifest: Manifest, bytes: Uint8Array | null,
): ConversionReport {
  if (bytes?.byteLength !== sumsFileByteLength(manifest)) throw damaged('conversion_sums.bin lost records');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const layersOf = (kind: ExpertRowKind, layers: readonly ExpertLayerEntry[]) => layers.map((entry, layerIndex): LayerReport => {
    const matrixOf = (name: ExpertMatrixName, m: number): MatrixReport => {
      const byExpert = Array.from({ length: manifest.expertCount }, (_, expert) => (
        decodeSums(view, sumsByteOffset(manifest, kind, layerIndex, expert) + m * MATRIX_BYTE_LENGTH)));
      return { from: conversion.from[layerIndex][name], to: entry[name].format, ...summarise(byExpert) };
    };
    const [gate, up, down] = EXPERT_MATRICES.map(matrixOf);
    return { layer: entry.layer, gate, up, down };
  });
  return {
    formatVersion: 1,
    conversion: conversion.kind,
    layers: layersOf('expert', manifest.expertLayers),
    tierLayers: manifest.tier && layersOf('tier', manifest.tier.layers),
  };
}

function summarise(byExpert: readonly ErrorSums[]): Omit<MatrixReport, 'from' | 'to'> {
  const all = emptyErrorSums();
  for (const sums of byExpert) addErrorSums(all, sums);
  const stats = byExpert.map(errorStatsOf);
  const { signBias, meanError } = errorStatsOf(all);
  return {
    // Infinite where an expert's weights are all zero: as good as lost, and JSON knows no infinity.
    relativeRms: stats.map(({ relativeRms }) => Number.isFinite(relativeRms) ? rounded(relativeRms) : 1),
    cosine: stats.map(({ cosine }) => rounded(cosine)),
    signBias: rounded(signBias),
    meanError: Number.isFinite(meanError) ? rounded(meanError) : 0,
  };
}

function decodeSums(view: DataView, byteOffset: number): ErrorSums {
  const sums = emptyErrorSums();
  FIELDS.forEach((field, f) => {
    sums[field] = view.getFloat64(byteOffset + f * 8, true);
  });
  return sums;
}

function rowKinds(manifest: Manifest): number {
  return manifest.tier ? 2 : 1;
}

function rounded(value: number): number {
  return Number(value.toPrecision(REPORT_DIGITS));
}
