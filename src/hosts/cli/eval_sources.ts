/** Opens the models of `hotset eval` with their experts as a variant wants them. */
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { openNodeModel } from '../node_model.ts';
import { countRoutedTokens, expertKey, hottestExperts, type RoutedCounts } from './eval_calibration.ts';
import { expertSize, tieredSize, type ExpertSize } from './eval_expert_statistics.ts';
import { createRoundedSource, type RoundingOf } from './eval_rounded_source.ts';
import type { EvalEntry, EvalSettings } from './eval_run.ts';
import type { ExpertVariant } from './eval_variants.ts';

export interface OpenedSource {
  readonly source: ModelSource;
  /** null for a model without experts. */
  readonly size: ExpertSize | null;
  /** Whether the experts are in the format that is measured; else BF16 or F32 holds its values. */
  readonly isOwnFormat: boolean;
}

export type SourceOpener = (entry: EvalEntry) => Promise<OpenedSource>;

/** Counts routed tokens once a model, however many variants need them. */
export function sourceOpener(settings: EvalSettings, signal: AbortSignal): SourceOpener {
  const counted = new Map<string, Promise<RoutedCounts>>();
  const count = async (modelPath: string): Promise<RoutedCounts> => {
    const { source } = await openNodeModel(modelPath);
    return countRoutedTokens(source, settings.text, settings.calibrationTokens, settings.windows.contextLength, signal);
  };
  return async ({ modelPath, variant }) => {
    const conversion = conversionFor(variant, settings.decodes);
    const { source } = await openNodeModel(modelPath, conversion);
    const { manifest } = source;
    if (manifest.expertLayers.length === 0) return { source, size: null, isOwnFormat: true };
    if (variant.kind === 'live') return { source, size: tieredSize(manifest, variant.approximations.tierShare), isOwnFormat: true };
    if (variant.kind === 'keep' || conversion !== 'keep') return { source, size: expertSize(manifest, null), isOwnFormat: true };
    let roundingOf: RoundingOf;
    if (variant.kind === 'all') {
      roundingOf = () => variant.rounding;
    } else {
      const counting = counted.get(modelPath) ?? count(modelPath);
      counted.set(modelPath, counting);
      const layers = manifest.expertLayers.map(({ layer }) => layer);
      const hot = hottestExperts(await counting, layers, manifest.expertCount, variant.hotShare);
      roundingOf = (layer, expert) => hot.has(expertKey(layer, expert)) ? variant.hot : variant.cold;
    }
    const roundings = variant.kind === 'all' ? [variant.rounding] : [variant.hot, variant.cold];
    const format = roundings.every(({ fitsBf16 }) => fitsBf16) ? 'BF16' : 'F32';
    return { source: createRoundedSource(source, roundingOf, format), size: expertSize(manifest, roundingOf), isOwnFormat: false };
  };
}

/** What an import would make of the experts, where the model is to run as imported. */
function conversionFor(variant: ExpertVariant, decodes: boolean): ExpertConversion {
  if (variant.kind === 'live') return variant.conversion;
  const name = decodes && variant.kind === 'all' ? variant.rounding.name : null;
  return name === 'W2' ? 'w2' : name === 'W3' ? 'w3' : 'keep';
}
