/** What a conversion report says in a few numbers, and as a table for other programs. */
import type { ConversionReport, LayerReport, MatrixReport } from '../../storage/conversion_report.ts';

export const EXPERT_MATRICES = ['gate', 'up', 'down'] as const;
export type ExpertMatrix = (typeof EXPERT_MATRICES)[number];

/** Of those values that are finite; all NaN where none is. */
export interface Spread {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export interface TierSummary {
  /** Matrices of single experts: layers × 3 × experts. */
  readonly matrixCount: number;
  readonly relativeRms: Spread;
  readonly cosine: Spread;
  /** Mean over layers and matrices. */
  readonly signBias: number;
  readonly meanError: number;
}

export interface ExpertError {
  readonly layer: number;
  readonly matrix: ExpertMatrix;
  readonly expert: number;
  readonly relativeRms: number;
  readonly cosine: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { mean: NaN, min: NaN, max: NaN };
  let [sum, min, max] = [0, Infinity, -Infinity];
  for (const value of finite) {
    sum += value;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { mean: sum / finite.length, min, max };
}

/** @param layers of a report: those of the default experts, or of the second tier */
export function summaryOf(layers: readonly LayerReport[]): TierSummary {
  const matrices = layers.flatMap((layer) => EXPERT_MATRICES.map((matrix): MatrixReport => layer[matrix]));
  const all = matrices.flatMap((matrix) => matrix.relativeRms);
  return {
    matrixCount: all.length,
    relativeRms: spreadOf(all),
    cosine: spreadOf(matrices.flatMap((matrix) => matrix.cosine)),
    signBias: spreadOf(matrices.map((matrix) => matrix.signBias)).mean,
    meanError: spreadOf(matrices.map((matrix) => matrix.meanError)).mean,
  };
}

/** The experts' matrices with the largest relative RMS, worst first; one that has no number at all is worst. */
export function worstExperts(layers: readonly LayerReport[], count: number): readonly ExpertError[] {
  const severity = ({ relativeRms }: ExpertError): number => (Number.isFinite(relativeRms) ? relativeRms : Infinity);
  return expertErrors(layers)
    .sort((a, b) => (severity(a) === severity(b) ? 0 : severity(b) - severity(a)))
    .slice(0, count);
}

function expertErrors(layers: readonly LayerReport[]): ExpertError[] {
  return layers.flatMap((layer) => EXPERT_MATRICES.flatMap((matrix) => layer[matrix].relativeRms.map((relativeRms, expert) => ({
    layer: layer.layer, matrix, expert, relativeRms, cosine: layer[matrix].cosine[expert],
  }))));
}

/** One line for each expert's matrix; sign bias and mean error are those of the matrix over all experts of its layer. */
export function reportCsv({ layers, tierLayers }: ConversionReport): string {
  const lines = ['tier,layer,matrix,expert,from,to,relative_rms,cosine,matrix_sign_bias,matrix_mean_error'];
  for (const [tier, tierReports] of [['default', layers], ['second', tierLayers ?? []]] as const) {
    for (const layer of tierReports) {
      for (const { matrix, expert, relativeRms, cosine } of expertErrors([layer])) {
        const { from, to, signBias, meanError } = layer[matrix];
        lines.push([tier, layer.layer, matrix, expert, from, to, relativeRms, cosine, signBias, meanError].join(','));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

/** 0.36149 → '0.361'; what is no finite number is '–'. */
export function formatShare(value: number, digits = 3): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

/** With its sign, and a real minus: 0.0002 → '+0.0002', −0.001 → '−0.0010', 0 → '0.0000'. */
export function formatBias(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = Math.abs(value).toFixed(4);
  if (Number(text) === 0) return text;
  return (value > 0 ? '+' : '−') + text;
}
