/** What turning a model's experts into fewer bits lost: measured while importing, stored with the model. */
import type { WeightFormatName } from '../quant/formats.ts';
import { damaged } from './stored_json.ts';

/** How an import may store the experts: as they are, in W2, in W2 with an FP4 copy of each row, or in W3. */
export const EXPERT_CONVERSIONS = ['keep', 'w2', 'w2+fp4', 'w3'] as const;
export type ExpertConversion = (typeof EXPERT_CONVERSIONS)[number];

/** A stored conversion; models stored before there was one have none. @throws StorageError for another value */
export function conversionOf(value: unknown, where: string): ExpertConversion {
  if (value === undefined) return 'keep';
  const found = EXPERT_CONVERSIONS.find((conversion) => conversion === value);
  if (!found) throw damaged(`${where}: unknown conversion`);
  return found;
}

/** Format of the experts that run by default, and of the second tier where there is one. */
export const CONVERSION_FORMATS: Readonly<Record<
  Exclude<ExpertConversion, 'keep'>, { readonly experts: WeightFormatName; readonly tier: WeightFormatName | null }
>> = {
  'w2': { experts: 'W2', tier: null },
  'w2+fp4': { experts: 'W2', tier: 'MXFP4' },
  'w3': { experts: 'W3', tier: null },
};

/** One matrix (gate, up or down) of all experts of a layer. */
export interface MatrixReport {
  readonly from: WeightFormatName;
  readonly to: WeightFormatName;
  /** RMS of the error over the RMS of the weights, by expert. */
  readonly relativeRms: readonly number[];
  /** Cosine between original and converted weights, by expert. */
  readonly cosine: readonly number[];
  /** Mean over all weights of sign(converted) − sign(original): 0 where signs are balanced, at most ±2. */
  readonly signBias: number;
  /** Mean error over the RMS of the weights: what adds up over a layer's inputs. */
  readonly meanError: number;
}

export interface LayerReport {
  readonly layer: number;
  readonly gate: MatrixReport;
  readonly up: MatrixReport;
  readonly down: MatrixReport;
}

export interface ConversionReport {
  readonly formatVersion: 1;
  readonly conversion: Exclude<ExpertConversion, 'keep'>;
  /** The experts that run by default, by layer. */
  readonly layers: readonly LayerReport[];
  /** The same for the second tier; null where there is none. */
  readonly tierLayers: readonly LayerReport[] | null;
}
