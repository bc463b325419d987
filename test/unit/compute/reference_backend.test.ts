import { describe, expect, it } from 'vitest';
import { createReferenceBackend, type ReferenceOptions } from '../../../src/compute/reference/backend.ts';
import type { LoadedModel, LoadOptions } from '../../../src/compute/ops.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import type { ModelSource } from '../../../src/storage/model_source.ts';
import { fakeCheckpoint, tinyQwen3Shapes } from '../../support/fake_model.ts';

const PROMPT = [3, 1, 4, 1, 5, 9, 2, 6];

function tinySource(): ModelSource {
  return createDirectSource(planModel(fakeCheckpoint({ shapes: tinyQwen3Shapes() })));
}

function loadTiny(options: ReferenceOptions = {}, load: Partial<LoadOptions> = {}, source = tinySource()): Promise<LoadedModel> {
  const { architecture, hyperparameters, dense } = source.manifest;
  const graph = buildGraph(architecture, hyperparameters, dense.map(({ name }) => name));
  return createReferenceBackend(options).load(source, graph, { contextLength: 16, ...load });
}

async function lastLogits(model: LoadedModel, tokens: readonly number[]): Promise<Float32Array> {
  const { logits } = await model.step(await model.createSequence(), tokens, { kind: 'logits', rows: [tokens.length - 1] });
  return logits![0];
}

describe('a step', () => {
  it('queues behind the one before, so that two sequences don\'t mix', async () => {
    const model = await loadTiny({ breather: { sliceMs: 0 } });
    const alone = [await lastLogits(model, PROMPT), await lastLogits(model, [7, 7])];
    const together = await Promise.all([lastLogits(model, PROMPT), lastLogits(model, [7, 7])]);
    expect(together).toEqual(alone);
  });

  it('gives the same logits with weights kept decoded, decoded as needed, and experts evicted', async () => {
    const expected = await lastLogits(await loadTiny(), PROMPT);
    expect(await lastLogits(await loadTiny({ decodedByteLength: 0 }), PROMPT)).toEqual(expected);
    let reads = 0;
    const source = tinySource();
    const counting: ModelSource = { ...source, readExpertRow: (layer, expert) => (reads++, source.readExpertRow(layer, expert)) };
    const evicting = await loadTiny({ expertByteLength: 1 }, {}, counting);
    expect(await lastLogits(evicting, PROMPT)).toEqual(expected);
    const readOnce = reads;
    await lastLogits(evicting, PROMPT);
    expect(reads).toBe(2 * readOnce);
  });

  it('continues after truncate as if the rest had never been', async () => {
    const model = await loadTiny();
    const sequence = await model.createSequence();
    await model.step(sequence, PROMPT, { kind: 'none' });
    sequence.truncate(3);
    const { logits } = await model.step(sequence, [8], { kind: 'logits', rows: [0] });
    expect(logits![0]).toEqual(await lastLogits(model, [...PROMPT.slice(0, 3), 8]));
    expect(() => sequence.truncate(9)).toThrow(RangeError);
  });

  it('leaves the sequence as it was where it fails', async () => {
    const source = tinySource();
    let broken = true;
    const model = await loadTiny({}, {}, {
      ...source,
      readExpertRow: (layer, expert) => (broken ? Promise.reject(new Error('disk gone')) : source.readExpertRow(layer, expert)),
    });
    const sequence = await model.createSequence();
    await expect(model.step(sequence, PROMPT, { kind: 'none' })).rejects.toThrow('disk gone');
    expect(sequence.length).toBe(0);
    broken = false;
    const { logits } = await model.step(sequence, PROMPT, { kind: 'logits', rows: [7] });
    expect(logits![0]).toEqual(await lastLogits(model, PROMPT));
  });

  it('lets the host in between slices of work', async () => {
    let pauses = 0;
    const model = await loadTiny({ breather: { sliceMs: 0, yieldToHost: async () => void pauses++ } });
    await lastLogits(model, PROMPT);
    expect(pauses).toBeGreaterThan(10);
  });

  it('samples at the position of the token to come', async () => {
    const model = await loadTiny();
    const sampling = { temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 0, seed: 5 };
    const output = { kind: 'sample', sampling, recentTokens: [] } as const;
    const whole = await model.step(await model.createSequence(), PROMPT, output);
    const sequence = await model.createSequence();
    await model.step(sequence, PROMPT.slice(0, 5), { kind: 'none' });
    expect((await model.step(sequence, PROMPT.slice(5), output)).token).toBe(whole.token);
  });

  it.each<[string, readonly number[], readonly number[], RegExp]>([
    ['no tokens', [], [], /1 to 8 tokens, not 0/],
    ['too many tokens', Array<number>(9).fill(1), [], /1 to 8 tokens, not 9/],
    ['a token outside of the vocabulary', [32], [], /token 32 is outside of the vocabulary of 32/],
    ['a fraction', [1.5], [], /token 1\.5/],
    ['a row that the step doesn\'t have', [1, 2], [2], /row 2 is outside of a step of 2 tokens/],
  ])('refuses %s', async (_, tokens, rows, message) => {
    const model = await loadTiny({ maxStepTokens: 8 });
    const output = rows.length > 0 ? { kind: 'logits', rows } as const : { kind: 'none' } as const;
    await expect(model.step(await model.createSequence(), tokens, output)).rejects.toThrow(message);
  });

  it('refuses more than the context holds', async () => {
    const model = await loadTiny();
    const sequence = await model.createSequence();
    await model.step(sequence, [...PROMPT, ...PROMPT], { kind: 'none' });
    await expect(model.step(sequence, [1], { kind: 'none' })).rejects.toThrow(/do not fit the context of 16/);
  });
});

describe('loading', () => {
  it('reports bytes up to the total', async () => {
    const reports: number[][] = [];
    const source = tinySource();
    await loadTiny({}, { onProgress: ({ done, total }) => reports.push([done, total]) }, source);
    const total = source.manifest.dense.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(reports[0]).toEqual([0, total]);
    expect(reports.at(-1)).toEqual([total, total]);
  });

  it('stops when aborted', async () => {
    await expect(loadTiny({}, { signal: AbortSignal.abort(new Error('closed')) })).rejects.toThrow('closed');
  });
});
