/**
 * The reference kit: every architecture from both containers against logits that Hugging Face transformers computed
 * in float32. Any back end can be put through it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { continueGreedily, worstError } from '../../tools/kit/checks.ts';
import {
  CONTAINERS, openModel, readReferenceRun, REFERENCE_ARCHITECTURES, type Container, type ReferenceArchitecture,
} from './model_files.ts';

/** Loads one model of the kit; its sequences hold the kit's 96 tokens. */
export async function loadReferenceModel(
  backend: Backend, architecture: ReferenceArchitecture, container: Container,
): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openModel(architecture, container)));
  const { manifest } = source;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  return backend.load(source, graph, { contextLength: 128 });
}

/** Declares the kit's tests for one back end. */
export function runReferenceKit(createBackend: () => Promise<Backend>, tolerance: number): void {
  const cases = REFERENCE_ARCHITECTURES.flatMap((architecture) =>
    CONTAINERS.map((container) => ({ architecture, container })));

  // One for all, as on the page: what it compiled for a model serves the next of the same shapes.
  let backend: Backend;
  beforeAll(async () => { backend = await createBackend(); });
  afterAll(() => backend.dispose());

  describe.each(cases)('$architecture from $container', ({ architecture, container }) => {
    let model: LoadedModel;
    beforeAll(async () => { model = await loadReferenceModel(backend, architecture, container); });
    afterAll(() => model?.dispose());

    it.each([
      ['the whole prompt at once', Infinity], ['chunks of 7', 7], ['token by token', 1],
    ])('meets the reference logits: %s', async (_, chunk) => {
      const error = await worstError(model, readReferenceRun(architecture), chunk);
      expect(error).toBeLessThanOrEqual(tolerance);
    });

    it('continues greedily as the reference does', async () => {
      const { tokens, greedy, greedy_prompt_len } = readReferenceRun(architecture);
      const continuation = await continueGreedily(model, tokens.slice(0, greedy_prompt_len), greedy.length);
      expect(continuation).toEqual(greedy);
    });
  });
}
