/**
 * A model source whose experts are rounded to another format on the way, for measuring what the format costs. Rows
 * come as F32 or BF16 that hold exactly the rounded values, so any format can be measured on any back end.
 */
import { ModelFormatError } from '../../formats/checkpoint.ts';
import { addErrors, emptyErrorSums, errorStatsOf } from '../../quant/error_stats.ts';
import { WEIGHT_FORMATS } from '../../quant/formats.ts';
import { decodePackedRows, encodeRows, packRows, planeViews } from '../../quant/pack.ts';
import { alignUp, packedLayout, PLANE_ALIGN_BYTES } from '../../quant/packed.ts';
import { EXPERT_ROW_ALIGN_BYTES, expertRowByteLength } from '../../storage/manifest.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, Manifest, ModelSource } from '../../storage/model_source.ts';
import type { Rounding } from './eval_variants.ts';

/** What became of a model's expert weights. Means are over the matrices: gate, up and down of each expert. */
export interface ExpertStatistics {
  readonly bitsPerWeight: number;
  readonly byteLength: number;
  readonly relativeRms: number;
  readonly cosine: number;
  readonly signBias: number;
  readonly meanError: number;
}

export interface RoundedSource extends ModelSource {
  /** Reads the experts that nobody has read yet, so that the means are of all. */
  statistics(signal: AbortSignal): Promise<ExpertStatistics>;
}

export type RoundingOf = (layer: number, expert: number) => Rounding;

type MatrixName = 'gate' | 'up' | 'down';
const MATRIX_NAMES: readonly MatrixName[] = ['gate', 'up', 'down'];

/** Bits and bytes of the experts as their source has them, which loses nothing. */
export function keptStatistics({ expertLayers, expertCount }: Manifest): ExpertStatistics {
  let elems = 0;
  let bits = 0;
  for (const layer of expertLayers) {
    for (const { format, rows, cols } of MATRIX_NAMES.map((name) => layer[name])) {
      elems += expertCount * rows * cols;
      bits += (expertCount * rows * cols * 8 * WEIGHT_FORMATS[format].blockByteLength) / WEIGHT_FORMATS[format].blockElems;
    }
  }
  return { bitsPerWeight: bits / elems, byteLength: bits / 8, relativeRms: 0, cosine: 1, signBias: 0, meanError: 0 };
}

/**
 * @param roundingOf each expert's rounding
 * @param format what the rows come in; BF16 only where every rounding fits it
 * @throws ModelFormatError where a matrix is no whole number of a rounding's blocks (at the first row that is)
 */
export function createRoundedSource(source: ModelSource, roundingOf: RoundingOf, format: 'F32' | 'BF16'): RoundedSource {
  const { manifest: original } = source;
  const expertLayers = original.expertLayers.map((entry) => layerIn(entry, format));
  const longest = Math.max(0, ...expertLayers.map(expertRowByteLength));
  const manifest: Manifest = { ...original, expertLayers, expertStrideByteLength: alignUp(longest, EXPERT_ROW_ALIGN_BYTES) };
  const layers = new Map(expertLayers.map((entry, i) => [entry.layer, { entry, original: original.expertLayers[i] }]));
  const measured = new Map<string, readonly MatrixStatistics[]>();

  const readExpertRow = async (layer: number, expert: number): Promise<Uint8Array> => {
    const row = await source.readExpertRow(layer, expert);
    const found = layers.get(layer)!;
    const rounding = roundingOf(layer, expert);
    const rounded = new Uint8Array(expertRowByteLength(found.entry));
    measured.set(`${layer}/${expert}`, MATRIX_NAMES.map((name) => {
      const [from, to] = [found.original[name], found.entry[name]];
      checkBlocks(original, rounding, `${name} of layer ${layer}`, from.cols);
      const x = decodeMatrix(row, from);
      const y = rounding.round(x, from.rows, from.cols);
      rounded.set(packRows(format, encodeExactly(y, to, rounding), to.rows, to.cols), to.byteOffset);
      return statisticsOf(x, y, rounding.bitsPerWeight);
    }));
    return rounded;
  };

  return {
    manifest,
    readDense: (...range) => source.readDense(...range),
    readExpertRow,
    readTierRow: (...row) => source.readTierRow(...row),
    close: () => source.close(),
    async statistics(signal) {
      for (const { layer } of expertLayers) {
        for (let expert = 0; expert < original.expertCount; expert++) {
          signal.throwIfAborted();
          if (!measured.has(`${layer}/${expert}`)) await readExpertRow(layer, expert);
        }
      }
      return meanStatistics([...measured.values()].flat());
    },
  };
}

interface MatrixStatistics extends Omit<ExpertStatistics, 'byteLength'> {
  readonly elems: number;
}

function statisticsOf(x: Float32Array, y: Float32Array, bitsPerWeight: number): MatrixStatistics {
  const sums = emptyErrorSums();
  addErrors(sums, x, y);
  return { ...errorStatsOf(sums), bitsPerWeight };
}

function meanStatistics(matrices: readonly MatrixStatistics[]): ExpertStatistics {
  const mean = (value: (m: MatrixStatistics) => number): number =>
    matrices.reduce((sum, matrix) => sum + value(matrix), 0) / matrices.length;
  const elems = matrices.reduce((sum, matrix) => sum + matrix.elems, 0);
  const bits = matrices.reduce((sum, matrix) => sum + matrix.elems * matrix.bitsPerWeight, 0);
  return {
    bitsPerWeight: bits / elems, byteLength: bits / 8,
    relativeRms: mean((m) => m.relativeRms), cosine: mean((m) => m.cosine),
    signBias: mean((m) => m.signBias), meanError: mean((m) => m.meanError),
  };
}

function layerIn(entry: ExpertLayerEntry, format: 'F32' | 'BF16'): ExpertLayerEntry {
  let end = 0;
  const place = ({ rows, cols }: ExpertMatrixEntry): ExpertMatrixEntry => {
    const { byteLength } = packedLayout(format, rows, cols);
    const byteOffset = alignUp(end, PLANE_ALIGN_BYTES);
    end = byteOffset + byteLength;
    return { format, rows, cols, byteOffset, byteLength };
  };
  return { layer: entry.layer, gate: place(entry.gate), up: place(entry.up), down: place(entry.down) };
}

function decodeMatrix(row: Uint8Array, { format, rows, cols, byteOffset, byteLength }: ExpertMatrixEntry): Float32Array {
  const layout = packedLayout(format, rows, cols);
  return decodePackedRows(layout, planeViews(layout, row.subarray(byteOffset, byteOffset + byteLength)), 0, rows);
}

/** @throws Error where BF16 would round once more: then the figures would not be the format's. */
function encodeExactly(y: Float32Array, { format, rows, cols }: ExpertMatrixEntry, rounding: Rounding): Uint8Array {
  const bits = new Uint32Array(y.buffer, y.byteOffset, y.length);
  if (format === 'BF16' && bits.some((word) => (word & 0xffff) !== 0)) {
    throw new Error(`${rounding.name} gives values that BF16 doesn't hold`);
  }
  return encodeRows(format, y, rows, cols);
}

function checkBlocks({ name }: Manifest, rounding: Rounding, matrix: string, cols: number): void {
  if (cols % rounding.blockElems === 0) return;
  throw new ModelFormatError(
    `${name}: a row of the experts' ${matrix} has ${cols} weights, which is no multiple of the ${rounding.name} block of ` +
    `${rounding.blockElems}`);
}
