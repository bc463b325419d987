/** Times a loaded model: prompt and answer speed in tokens a second. */
import type { LoadedModel, Sequence, SamplingParams } from '../../src/compute/ops.ts';

export const GREEDY: SamplingParams = {
  temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 1,
};

export interface Rate {
  /** Tokens that one run processes. */
  readonly tokens: number;
  /** Each run's tokens a second, in order. */
  readonly runs: readonly number[];
  readonly median: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function rate(tokens: number, milliseconds: readonly number[]): Rate {
  const runs = milliseconds.map((ms) => (tokens / ms) * 1000);
  return { tokens, runs, median: median(runs) };
}

/** Token ids with no pattern, so that every expert gets work; the same at every call. */
export function promptTokens(length: number, vocabSize: number): number[] {
  return Array.from({ length }, (_, index) => (Math.imul(index + 1, 0x9e3779b1) >>> 8) % vocabSize);
}

const sampleOutput = { kind: 'sample', sampling: GREEDY, recentTokens: [] } as const;

/** Feeds a prompt in the largest chunks the model takes; answers the token sampled after its last one. */
async function prefill(model: LoadedModel, sequence: Sequence, tokens: readonly number[]): Promise<number> {
  let token: number | null = null;
  for (let at = 0; at < tokens.length; at += model.maxStepTokens) {
    const chunk = tokens.slice(at, at + model.maxStepTokens);
    const isLast = at + chunk.length === tokens.length;
    ({ token } = await model.step(sequence, chunk, isLast ? sampleOutput : { kind: 'none' }));
  }
  if (token === null) {
    throw new Error('the back end sampled no token');
  }
  return token;
}

/** Prompt speed: from the first chunk's submission to the sampled token's arrival. One warm-up run is left out. */
export async function measurePrefill(model: LoadedModel, length: number, vocabSize: number, runs: number): Promise<Rate> {
  const tokens = promptTokens(length, vocabSize);
  const sequence = await model.createSequence();
  const times: number[] = [];
  for (let run = 0; run <= runs; run++) {
    sequence.truncate(0);
    const start = performance.now();
    await prefill(model, sequence, tokens);
    times.push(performance.now() - start);
  }
  sequence.dispose();
  return rate(length, times.slice(1));
}

/**
 * Answer speed after a short prompt: `length` tokens, each sampled (greedy) and fed back as a chat does.
 * One warm-up run is left out.
 */
export async function measureDecode(
  model: LoadedModel, promptLength: number, length: number, vocabSize: number, runs: number,
): Promise<Rate> {
  const prompt = promptTokens(promptLength, vocabSize);
  const sequence = await model.createSequence();
  const times: number[] = [];
  for (let run = 0; run <= runs; run++) {
    sequence.truncate(0);
    let token = await prefill(model, sequence, prompt);
    const start = performance.now();
    for (let i = 0; i < length; i++) {
      const result = await model.step(sequence, [token], sampleOutput);
      token = result.token ?? 0;
    }
    times.push(performance.now() - start);
  }
  sequence.dispose();
  return rate(length, times.slice(1));
}
