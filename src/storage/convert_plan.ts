/** Which of a plan's experts a conversion changes, and to what. */
import { ModelFormatError } from '../formats/checkpoint.ts';
import type { ExpertLayerPlan, MatrixSlice, ModelPlan } from '../formats/model_plan.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import { CONVERSION_FORMATS, type ExpertConversion } from './conversion_report.ts';
import { ConversionStream, type ConversionLimits } from './conversion_stream.ts';
import type { ExpertConverter } from './expert_converter.ts';
import { EXPERT_MATRICES, type ExpertMatrixName } from './origin.ts';
import { checkPlan } from './plan_check.ts';

/** A plan as it is to be stored. A plain ModelPlan is one that keeps its experts as they are. */
export interface StoragePlan extends ModelPlan {
  /** What was done to `experts`; absent where they are as they were. */
  readonly conversion?: {
    readonly kind: Exclude<ExpertConversion, 'keep'>;
    /** Formats that the experts had, by layer. */
    readonly from: readonly Readonly<Record<ExpertMatrixName, WeightFormatName>>[];
  };
  /** The experts once more, in the second tier's format; null or absent where there is none. */
  readonly tier?: readonly ExpertLayerPlan[] | null;
}

/**
 * Why a plan's experts can't be converted so, as a clause ('it has no experts'); null where they can.
 * A matrix that has no more bits than the conversion would give it stays as it is; one such is no reason to refuse.
 */
export function conversionRefusal(plan: ModelPlan, conversion: ExpertConversion): string | null {
  if (conversion === 'keep') return null;
  const { experts, tier } = CONVERSION_FORMATS[conversion];
  const slices = [...expertSlices(plan)];
  if (slices.length === 0) return 'it has no experts';
  const bits = expertBitsPerWeight(plan);
  if (slices.every(({ format }) => bitsPerWeight(format) <= bitsPerWeight(experts))) {
    return `its experts have ${round(bits)} bits a weight already`;
  }
  if (tier !== null && bits < bitsPerWeight(tier)) {
    return `its experts have ${round(bits)} bits a weight, fewer than the second tier's ${round(bitsPerWeight(tier))}`;
  }
  for (const format of tier === null ? [experts] : [experts, tier]) {
    const { blockElems } = WEIGHT_FORMATS[format];
    const odd = slices.find(({ cols }) => cols % blockElems !== 0);
    if (odd) return `a row of its experts has ${odd.cols} weights, no multiple of ${blockElems}`;
  }
  return null;
}

/**
 * The plan with converted experts. No weight is read before one of theirs is; reading them in the order of the pack
 * (layer by layer, expert by expert, first the experts' own slices and then those of the tier) is fastest.
 * @throws ModelFormatError where the plan doesn't fit its files or conversionRefusal says why not
 */
export function convertPlan(
  plan: ModelPlan, conversion: ExpertConversion, converter: ExpertConverter, limits?: ConversionLimits,
): StoragePlan {
  if (conversion === 'keep') return plan;
  checkPlan(plan);
  const refusal = conversionRefusal(plan, conversion);
  if (refusal !== null) throw new ModelFormatError(`The experts of ${plan.name} can't be converted: ${refusal}.`);
  const { experts: expertFormat, tier: tierFormat } = CONVERSION_FORMATS[conversion];
  const stream = new ConversionStream(converter, limits);
  const experts: MutableLayer[] = [];
  const tier: MutableLayer[] = [];
  plan.experts.forEach((layer, layerIndex) => {
    experts.push({ layer: layer.layer, gate: [], up: [], down: [] });
    tier.push({ layer: layer.layer, gate: [], up: [], down: [] });
    for (let expert = 0; expert < layer.gate.length; expert++) {
      for (const name of EXPERT_MATRICES) {
        const slice = layer[name][expert];
        const changed = isChanged(layer[name], expertFormat) && slice.format !== expertFormat;
        const tierChanged = tierFormat !== null && slice.format !== tierFormat;
        const targets = [...(changed ? [expertFormat] : []), ...(tierChanged ? [tierFormat] : [])];
        const group = layerIndex * layer.gate.length + expert;
        const converted = targets.length > 0 ? stream.add(slice, targets, group) : [];
        experts[layerIndex][name].push(changed ? converted[0] : slice);
        tier[layerIndex][name].push(tierChanged ? converted.at(-1)! : slice);
      }
    }
  });
  return {
    ...plan,
    experts,
    tier: tierFormat === null ? null : tier,
    conversion: { kind: conversion, from: plan.experts.map(formatsOf) },
  };
}

type MutableLayer = { readonly layer: number } & Record<ExpertMatrixName, MatrixSlice[]>;

/** One matrix of a layer is converted for all its experts or for none, so that they stay alike. */
function isChanged(slices: readonly MatrixSlice[], target: WeightFormatName): boolean {
  return slices.some(({ format }) => bitsPerWeight(format) > bitsPerWeight(target));
}

function formatsOf(layer: ExpertLayerPlan): Record<ExpertMatrixName, WeightFormatName> {
  return { gate: layer.gate[0].format, up: layer.up[0].format, down: layer.down[0].format };
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

function round(bits: number): number {
  return Math.round(bits * 100) / 100;
}
