/**
 * A model source whose experts are rounded to another format on the way, for measuring what the format costs. Rows
 * come as F32 or BF16 that hold exactly the rounded values, so any format can be measured on any back end.
 */
import { ModelFormatError } from '../../formats/checkpoint.ts';
import type { WeightRun } from '../../quant/convert.ts';
import { encodeRows, packRows, tensorScaleOf, unpackRows } from '../../quant/pack.ts';
import { alignUp, packedLayout, PLANE_ALIGN_BYTES } from '../../quant/packed.ts';
import { EXPERT_ROW_ALIGN_BYTES, expertRowByteLength } from '../../storage/manifest.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, Manifest, ModelSource } from '../../storage/model_source.ts';
import type { Rounding } from './eval_variants.ts';

export type RoundingOf = (layer: number, expert: number) => Rounding;

const MATRIX_NAMES = ['gate', 'up', 'down'] as const;

/**
 * @param roundingOf each expert's rounding
 * @param format what the rows come in; BF16 only where every rounding fits it
 * @throws ModelFormatError where a matrix is no whole number of a rounding's blocks (at the first row that is)
 */
export function createRoundedSource(source: ModelSource, roundingOf: RoundingOf, format: 'F32' | 'BF16'): ModelSource {
  const { manifest: original } = source;
  const expertLayers = original.expertLayers.map((entry) => layerIn(entry, format));
  const longest = Math.max(0, ...expertLayers.map(expertRowByteLength));
  const layers = new Map(expertLayers.map((entry, i) => [entry.layer, { entry, original: original.expertLayers[i] }]));
  return {
    ...source,
    manifest: { ...original, expertLayers, expertStrideByteLength: alignUp(longest, EXPERT_ROW_ALIGN_BYTES) },
    async readExpertRow(layer, expert) {
      const row = await source.readExpertRow(layer, expert);
      const found = layers.get(layer)!;
      const rounding = roundingOf(layer, expert);
      const rounded = new Uint8Array(expertRowByteLength(found.entry));
      for (const name of MATRIX_NAMES) {
        const [from, to] = [found.original[name], found.entry[name]];
        checkBlocks(original, rounding, `${name} of layer ${layer}`, from.cols);
        const weights = rounding.round(runOf(row, from));
        rounded.set(packRows(format, encodeExactly(weights, to, rounding), to.rows, to.cols), to.byteOffset);
      }
      return rounded;
    },
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

function runOf(row: Uint8Array, { format, rows, cols, byteOffset, byteLength }: ExpertMatrixEntry): WeightRun {
  const packed = row.subarray(byteOffset, byteOffset + byteLength);
  const tensorScale = tensorScaleOf(packedLayout(format, rows, cols), packed);
  return { format, bytes: unpackRows(format, packed, rows, cols), elems: rows * cols, tensorScale };
}

/** @throws Error where BF16 would round once more: then the figures would not be the format's. */
function encodeExactly(weights: Float32Array, { format, rows, cols }: ExpertMatrixEntry, rounding: Rounding): Uint8Array {
  const bits = new Uint32Array(weights.buffer, weights.byteOffset, weights.length);
  if (format === 'BF16' && bits.some((word) => (word & 0xffff) !== 0)) {
    throw new Error(`${rounding.name} gives values that BF16 doesn't hold`);
  }
  return encodeRows(format, weights, rows, cols);
}

function checkBlocks({ name }: Manifest, rounding: Rounding, matrix: string, cols: number): void {
  if (cols % rounding.blockElems === 0) return;
  throw new ModelFormatError(
    `${name}: a row of the experts' ${matrix} has ${cols} weights, which is no multiple of the ${rounding.name} block of ` +
    `${rounding.blockElems}`);
}
