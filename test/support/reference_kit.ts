/**
 * The reference kit: every architecture from both containers against logits that Hugging Face transformers computed
 * in float32. Any back end can be put through it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, LoadedModel, SamplingParams, Sequence } from '../../src/compute/ops.ts';
import { collectLogits } from '../../src/engine/logits.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import {
  CONTAINERS, openModel, readReferenceRun, REFERENCE_ARCHITECTURES, type Container, type ReferenceArchitecture,
} from './model_files.ts';

export const GREEDY: SamplingParams = {
  temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 0,
};

/** Loads one model of the kit; its sequences hold the kit's 96 tokens. */
export async function loadReferenceModel(
  backend: Backend, architecture: ReferenceArchitecture, container: Container,
): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openModel(architecture, container)));
  const { manifest } = source;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  return backend.load(source, graph, { contextLength: 128 });
}

export function relativeL2(actual: Float32Array, expected: readonly number[]): number {
  let error = 0;
  let norm = 0;
  expected.forEach((value, i) => {
    error += (actual[i] - value) ** 2;
    norm += value ** 2;
  });
  return Math.sqrt(error / norm);
}

/** Largest relative L2 error over the stored positions. */
export async function worstError(model: LoadedModel, architecture: ReferenceArchitecture, chunk: number): Promise<number> {
  const { tokens, logit_positions, logits } = readReferenceRun(architecture);
  const actual = await collectLogits(model, tokens, logit_positions, Math.min(chunk, model.maxStepTokens));
  expect(actual.map(({ length }) => length)).toEqual(logits.map(({ length }) => length));
  return Math.max(...actual.map((row, i) => relativeL2(row, logits[i])));
}

/** Greedy continuation, sampled by the back end itself. */
export async function continueGreedily(model: LoadedModel, prompt: readonly number[], count: number): Promise<number[]> {
  const sequence: Sequence = model.createSequence();
  const output = { kind: 'sample', sampling: GREEDY, recentTokens: [] } as const;
  const continuation: number[] = [];
  // The last token of the prompt is the first step of decode; what lies before it goes in as large steps as fit.
  for (let begin = 0; begin < prompt.length - 1; begin += model.maxStepTokens) {
    await model.step(sequence, prompt.slice(begin, Math.min(begin + model.maxStepTokens, prompt.length - 1)), { kind: 'none' });
  }
  let next: readonly number[] = prompt.slice(-1);
  while (continuation.length < count) {
    const { token } = await model.step(sequence, next, output);
    if (token === null) throw new Error('the back end sampled nothing');
    continuation.push(token);
    next = [token];
  }
  sequence.dispose();
  return continuation;
}

/** Declares the kit's tests for one back end. */
export function runReferenceKit(createBackend: () => Promise<Backend>, tolerance: number): void {
  const cases = REFERENCE_ARCHITECTURES.flatMap((architecture) =>
    CONTAINERS.map((container) => ({ architecture, container })));

  describe.each(cases)('$architecture from $container', ({ architecture, container }) => {
    let backend: Backend;
    let model: LoadedModel;

    beforeAll(async () => {
      backend = await createBackend();
      model = await loadReferenceModel(backend, architecture, container);
    });

    afterAll(() => {
      model?.dispose();
      backend?.dispose();
    });

    it.each([
      ['the whole prompt at once', Infinity], ['chunks of 7', 7], ['token by token', 1],
    ])('meets the reference logits: %s', async (_, chunk) => {
      const error = await worstError(model, architecture, chunk);
      expect(error).toBeLessThanOrEqual(tolerance);
    });

    it('continues greedily as the reference does', async () => {
      const { tokens, greedy, greedy_prompt_len } = readReferenceRun(architecture);
      const continuation = await continueGreedily(model, tokens.slice(0, greedy_prompt_len), greedy.length);
      expect(continuation).toEqual(greedy);
    });
  });
}
