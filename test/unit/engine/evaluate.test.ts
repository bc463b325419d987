import { describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../src/compute/ops.ts';
import { evaluate, type EvaluationRequest } from '../../../src/engine/evaluate.ts';
import { LogitRecording, SteppedModel, stepsOf } from '../../../src/engine/evaluate_baseline.ts';
import { klDivergence, quantile, summarize } from '../../../src/engine/evaluate_stats.ts';
import { evaluationWindows, scoredTokens, type WindowOptions } from '../../../src/engine/evaluate_windows.ts';
import { createFakeBackend, type FakeBackend, type FakeBackendOptions } from '../../support/fake_backend.ts';

const VOCAB = 5;
const TOKENS = [0, 1, 2, 3, 4, 3, 2, 1, 0, 1, 2];
const WHOLE: WindowOptions = { contextLength: 16, stride: 16, scored: 'new', bosToken: null };

interface Fake {
  readonly model: LoadedModel;
  readonly backend: FakeBackend;
}

async function fakeModel(logitsAt: FakeBackendOptions['logitsAt'], more: Partial<FakeBackendOptions> = {}): Promise<Fake> {
  const backend = createFakeBackend({ tokenAt: () => 0, logitsAt, ...more });
  const model = await backend.load({} as never, { vocabSize: VOCAB } as never, { contextLength: 16 });
  return { model, backend };
}

/** Some logits that depend on position and token. */
const wavy = (phase: number) => (position: number, token: number): Float32Array =>
  Float32Array.from({ length: VOCAB }, (_, i) => 3 * Math.sin(phase + position * 1.7 + token * 0.9 + i * i));

const run = (model: LoadedModel, more: Partial<EvaluationRequest> = {}): ReturnType<typeof evaluate> =>
  evaluate(model, { tokens: TOKENS, vocabSize: VOCAB, windows: WHOLE, baseline: null, ...more });

describe('windows', () => {
  const numbers = Array.from({ length: 10 }, (_, i) => i);
  /** The tokens that are scored, window by window. */
  const scored = (options: WindowOptions): number[][] =>
    evaluationWindows(numbers, options).map(({ tokens, firstRow }) => tokens.slice(firstRow + 1));

  it('score every token but the first of each that follow no other', () => {
    expect(scored({ contextLength: 4, stride: 4, scored: 'new', bosToken: null })).toEqual([[1, 2, 3], [5, 6, 7], [9]]);
    expect(scored({ contextLength: 16, stride: 16, scored: 'new', bosToken: null })).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9]]);
  });

  it('score each token once where they overlap', () => {
    expect(scored({ contextLength: 4, stride: 2, scored: 'new', bosToken: null })).toEqual([[1, 2, 3], [4, 5], [6, 7], [8, 9]]);
    expect(scored({ contextLength: 4, stride: 1, scored: 'new', bosToken: null })).toEqual([[1, 2, 3], [4], [5], [6], [7], [8], [9]]);
  });

  it('score what follows the middle of whole windows, as llama.cpp does', () => {
    expect(scored({ contextLength: 4, stride: 4, scored: 'second-half', bosToken: null })).toEqual([[3], [7]]);
  });

  it('begin with the beginning token where the model wants it', () => {
    const windows = evaluationWindows(numbers, { contextLength: 6, stride: 6, scored: 'new', bosToken: 77 });
    expect(windows.map(({ tokens }) => tokens)).toEqual([[77, 1, 2, 3, 4, 5], [77, 7, 8, 9]]);
    expect(scoredTokens(windows)).toBe(8);
  });

  it.each([
    [{ contextLength: 1, stride: 1 }, /at least 2 tokens, not 1/],
    [{ contextLength: 4, stride: 5 }, /from 1 to the window's 4/],
    [{ contextLength: 12, stride: 12, scored: 'second-half' as const }, /10 tokens, less than one window of 12/],
  ])('refuse %j', (options, message) => {
    expect(() => evaluationWindows(numbers, { scored: 'new', bosToken: null, ...options })).toThrow(message);
    expect(() => evaluationWindows([1], WHOLE)).toThrow(/at least 2 are needed/);
  });

  it('are cut into steps that ask for the scored rows only', () => {
    const [, second] = evaluationWindows(numbers, { contextLength: 8, stride: 2, scored: 'new', bosToken: null });
    expect(stepsOf(second, 3)).toEqual([
      { offset: 0, tokens: [2, 3, 4], rows: [], scoredBefore: 7 },
      { offset: 3, tokens: [5, 6, 7], rows: [2], scoredBefore: 7 },
      { offset: 6, tokens: [8, 9], rows: [0], scoredBefore: 8 },
    ]);
  });
});

describe('a score', () => {
  it('of the uniform distribution has the vocabulary as its perplexity', async () => {
    const { model } = await fakeModel(() => new Float32Array(VOCAB).fill(1000));
    const { perplexity, nll, scoredTokens: count } = await run(model);
    expect(count).toBe(10);
    expect(perplexity.mean).toBeCloseTo(VOCAB, 10);
    expect(nll.standardError).toBeCloseTo(0, 12);
  });

  it('by hand: probabilities ¾ and ¼ of the tokens that come', async () => {
    // Two tokens of [vocab 2]: the true one has logit ln 3 in the first row, 0 in the second.
    const { model } = await fakeModel((position) => Float32Array.of(0, 0, 0, 0, 0).map((_, i) =>
      i > 1 ? -Infinity : i === (position === 0 ? 1 : 0) ? Math.log(3) : 0));
    const { nll, perplexity } = await run(model, { tokens: [0, 1, 1] });
    const values = [-Math.log(3 / 4), -Math.log(1 / 4)];
    expect(nll.mean).toBeCloseTo((values[0] + values[1]) / 2, 7);
    // Sample deviation of two values is their distance / √2; over √2 for the mean.
    expect(nll.standardError).toBeCloseTo((values[1] - values[0]) / 2, 7);
    expect(perplexity.mean).toBeCloseTo(Math.sqrt(16 / 3), 6);
    expect(perplexity.standardError).toBeCloseTo(Math.sqrt(16 / 3) * (values[1] - values[0]) / 2, 6);
  });

  it('runs windows in steps on an empty cache each, and reports progress', async () => {
    const { model, backend } = await fakeModel(wavy(0));
    const progress: number[] = [];
    await run(model, { windows: { ...WHOLE, contextLength: 6, stride: 6 }, onProgress: (done, total) => progress.push(done, total) });
    expect(backend.steps.map(({ position, tokens }) => [position, tokens.length])).toEqual([[0, 4], [4, 2], [0, 4], [4, 1]]);
    expect(progress).toEqual([0, 9, 4, 9, 5, 9, 9, 9, 9, 9]);
  });

  it('runs and times one token a step where that is asked for', async () => {
    let now = 0;
    const { model, backend } = await fakeModel(wavy(0), { onStep: ({ tokens }) => { now += 2 * tokens.length; } });
    const windows = { ...WHOLE, contextLength: 6, stride: 6 };
    // Telling of progress takes 100 and doesn't count.
    const { timing, nll } = await run(model, { windows, stepTokens: 1, clock: () => now, onProgress: () => { now += 100; } });
    expect(backend.steps.map(({ tokens }) => tokens.length)).toEqual(new Array(11).fill(1));
    expect(timing).toEqual({ tokens: 11, millis: 22 });
    expect(await run(model, { windows })).toMatchObject({ timing: null, nll });
  });

  it('depends only on the tokens of its window', async () => {
    const { model } = await fakeModel(wavy(0));
    const windows: WindowOptions = { ...WHOLE, contextLength: 5, stride: 2 };
    const expected: number[] = [];
    for (const { tokens, firstRow } of evaluationWindows(TOKENS, windows)) {
      for (let row = firstRow; row < tokens.length - 1; row++) {
        const logits = [...wavy(0)(row, tokens[row])];
        expected.push(Math.log(logits.reduce((sum, x) => sum + Math.exp(x), 0)) - logits[tokens[row + 1]]);
      }
    }
    const { nll } = await run(model, { windows });
    expect(nll.mean).toBeCloseTo(expected.reduce((a, b) => a + b) / expected.length, 10);
  });

  it.each([[NaN], [Infinity]])('of logits with %d is refused in a sentence', async (broken) => {
    const { model } = await fakeModel(() => Float32Array.of(0, broken, 0, 0, 0));
    await expect(run(model)).rejects.toThrow(/The model gave a logit that is no finite number/);
    const { model: good } = await fakeModel(wavy(0));
    await expect(run(good, { baseline: new SteppedModel(model, VOCAB) })).rejects.toThrow(/The baseline gave a logit/);
  });

  it('stops at the signal, between steps', async () => {
    const abort = new AbortController();
    const { model, backend } = await fakeModel(wavy(0), { onStep: () => abort.abort(new Error('stopped by hand')) });
    await expect(run(model, { signal: abort.signal })).rejects.toThrow('stopped by hand');
    expect(backend.steps).toHaveLength(1);
  });

  it('refuses windows longer than the model\'s context', async () => {
    const { model } = await fakeModel(wavy(0));
    await expect(run(model, { windows: { ...WHOLE, contextLength: 17 } })).rejects.toThrow(/17 tokens, but .* 16 of context/);
  });
});

describe('a comparison', () => {
  it('meets the formulas written out, in step with another model whose steps are shorter', async () => {
    const { model } = await fakeModel(wavy(0));
    const { model: other } = await fakeModel(wavy(0.4), { maxStepTokens: 3 });
    const { comparison } = await run(model, { baseline: new SteppedModel(other, VOCAB) });
    const softmax = (logits: Float32Array): number[] => {
      const total = logits.reduce((sum, x) => sum + Math.exp(x), 0);
      return [...logits].map((x) => Math.exp(x) / total);
    };
    const positions = TOKENS.slice(0, -1).map((token, position) => {
      const p = softmax(wavy(0.4)(position, token));
      const q = softmax(wavy(0)(position, token));
      const next = TOKENS[position + 1];
      return {
        kl: p.reduce((sum, x, i) => sum + x * Math.log(x / q[i]), 0),
        same: p.indexOf(Math.max(...p)) === q.indexOf(Math.max(...q)) ? 1 : 0,
        change: q[next] - p[next], nll: Math.log(p[next]) - Math.log(q[next]),
      };
    });
    const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b) / values.length;
    const error = (values: readonly number[]): number =>
      Math.sqrt(values.reduce((sum, x) => sum + (x - mean(values)) ** 2, 0) / (values.length - 1) / values.length);
    const of = (key: keyof (typeof positions)[number]): number[] => positions.map((position) => position[key]);
    const sorted = of('kl').toSorted((a, b) => a - b);
    expect(comparison!.kl.mean).toBeCloseTo(mean(of('kl')), 6);
    expect(comparison!.kl.standardError).toBeCloseTo(error(of('kl')), 6);
    expect(comparison!.klMedian).toBeCloseTo((sorted[4] + sorted[5]) / 2, 6);
    expect(comparison!.klPercentile99).toBeCloseTo(sorted[8] + 0.91 * (sorted[9] - sorted[8]), 6);
    expect(comparison!.topAgreement.mean).toBe(mean(of('same')));
    expect(comparison!.topAgreement.mean).toBeLessThan(1);
    expect(comparison!.topAgreement.standardError).toBeCloseTo(error(of('same')), 10);
    expect(comparison!.nllDifference.mean).toBeCloseTo(mean(of('nll')), 6);
    expect(comparison!.nllDifference.standardError).toBeCloseTo(error(of('nll')), 6);
    expect(comparison!.probabilityDifference.mean).toBeCloseTo(mean(of('change')), 6);
    expect(comparison!.probabilityDifference.rms).toBeCloseTo(Math.sqrt(mean(of('change').map((x) => x * x))), 6);
  });

  it('of a model with its own recording finds no difference at all, and the recording gives what a run in step does', async () => {
    const windows: WindowOptions = { ...WHOLE, contextLength: 6, stride: 3 };
    const { model } = await fakeModel(wavy(0));
    const recording = new LogitRecording(VOCAB, TOKENS, windows, 1e6);
    await run(model, { windows, recording });
    expect((await run(model, { windows, baseline: recording })).comparison).toMatchObject({
      kl: { mean: 0, standardError: 0 }, klPercentile99: 0, topAgreement: { mean: 1 }, nllDifference: { mean: 0 },
      probabilityDifference: { mean: 0, rms: 0 },
    });
    const { model: other } = await fakeModel(wavy(0.4), { maxStepTokens: 3 });
    const inStep = await run(other, { windows, baseline: new SteppedModel(model, VOCAB) });
    expect((await run(other, { windows, baseline: recording })).comparison).toEqual(inStep.comparison);
  });

  it('is refused where vocabulary, text or windows differ, and with half a recording', async () => {
    const { model } = await fakeModel(wavy(0));
    const recording = new LogitRecording(VOCAB, TOKENS, WHOLE, 1e6);
    await expect(run(model, { baseline: recording })).rejects.toThrow(/did not end/);
    await run(model, { recording });
    await expect(run(model, { baseline: recording, tokens: TOKENS.with(3, 0) })).rejects.toThrow(/another text/);
    await expect(run(model, { baseline: recording, windows: { ...WHOLE, stride: 8 } })).rejects.toThrow(/other windows/);
    await expect(run(model, { baseline: new SteppedModel(model, 7) })).rejects.toThrow(/vocabulary has 7 tokens, this model's 5/);
    expect(recording.refusal(6, TOKENS, WHOLE)).toMatch(/vocabulary has 5 tokens, this model's 6/);
  });

  it('has a bound on the memory of a recording', () => {
    expect(() => new LogitRecording(VOCAB, TOKENS, WHOLE, 10 * VOCAB * 4)).not.toThrow();
    expect(() => new LogitRecording(VOCAB, TOKENS, WHOLE, 10 * VOCAB * 4 - 1)).toThrow(/at most 9 scored tokens/);
  });
});

describe('numbers', () => {
  it('log-sum-exp does not overflow, and KL knows tokens that never come', () => {
    const far = Float32Array.of(1e4, 1e4 - 1, -Infinity);
    expect(summarize(far, 'x')).toEqual({ top: 0, logSum: 1e4 + Math.log(1 + Math.exp(-1)) });
    const p = Float32Array.of(0, -Infinity);
    const q = Float32Array.of(0, 0);
    expect(klDivergence(p, 0, q, Math.log(2))).toBeCloseTo(Math.log(2), 12);
    expect(klDivergence(q, Math.log(2), p, 0)).toBe(Infinity);
    expect(() => summarize(Float32Array.of(-Infinity, -Infinity), 'x')).toThrow(/no finite number/);
  });

  it('quantiles lie between neighbours', () => {
    expect(quantile(Float64Array.of(1, 2, 10), 0.5)).toBe(2);
    expect(quantile(Float64Array.of(1, 2), 0.25)).toBe(1.25);
    expect(quantile(Float64Array.of(Infinity, Infinity), 0.5)).toBe(Infinity);
  });
});
