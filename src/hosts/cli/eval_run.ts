/** Scores one model after the other on the same text, each against the first. */
import { basename } from 'node:path';
import type { Backend } from '../../compute/ops.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import type { Evaluation } from '../../engine/evaluate.ts';
import { LogitRecording, recordingByteLength, type BaselineLogits } from '../../engine/evaluate_baseline.ts';
import { evaluationWindows, scoredTokens, type WindowOptions } from '../../engine/evaluate_windows.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { openNodeModel } from '../node_model.ts';
import { countRoutedTokens, expertKey, hottestExperts, type RoutedCounts } from './eval_calibration.ts';
import { expertErrors, expertSize, NO_ERRORS, type ExpertErrors, type ExpertSize } from './eval_expert_statistics.ts';
import { createRoundedSource, type RoundingOf } from './eval_rounded_source.ts';
import type { ExpertVariant } from './eval_variants.ts';

export interface EvalEntry {
  readonly modelPath: string;
  readonly variant: ExpertVariant;
}

export interface EvalSettings {
  readonly text: string;
  readonly windows: Omit<WindowOptions, 'bosToken'>;
  /** Tokens at the start of the text that calibrate tiered variants and aren't scored. */
  readonly calibrationTokens: number;
  /** Tokens after those that are looked at, at most. */
  readonly maxTokens: number | null;
}

export interface EvalRow {
  /** Name of its file or folder. */
  readonly model: string;
  readonly architecture: string;
  readonly experts: string;
  /** null for a model without experts. */
  readonly expertSize: ExpertSize | null;
  /** Of the experts' weights against those of the first entry; null where they can't be compared. */
  readonly expertErrors: ExpertErrors | null;
  readonly evaluation: Evaluation;
  readonly seconds: number;
}

export interface EvalServices {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** Where the baseline's logits would take more, its model stays open and runs in step with each other one. */
  readonly maxRecordingByteLength: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly onProgress: (what: string, done: number, total: number) => void;
}

/**
 * Scores all entries in order; each but the first is compared with the first.
 * @throws Error with a sentence where a model can't be opened, scored or compared
 */
export async function evaluateEntries(
  entries: readonly EvalEntry[], settings: EvalSettings, services: EvalServices,
): Promise<EvalRow[]> {
  const rows: EvalRow[] = [];
  const openSource = sourceOpener(settings, services.signal);
  let baseline: BaselineLogits | null = null;
  let baselineEngine: Engine | null = null;
  try {
    for (const entry of entries) {
      const opened = await openSource(entry);
      const engine = await openEngine(opened, entry, settings, services);
      let keepOpen = false;
      try {
        const { score, recording } = await scoreEntry(engine, entry, settings, services, baseline);
        const errors = opened.size === null ? null
          : entry === entries[0] ? NO_ERRORS : await errorsAgainst(entries[0], opened.source, openSource, services.signal);
        rows.push({ ...score, expertSize: opened.size, expertErrors: errors });
        if (baseline === null && entries.length > 1) {
          keepOpen = recording === null;
          baseline = recording ?? engine.asBaseline();
          if (keepOpen) baselineEngine = engine;
        }
      } finally {
        if (!keepOpen) await engine.dispose();
      }
    }
  } finally {
    baseline?.dispose();
    await baselineEngine?.dispose();
  }
  return rows;
}

interface OpenedSource {
  readonly source: ModelSource;
  /** null for a model without experts. */
  readonly size: ExpertSize | null;
}

type SourceOpener = (entry: EvalEntry) => Promise<OpenedSource>;

/** Opens models with their experts rounded; counts routed tokens once a model, however many variants need them. */
function sourceOpener(settings: EvalSettings, signal: AbortSignal): SourceOpener {
  const counted = new Map<string, Promise<RoutedCounts>>();
  const count = async (modelPath: string): Promise<RoutedCounts> => {
    const { source } = await openNodeModel(modelPath);
    return countRoutedTokens(source, settings.text, settings.calibrationTokens, settings.windows.contextLength, signal);
  };
  return async ({ modelPath, variant }) => {
    const { source } = await openNodeModel(modelPath);
    const { manifest } = source;
    if (manifest.expertLayers.length === 0) return { source, size: null };
    if (variant.kind === 'keep') return { source, size: expertSize(manifest, null) };
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
    return { source: createRoundedSource(source, roundingOf, format), size: expertSize(manifest, roundingOf) };
  };
}

function openEngine(
  { source }: OpenedSource, { variant }: EvalEntry, { windows }: EvalSettings, { backend, signal, onProgress }: EvalServices,
): Promise<Engine> {
  return createEngine({
    backend, source, contextLength: windows.contextLength, signal,
    onProgress: ({ stage, done, total }) => onProgress(`${source.manifest.name} ${variant.name}: ${stage}`, done, total),
  });
}

async function errorsAgainst(
  first: EvalEntry, source: ModelSource, openSource: SourceOpener, signal: AbortSignal,
): Promise<ExpertErrors | null> {
  const original = await openSource(first);
  try {
    return await expertErrors(original.source, source, signal);
  } finally {
    await original.source.close();
  }
}

async function scoreEntry(
  engine: Engine, { modelPath, variant }: EvalEntry, settings: EvalSettings, services: EvalServices, baseline: BaselineLogits | null,
): Promise<{ score: Omit<EvalRow, 'expertSize' | 'expertErrors'>; recording: LogitRecording | null }> {
  const { signal, maxRecordingByteLength, clock, onProgress } = services;
  const { modelName, architecture } = engine.info;
  const encoded = engine.encodeText(settings.text);
  const { calibrationTokens, maxTokens } = settings;
  const tokens = encoded.tokens.slice(calibrationTokens, maxTokens === null ? undefined : calibrationTokens + maxTokens);
  const windows: WindowOptions = { ...settings.windows, bosToken: encoded.bosToken };
  const bytes = recordingByteLength(engine.vocabSize, scoredTokens(evaluationWindows(tokens, windows)));
  const recording = baseline === null && bytes <= maxRecordingByteLength
    ? new LogitRecording(engine.vocabSize, tokens, windows, maxRecordingByteLength) : null;
  const started = clock();
  const evaluation = await engine.evaluate({
    tokens, windows, baseline, recording, signal,
    onProgress: (done, total) => onProgress(`${modelName} ${variant.name}: scoring`, done, total),
  });
  const seconds = (clock() - started) / 1000;
  // Requantised copies share the name that their metadata give.
  return { score: { model: basename(modelPath), architecture, experts: variant.name, evaluation, seconds }, recording };
}
