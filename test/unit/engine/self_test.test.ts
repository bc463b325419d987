import { describe, expect, it } from 'vitest';
import type { Backend, StepOutput } from '../../../src/compute/ops.ts';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { selfTest, SelfTestError } from '../../../src/engine/self_test.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import { openModel, type ReferenceArchitecture } from '../../support/model_files.ts';

async function run(backend: Backend, architecture: ReferenceArchitecture = 'qwen2_moe'): Promise<string[]> {
  const source = createDirectSource(planModel(await openModel(architecture, 'gguf')));
  const { manifest } = source;
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  const stages: string[] = [];
  await selfTest(backend, source, graph, { onProgress: ({ stage, done, total }) => stages.push(`${stage} ${done}/${total}`) });
  return stages;
}

/** The reference, with its results changed as a broken driver might. */
function broken(spoil: (row: Float32Array, index: number, tokens: number) => void): Backend {
  const honest = createReferenceBackend();
  return {
    ...honest,
    info: { ...honest.info, kind: 'webgpu', label: 'WebGPU · Broken' },
    async load(...args) {
      const model = await honest.load(...args);
      return {
        ...model,
        async step(sequence, tokens, output: StepOutput) {
          const result = await model.step(sequence, tokens, output);
          result.logits?.forEach((row, index) => spoil(row, index, tokens.length));
          return result;
        },
      };
    },
  };
}

describe('self-test', () => {
  it.each(['qwen3_moe', 'granitemoeshared'] as const)('passes a right back end on %s', async (architecture) => {
    expect(await run(broken(() => undefined), architecture)).toEqual(['self-test 0/2', 'self-test 1/2', 'self-test 2/2']);
  });

  it('forgives a row that a near tie in the router changed', async () => {
    await run(broken((row, index, tokens) => { if (tokens > 1 && index === 1) row.fill(3); }));
  });

  it.each<[string, Parameters<typeof broken>[0]]>([
    ['zeros', (row) => row.fill(0)],
    ['NaN', (row) => row.fill(NaN)],
    ['a wrong tail', (row) => row.fill(1, row.length / 2)],
  ])('refuses prompt kernels that give %s', async (_, spoil) => {
    const failure = run(broken((row, index, tokens) => { if (tokens > 1) spoil(row, index, tokens); }));
    await expect(failure).rejects.toThrow(SelfTestError);
    await expect(failure).rejects.toThrow(/^WebGPU · Broken computes wrongly here: its prompt kernels/);
  });

  it('refuses decode kernels that give noise', async () => {
    const failure = run(broken((row, _, tokens) => { if (tokens === 1) row.forEach((v, i) => { row[i] = v + Math.sin(i); }); }));
    await expect(failure).rejects.toThrow(/its decode kernels are off by \d+ %/);
  });
});
