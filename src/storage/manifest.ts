/**
 * From a model plan to the manifest of its pack: which weight lies where. The importer writes packs by it and the
 * direct source serves reads by it, so both agree byte for byte.
 */
import { ModelFormatError } from '../formats/checkpoint.ts';
import type { DensePlan, ExpertLayerPlan, MatrixSlice } from '../formats/model_plan.ts';
import { WEIGHT_FORMATS } from '../quant/formats.ts';
import { alignUp, packedLayout, PLANE_ALIGN_BYTES } from '../quant/packed.ts';
import type { StoragePlan } from './convert_plan.ts';
import type { DenseEntry, ExpertLayerEntry, ExpertMatrixEntry, Manifest } from './model_source.ts';

/** Dense tensors start on this boundary: WebGPU's largest minStorageBufferOffsetAlignment. */
export const DENSE_ALIGN_BYTES = 256;
/** Expert rows start on this boundary, so that a load is whole pages of the pack file. */
export const EXPERT_ROW_ALIGN_BYTES = 4096;

/**
 * Lays out a plan's weights.
 * @throws ModelFormatError naming the tensor where a row is no whole number of blocks, or where the experts of one
 *   layer differ in format or shape.
 */
export function manifestFromPlan(plan: StoragePlan): Manifest {
  const { entries: dense, byteLength: denseByteLength } = layOutDense(plan.dense);
  const expertLayers = plan.experts.map(layOutExpertLayer);
  const tierLayers = plan.tier?.map(layOutExpertLayer) ?? null;
  return {
    formatVersion: 1,
    name: plan.name,
    architecture: plan.architecture,
    container: plan.container,
    hyperparameters: plan.hyperparameters,
    tokenizer: plan.tokenizer,
    chatTemplate: plan.chatTemplate,
    sourceFiles: plan.sourceFiles,
    conversion: plan.conversion?.kind ?? 'keep',
    dense,
    denseByteLength,
    expertCount: plan.hyperparameters.expertCount,
    expertLayers,
    expertStrideByteLength: strideOf(expertLayers),
    tier: tierLayers && { layers: tierLayers, strideByteLength: strideOf(tierLayers) },
  };
}

/** Bytes of a row that holds one expert of any of these layers. */
function strideOf(layers: readonly ExpertLayerEntry[]): number {
  const longestRow = layers.reduce((most, layer) => Math.max(most, expertRowByteLength(layer)), 0);
  return alignUp(longestRow, EXPERT_ROW_ALIGN_BYTES);
}

/** Bytes of one expert's gate, up and down in this layer, without the padding up to the stride. */
export function expertRowByteLength(layer: ExpertLayerEntry): number {
  return layer.down.byteOffset + layer.down.byteLength;
}

function layOutDense(plans: readonly DensePlan[]): { entries: DenseEntry[]; byteLength: number } {
  let byteOffset = 0;
  const entries = plans.map(({ name, slice }) => {
    const byteLength = packedByteLength(slice);
    const entry = { name, format: slice.format, rows: slice.rows, cols: slice.cols, byteOffset, byteLength };
    byteOffset = alignUp(byteOffset + byteLength, DENSE_ALIGN_BYTES);
    return entry;
  });
  return { entries, byteLength: byteOffset };
}

function layOutExpertLayer(plan: ExpertLayerPlan): ExpertLayerEntry {
  let byteOffset = 0;
  const place = (slices: readonly MatrixSlice[]): ExpertMatrixEntry => {
    const first = commonSlice(slices);
    const byteLength = packedByteLength(first);
    const entry = { format: first.format, rows: first.rows, cols: first.cols, byteOffset, byteLength };
    byteOffset = alignUp(byteOffset + byteLength, PLANE_ALIGN_BYTES);
    return entry;
  };
  return { layer: plan.layer, gate: place(plan.gate), up: place(plan.up), down: place(plan.down) };
}

/** The slice that stands for all experts of a layer; a row layout is stored once a layer, so they must agree. */
function commonSlice(slices: readonly MatrixSlice[]): MatrixSlice {
  const first = slices[0];
  for (const slice of slices) {
    if (slice.format !== first.format || slice.rows !== first.rows || slice.cols !== first.cols) {
      throw new ModelFormatError(
        `${slice.source.name}: ${slice.tensor} is ${slice.format} [${slice.rows}, ${slice.cols}] but ${first.tensor} ` +
        `is ${first.format} [${first.rows}, ${first.cols}]; all experts of a layer must share one format and shape`);
    }
  }
  return first;
}

function packedByteLength(slice: MatrixSlice): number {
  const { blockElems } = WEIGHT_FORMATS[slice.format];
  if (slice.cols % blockElems !== 0) {
    throw new ModelFormatError(
      `${slice.source.name}: a row of ${slice.tensor} has ${slice.cols} weights, which is no multiple of the ` +
      `${slice.format} block of ${blockElems}`);
  }
  return packedLayout(slice.format, slice.rows, slice.cols).byteLength;
}
