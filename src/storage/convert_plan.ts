/** Which of a plan's experts a conversion changes, and to what. */
import type { ExpertLayerPlan, MatrixSlice, ModelPlan } from '../formats/model_plan.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import type { ExpertConversion } from './conversion_report.ts';
import { EXPERT_MATRICES } from './origin.ts';

/** A plan as it is to be stored. A plain ModelPlan is one that keeps its experts as they are. */
export interface StoragePlan extends ModelPlan {
  /** What was done to `experts`; 'keep' where absent. */
  readonly conversion?: ExpertConversion;
  /** The experts once more, in the format of the second tier; null or absent where there is none. */
  readonly tier?: readonly ExpertLayerPlan[] | null;
}

/** Bits that one weight takes in files, scales included. */
export function bitsPerWeight(format: WeightFormatName): number {
  const { blockByteLength, blockElems } = WEIGHT_FORMATS[format];
  return (8 * blockByteLength) / blockElems;
}

/** Mean over all expert weights; 0 without experts. */
export function expertBitsPerWeight(plan: ModelPlan): number {
  let byteLength = 0;
  let elems = 0;
  for (const slice of expertSlices(plan)) {
    byteLength += slice.byteLength;
    elems += slice.rows * slice.cols;
  }
  return elems === 0 ? 0 : (8 * byteLength) / elems;
}

export function* expertSlices(plan: ModelPlan): Generator<MatrixSlice> {
  for (const layer of plan.experts) for (const name of EXPERT_MATRICES) yield* layer[name];
}
