/** Measuring the open model's quality in the worker, and the baseline that is kept between models. */
import type { Engine } from '../engine/engine.ts';
import { LogitRecording, RecordingTooLongError } from '../engine/evaluate_baseline.ts';
import type { WindowOptions } from '../engine/evaluate_windows.ts';
import type { QualityRequest, QualityResult } from './api.ts';

/** Memory of the baseline's logits: 8,192 tokens of a vocabulary of 8,192, some 440 of one of 150,000. */
export const MAX_BASELINE_BYTES = 256 * 2 ** 20;

export interface QualityMeter {
  /** @throws RangeError where the text is too short; what Engine.evaluate throws; the signal's reason. */
  measure(
    engine: Engine, request: QualityRequest, onProgress: (done: number, total: number) => void, signal: AbortSignal,
  ): Promise<QualityResult>;
}

export function createQualityMeter(now: () => number, maxBaselineBytes: number = MAX_BASELINE_BYTES): QualityMeter {
  let kept: { readonly modelName: string; readonly recording: LogitRecording } | null = null;
  return {
    async measure(engine, request, onProgress, signal) {
      const { modelName, contextLength: openedWith } = engine.info;
      const { tokens, bosToken } = engine.encodeText(request.text);
      const contextLength = Math.min(request.contextLength, openedWith);
      const windows: WindowOptions = { contextLength, stride: contextLength, scored: 'new', bosToken };
      const before = kept;
      const refusal = before?.recording.refusal(engine.vocabSize, tokens, windows) ?? null;
      const baseline = before !== null && refusal === null ? before : null;
      const { recording, problem } = request.keepAsBaseline
        ? newRecording(engine.vocabSize, tokens, windows, maxBaselineBytes)
        : { recording: null, problem: null };
      const started = now();
      const evaluation = await engine.evaluate({
        tokens, windows, baseline: baseline?.recording ?? null, recording, onProgress, signal,
      });
      if (recording !== null) kept = { modelName, recording };
      return {
        modelName, contextLength, evaluation,
        seconds: (now() - started) / 1000,
        baselineName: baseline?.modelName ?? null,
        notCompared: refusal === null || before === null ? null : `Not compared with ${before.modelName}: ${refusal}`,
        notKept: problem,
      };
    },
  };
}

/** A text that is too long to be kept is still measured; the sentence says what was not done. */
function newRecording(
  vocabSize: number, tokens: readonly number[], windows: WindowOptions, maxByteLength: number,
): { readonly recording: LogitRecording | null; readonly problem: string | null } {
  try {
    return { recording: new LogitRecording(vocabSize, tokens, windows, maxByteLength), problem: null };
  } catch (error) {
    if (!(error instanceof RecordingTooLongError)) throw error;
    return { recording: null, problem: `Not kept as a baseline: ${error.message}` };
  }
}
