/** Scores one model after the other on the same text, each against the first. */
import type { Backend } from '../../compute/ops.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import type { Evaluation } from '../../engine/evaluate.ts';
import { LogitRecording, recordingByteLength, type BaselineLogits } from '../../engine/evaluate_baseline.ts';
import { evaluationWindows, scoredTokens, type WindowOptions } from '../../engine/evaluate_windows.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { openNodeModel } from '../node_model.ts';
import { countRoutedTokens, expertKey, hottestExperts, type RoutedCounts } from './eval_calibration.ts';
import { createRoundedSource, keptStatistics, type ExpertStatistics, type RoundingOf } from './eval_rounded_source.ts';
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
  readonly model: string;
  readonly architecture: string;
  readonly experts: string;
  /** null for a model without experts. */
  readonly expertWeights: ExpertStatistics | null;
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
  const routed = new Map<string, Promise<RoutedCounts>>();
  let baseline: BaselineLogits | null = null;
  let baselineEngine: Engine | null = null;
  try {
    for (const entry of entries) {
      const run = await openEntry(entry, settings, services, routed);
      let keepOpen = false;
      try {
        const { row, recording } = await scoreEntry(run, entry, settings, services, baseline);
        rows.push(row);
        if (baseline === null && entries.length > 1) {
          keepOpen = recording === null;
          baseline = recording ?? run.engine.asBaseline();
          if (keepOpen) baselineEngine = run.engine;
        }
      } finally {
        if (!keepOpen) await run.engine.dispose();
      }
    }
  } finally {
    baseline?.dispose();
    await baselineEngine?.dispose();
  }
  return rows;
}

interface OpenedEntry {
  readonly engine: Engine;
  /** Called before the engine is disposed, which closes the source. */
  readonly statistics: () => Promise<ExpertStatistics | null>;
}

async function openEntry(
  { modelPath, variant }: EvalEntry, settings: EvalSettings, services: EvalServices, routed: Map<string, Promise<RoutedCounts>>,
): Promise<OpenedEntry> {
  const { backend, signal, onProgress } = services;
  const { source } = await openNodeModel(modelPath);
  const { manifest } = source;
  const open = (opened: ModelSource): Promise<Engine> => createEngine({
    backend, source: opened, contextLength: settings.windows.contextLength, signal,
    onProgress: ({ stage, done, total }) => onProgress(`${manifest.name} ${variant.name}: ${stage}`, done, total),
  });
  if (variant.kind === 'keep' || manifest.expertLayers.length === 0) {
    return { engine: await open(source), statistics: async () => manifest.expertLayers.length === 0 ? null : keptStatistics(manifest) };
  }
  let roundingOf: RoundingOf;
  if (variant.kind === 'all') {
    roundingOf = () => variant.rounding;
  } else {
    const counts = await (routed.get(modelPath) ?? calibrate(modelPath, settings, signal, routed));
    const layers = manifest.expertLayers.map(({ layer }) => layer);
    const hot = hottestExperts(counts, layers, manifest.expertCount, variant.hotShare);
    roundingOf = (layer, expert) => hot.has(expertKey(layer, expert)) ? variant.hot : variant.cold;
  }
  const roundings = variant.kind === 'all' ? [variant.rounding] : [variant.hot, variant.cold];
  const rounded = createRoundedSource(source, roundingOf, roundings.every(({ fitsBf16 }) => fitsBf16) ? 'BF16' : 'F32');
  return { engine: await open(rounded), statistics: () => rounded.statistics(signal) };
}

/** Counts once a model, however many variants need it. */
function calibrate(
  modelPath: string, settings: EvalSettings, signal: AbortSignal, routed: Map<string, Promise<RoutedCounts>>,
): Promise<RoutedCounts> {
  const counting = openNodeModel(modelPath).then(({ source }) => countRoutedTokens(
    source, settings.text, settings.calibrationTokens, settings.windows.contextLength, signal));
  routed.set(modelPath, counting);
  return counting;
}

async function scoreEntry(
  { engine, statistics }: OpenedEntry, { variant }: EvalEntry, settings: EvalSettings, services: EvalServices,
  baseline: BaselineLogits | null,
): Promise<{ row: EvalRow; recording: LogitRecording | null }> {
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
  const row = { model: modelName, architecture, experts: variant.name, expertWeights: await statistics(), evaluation, seconds };
  return { row, recording };
}
