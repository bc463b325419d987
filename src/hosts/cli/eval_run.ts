/** Scores one model after the other on the same text, each against the first. */
import { basename } from 'node:path';
import type { Backend } from '../../compute/ops.ts';
import { countersSince, type ResidencyCounters } from '../../compute/residency.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import type { Evaluation } from '../../engine/evaluate.ts';
import { LogitRecording, recordingByteLength, type BaselineLogits } from '../../engine/evaluate_baseline.ts';
import { evaluationWindows, scoredTokens, type WindowOptions } from '../../engine/evaluate_windows.ts';
import { EXACT } from '../../experts/approximations.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { expertErrors, NO_ERRORS, type ExpertErrors, type ExpertSize } from './eval_expert_statistics.ts';
import { sourceOpener, type OpenedSource, type SourceOpener } from './eval_sources.ts';
import type { ExpertVariant } from './eval_variants.ts';
import { expertPool } from './expert_options.ts';

export interface EvalEntry {
  readonly modelPath: string;
  readonly variant: ExpertVariant;
}

export interface EvalSettings {
  readonly text: string;
  readonly windows: Omit<WindowOptions, 'bosToken'>;
  /** Tokens at the start of the text that calibrate tiered variants, or warm a tier or a pool, and aren't scored. */
  readonly calibrationTokens: number;
  /** Every variant runs one token a step, as when it answers, and as an import would store it; live variants always do. */
  readonly decodes: boolean;
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
  /** Of the experts' weights against those of the first entry; null where they can't be compared, and with a tier. */
  readonly expertErrors: ExpertErrors | null;
  /** All that the model takes on the GPU; null on the CPU, and where other formats hold the experts' values. */
  readonly deviceByteLength: number | null;
  /** null where the text ran in batches. */
  readonly decode: DecodeFigures | null;
  readonly evaluation: Evaluation;
  readonly seconds: number;
}

export interface DecodeFigures {
  /** Of the model's steps, which here hand over all logits. */
  readonly tokensPerSecond: number;
  /** Copies of experts that came to the tier; null without one. */
  readonly promotionsPerToken: number | null;
  /** Share of the scored tokens that the precision gate ran again; null without one. */
  readonly gatedShare: number | null;
  /** Experts that tokens went without; null where none may. */
  readonly missesPerToken: number | null;
}

export interface EvalServices {
  readonly backend: Backend;
  readonly signal: AbortSignal;
  /** Where the baseline's logits would take more, its model stays open and runs in step with each other one. */
  readonly maxRecordingByteLength: number;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly onProgress: (what: string, done: number, total: number) => void;
  /** Told of each line as soon as it is there: all of them may take long. */
  readonly onRow?: (row: EvalRow) => void;
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
        const errors = opened.size === null || hasTier(entry.variant) ? null
          : entry === entries[0] ? NO_ERRORS : await errorsAgainst(entries[0], opened.source, openSource, services.signal);
        const { backend: { kind }, deviceByteLength } = engine.info;
        rows.push({
          ...score, expertSize: opened.size, expertErrors: errors,
          deviceByteLength: kind === 'reference' || !opened.isOwnFormat ? null : deviceByteLength,
        });
        services.onRow?.(rows.at(-1)!);
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

function openEngine(
  { source }: OpenedSource, { variant }: EvalEntry, { windows }: EvalSettings, { backend, signal, onProgress }: EvalServices,
): Promise<Engine> {
  return createEngine({
    backend, source, contextLength: windows.contextLength, signal,
    ...(variant.kind === 'live' ? { experts: expertPool({ share: variant.poolShare }, variant.approximations) } : {}),
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
): Promise<{ score: Omit<EvalRow, 'expertSize' | 'expertErrors' | 'deviceByteLength'>; recording: LogitRecording | null }> {
  const { signal, maxRecordingByteLength, clock, onProgress } = services;
  const { modelName, architecture } = engine.info;
  const encoded = engine.encodeText(settings.text);
  const { calibrationTokens, maxTokens } = settings;
  const tokens = encoded.tokens.slice(calibrationTokens, maxTokens === null ? undefined : calibrationTokens + maxTokens);
  const windows: WindowOptions = { ...settings.windows, bosToken: encoded.bosToken };
  const bytes = recordingByteLength(engine.vocabSize, scoredTokens(evaluationWindows(tokens, windows)));
  const recording = baseline === null && bytes <= maxRecordingByteLength
    ? new LogitRecording(engine.vocabSize, tokens, windows, maxRecordingByteLength) : null;
  const decodes = settings.decodes || variant.kind === 'live';
  if (variant.kind === 'live') await warm(engine, encoded.tokens.slice(0, calibrationTokens), windows.contextLength, signal);
  const before = engine.residency && { ...engine.residency };
  const started = clock();
  const evaluation = await engine.evaluate({
    tokens, windows, baseline, recording, signal, clock, ...(decodes ? { stepTokens: 1 } : {}),
    onProgress: (done, total) => onProgress(`${modelName} ${variant.name}: scoring`, done, total),
  });
  const seconds = (clock() - started) / 1000;
  const counters = before && engine.residency && countersSince(before, engine.residency);
  // Requantised copies share the name that their metadata give.
  const score = {
    model: basename(modelPath), architecture, experts: variant.name, evaluation, seconds,
    decode: decodes ? decodeFigures(evaluation, variant, counters) : null,
  };
  return { score, recording };
}

/** Runs tokens as answers are made, so that tier and pool hold what such a text uses. */
async function warm(engine: Engine, tokens: readonly number[], contextLength: number, signal: AbortSignal): Promise<void> {
  for (let begin = 0; begin < tokens.length; begin += contextLength) {
    signal.throwIfAborted();
    const part = tokens.slice(begin, begin + contextLength);
    await engine.logits(part, [part.length - 1], { stepwise: true });
  }
}

function decodeFigures(
  { timing, scoredTokens: scored }: Evaluation, variant: ExpertVariant, counters: ResidencyCounters | null,
): DecodeFigures {
  const { tokens, millis } = timing!;
  const { tierShare, gate, missTolerance } = variant.kind === 'live' ? variant.approximations : EXACT;
  return {
    tokensPerSecond: (tokens * 1000) / millis,
    promotionsPerToken: counters && tierShare > 0 ? counters.promotions / tokens : null,
    gatedShare: counters && gate !== null ? counters.gatedSteps / scored : null,
    missesPerToken: counters && missTolerance > 0 ? counters.toleratedMisses / tokens : null,
  };
}

/** Its experts' weights change while it runs. */
function hasTier(variant: ExpertVariant): boolean {
  return variant.kind === 'live' && variant.approximations.tierShare > 0;
}
