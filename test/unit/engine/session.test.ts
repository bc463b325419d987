import { describe, expect, it } from 'vitest';
import type { LoadedModel, SamplingParams } from '../../../src/compute/ops.ts';
import { Session, type DecodeRequest } from '../../../src/engine/session.ts';
import { createFakeBackend, type FakeBackend, type FakeBackendOptions } from '../../support/fake_backend.ts';

const END = 99;
const SAMPLING: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 4, seed: 0,
};

async function openSession(options: FakeBackendOptions, contextLength = 32): Promise<{ session: Session; backend: FakeBackend }> {
  const backend = createFakeBackend(options);
  // The fake reads neither source nor graph.
  const model: LoadedModel = await backend.load({} as never, { vocabSize: 8 } as never, { contextLength });
  return { session: await Session.open(model), backend };
}

function request(prompt: readonly number[], more: Partial<DecodeRequest> = {}): DecodeRequest {
  return {
    prompt, sampling: SAMPLING, maxTokens: 3, endTokens: new Set([END]), signal: new AbortController().signal,
    onPrefill: () => undefined, onToken: () => undefined, ...more,
  };
}

const tokensOf = (backend: FakeBackend): (readonly number[])[] => backend.steps.map(({ tokens }) => tokens);

describe('prefill', () => {
  it('goes in chunks, samples from the last one only and reports each', async () => {
    const { session, backend } = await openSession({ tokenAt: (position) => position });
    const progress: number[][] = [];
    await session.run(request([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], {
      maxTokens: 1, onPrefill: (...report) => progress.push(report),
    }));
    expect(tokensOf(backend)).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10]]);
    expect(backend.steps.map(({ output }) => output.kind)).toEqual(['none', 'none', 'sample']);
    expect(progress).toEqual([[0, 10, 0], [4, 10, 0], [8, 10, 0], [10, 10, 0]]);
  });

  it('refuses prompts of no tokens or too many', async () => {
    const { session } = await openSession({ tokenAt: () => 1 }, 4);
    await expect(session.run(request([]))).rejects.toThrow(RangeError);
    await expect(session.run(request([1, 2, 3, 4, 5]))).rejects.toThrow(/1 to 4 tokens, not 5/);
  });
});

describe('prefix reuse', () => {
  it('runs only what the conversation adds', async () => {
    const { session, backend } = await openSession({ tokenAt: (position) => 50 + position });
    const first = await session.run(request([1, 2, 3]));
    expect(first).toMatchObject({ tokens: [53, 54, 55], reusedTokens: 0 });
    backend.steps.length = 0;
    // The last sampled token was never run, so it isn't in the cache.
    const second = await session.run(request([1, 2, 3, 53, 54, 55, 7]));
    expect(second.reusedTokens).toBe(5);
    expect(backend.steps[0]).toMatchObject({ position: 5, tokens: [55, 7] });
  });

  it('cuts the cache where an edited prompt differs', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 8 });
    await session.run(request([1, 2, 3, 4]));
    backend.steps.length = 0;
    expect((await session.run(request([1, 2, 9, 4]))).reusedTokens).toBe(2);
    expect(backend.steps[0]).toMatchObject({ position: 2, tokens: [9, 4] });
  });

  it('runs the last token again for the same prompt (regenerate)', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 8 });
    await session.run(request([1, 2, 3]));
    backend.steps.length = 0;
    expect((await session.run(request([1, 2, 3]))).reusedTokens).toBe(2);
    expect(backend.steps[0]).toMatchObject({ position: 2, tokens: [3] });
  });

  it('trusts nothing in the cache after a failed step', async () => {
    let fail = false;
    const { session, backend } = await openSession({
      tokenAt: () => 8, onStep: () => {
        if (fail) throw new Error('device lost');
      },
    });
    await session.run(request([1, 2, 3]));
    fail = true;
    await expect(session.run(request([1, 2, 3, 4]))).rejects.toThrow('device lost');
    fail = false;
    backend.steps.length = 0;
    expect((await session.run(request([1, 2, 3]))).reusedTokens).toBe(0);
    expect(backend.steps[0]).toMatchObject({ position: 0, tokens: [1, 2, 3] });
  });
});

describe('decode ends', () => {
  it('at an end token, which is not part of the answer', async () => {
    const { session } = await openSession({ tokenAt: (position) => (position === 5 ? END : position) });
    const shown: number[] = [];
    const result = await session.run(request([1, 2, 3], { maxTokens: null, onToken: (token) => shown.push(token) }));
    expect(result).toMatchObject({ tokens: [3, 4], stopReason: 'end', decodeSteps: 2 });
    expect(shown).toEqual([3, 4]);
  });

  it('after maxTokens', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 1 });
    expect(await session.run(request([1], { maxTokens: 2 }))).toMatchObject({ tokens: [1, 1], stopReason: 'max_tokens' });
    // The second token is known after the second step and needs no third.
    expect(backend.steps).toHaveLength(2);
  });

  it('when the context is full', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 1 }, 5);
    const result = await session.run(request([1, 2, 3], { maxTokens: null }));
    expect(result).toMatchObject({ tokens: [1, 1, 1], stopReason: 'context_full' });
    expect(backend.steps.at(-1)).toMatchObject({ position: 4, tokens: [1] });
  });

  it('with one token where the prompt fills the context', async () => {
    const { session } = await openSession({ tokenAt: () => 1 }, 3);
    expect(await session.run(request([1, 2, 3]))).toMatchObject({ tokens: [1], stopReason: 'context_full' });
  });
});

describe('stop', () => {
  it('between prefill chunks, and keeps what was run', async () => {
    const abort = new AbortController();
    const { session, backend } = await openSession({ tokenAt: () => 1, onStep: () => abort.abort() });
    const result = await session.run(request([1, 2, 3, 4, 5, 6], { signal: abort.signal }));
    expect(result).toMatchObject({ tokens: [], stopReason: 'stopped' });
    expect(tokensOf(backend)).toEqual([[1, 2, 3, 4]]);
    expect((await session.run(request([1, 2, 3, 4, 5, 6]))).reusedTokens).toBe(4);
  });

  it('within one token while decoding', async () => {
    const abort = new AbortController();
    const { session, backend } = await openSession({
      tokenAt: (position) => position, onStep: ({ position }) => {
        if (position === 4) abort.abort();
      },
    });
    const shown: number[] = [];
    const result = await session.run(request([1, 2, 3], {
      maxTokens: null, signal: abort.signal, onToken: (token) => shown.push(token),
    }));
    expect(result).toMatchObject({ tokens: [3, 4], stopReason: 'stopped' });
    expect(shown).toEqual([3, 4]);
    expect(backend.steps.at(-1)?.position).toBe(4);
  });

  it('before anything ran', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 1 });
    const result = await session.run(request([1, 2], { signal: AbortSignal.abort() }));
    expect(result).toMatchObject({ tokens: [], stopReason: 'stopped' });
    expect(backend.steps).toHaveLength(0);
  });
});

describe('the penalty window', () => {
  const recentOf = (backend: FakeBackend): unknown[] =>
    backend.steps.map(({ output }) => (output.kind === 'sample' ? output.recentTokens : null));

  it('slides from the prompt into the answer', async () => {
    const { session, backend } = await openSession({ tokenAt: (position) => 10 + position });
    await session.run(request([1, 2, 3, 4, 5, 6], { sampling: { ...SAMPLING, repetitionPenalty: 1.1 } }));
    expect(recentOf(backend)).toEqual([null, [3, 4, 5, 6], [4, 5, 6, 16], [5, 6, 16, 17]]);
  });

  it('is empty where the penalty is off', async () => {
    const { session, backend } = await openSession({ tokenAt: () => 1 });
    await session.run(request([1, 2], { maxTokens: 1 }));
    expect(recentOf(backend)).toEqual([[]]);
  });
});
