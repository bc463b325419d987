/** A device that is lost in the middle of an answer: another one goes on from the same state. */
import { describe, expect, it } from 'vitest';
import type { Backend, LoadedModel, SamplingParams } from '../../../src/compute/ops.ts';
import { createEngine } from '../../../src/engine/engine.ts';
import { DeviceLostError, DeviceRecovery, NoDeviceError } from '../../../src/engine/recovery.ts';
import { Session, type DecodeRequest } from '../../../src/engine/session.ts';
import { planModel } from '../../../src/models/registry.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import { createFakeBackend, type FakeBackend } from '../../support/fake_backend.ts';
import { openModel } from '../../support/model_files.ts';

const SAMPLING: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 4, seed: 0,
};

function request(prompt: readonly number[], more: Partial<DecodeRequest> = {}): DecodeRequest {
  return {
    prompt, sampling: SAMPLING, maxTokens: 6, endTokens: new Set([99]), signal: new AbortController().signal,
    onPrefill: () => undefined, onToken: () => undefined, ...more,
  };
}

const load = (backend: Backend): Promise<LoadedModel> => backend.load({} as never, { vocabSize: 8 } as never, { contextLength: 32 });

/** A device that is lost when it is to run a step at this position. */
function dyingBackend(position: number): FakeBackend {
  let tell = (_sentence: string): void => undefined;
  const lost = new Promise<string>((resolve) => { tell = resolve; });
  return createFakeBackend({
    tokenAt: (at) => 10 + at, lost,
    onStep: (step) => {
      if (step.position < position) return;
      tell('The GPU was lost (test).');
      throw new Error('mapAsync was aborted');
    },
  });
}

const healthy = (): FakeBackend => createFakeBackend({ tokenAt: (at) => 10 + at });

interface Rig {
  readonly session: Session;
  readonly recovery: DeviceRecovery;
  readonly reasons: string[];
}

/** A session on the first of these devices; the others take its place in turn. */
async function rig(backends: readonly FakeBackend[], noOther = new Error('no adapter')): Promise<Rig> {
  let used = 0;
  const recovery = new DeviceRecovery({
    backend: backends[0], load, pause: () => new Promise((resolve) => setTimeout(resolve, 1)),
    reopen: async () => {
      used += 1;
      if (used >= backends.length) throw noOther;
      return backends[used];
    },
  });
  const reasons: string[] = [];
  recovery.begin((reason) => reasons.push(reason));
  return { session: await Session.open(await load(backends[0]), (error) => recovery.recover(error)), recovery, reasons };
}

describe('a lost device', () => {
  it('costs no token: the cache is made again in the steps that made it', async () => {
    const undisturbed = await (await rig([healthy()])).session.run(request([1, 2, 3, 4, 5, 6]));
    const [dying, fresh] = [dyingBackend(8), healthy()];
    const { session, reasons } = await rig([dying, fresh]);
    const shown: number[] = [];
    const read: number[][] = [];
    const result = await session.run(request([1, 2, 3, 4, 5, 6], {
      onToken: (token) => shown.push(token), onPrefill: (done, total) => read.push([done, total]),
    }));
    expect(read.slice(3)).toEqual([[0, 8], [4, 8], [6, 8], [7, 8], [8, 8]]);
    expect(result).toEqual(undisturbed);
    expect(shown).toEqual(undisturbed.tokens);
    expect(fresh.steps.slice(0, 5).map(({ tokens, output }) => [tokens, output.kind])).toEqual([
      [[1, 2, 3, 4], 'none'], [[5, 6], 'none'], [[16], 'none'], [[17], 'none'], [[18], 'sample'],
    ]);
    expect(reasons).toEqual(['The GPU was lost (test).']);
    // The next message finds the cache of the whole conversation.
    const next = await session.run(request([1, 2, 3, 4, 5, 6, ...result.tokens, 7]));
    expect(next.reusedTokens).toBe(11);
  });

  it('may be lost while it reads the prompt, and while the cache is made again', async () => {
    const [early, again, fresh] = [dyingBackend(4), dyingBackend(0), healthy()];
    const { session, reasons } = await rig([early, again, fresh]);
    const result = await session.run(request([1, 2, 3, 4, 5, 6]));
    expect(result.tokens).toEqual([16, 17, 18, 19, 20, 21]);
    expect(reasons).toHaveLength(2);
  });

  it('is given up with a sentence after some attempts, and the session stays usable', async () => {
    const { session, recovery } = await rig([dyingBackend(6)]);
    const failing = session.run(request([1, 2, 3, 4, 5, 6]));
    await expect(failing).rejects.toThrow(/^The GPU was lost \(test\)\. It was tried 3 times: a smaller GPU budget/);
    await expect(failing).rejects.toBeInstanceOf(DeviceLostError);
    recovery.begin(() => undefined);
    await expect(session.run(request([1]))).resolves.toBeDefined();
  });

  it('is given up with what the host says where there is no other', async () => {
    const { session } = await rig([dyingBackend(6)], new NoDeviceError('Reload the page.'));
    const failing = session.run(request([1, 2, 3, 4, 5, 6]));
    await expect(failing).rejects.toThrow(/^Reload the page\.$/);
    await expect(failing).rejects.toBeInstanceOf(DeviceLostError);
  });

  it('is not blamed for other failures', async () => {
    const broken = createFakeBackend({ tokenAt: () => 1, onStep: () => { throw new Error('the model gave no finite logits'); } });
    const { session, reasons } = await rig([broken, healthy()]);
    await expect(session.run(request([1, 2]))).rejects.toThrow('no finite logits');
    expect(reasons).toEqual([]);
  });

  it('stops where it is when asked to stop, and keeps what was restored', async () => {
    const abort = new AbortController();
    const fresh = createFakeBackend({ tokenAt: (at) => 10 + at, onStep: () => abort.abort() });
    const { session } = await rig([dyingBackend(8), fresh]);
    const result = await session.run(request([1, 2, 3, 4, 5, 6], { signal: abort.signal }));
    expect(result).toMatchObject({ tokens: [16, 17, 18], stopReason: 'stopped' });
    expect(session.length).toBe(4);
    expect((await session.run(request([1, 2, 3, 4, 5, 6]))).reusedTokens).toBe(4);
  });

  it('ends a measurement, which can be started anew', async () => {
    const fresh = healthy();
    const engine = await createEngine({
      backend: dyingBackend(2), source: createDirectSource(planModel(await openModel('qwen3_moe', 'gguf'))), contextLength: 16,
      reopenBackend: async () => fresh,
    });
    const measure = (): Promise<unknown> => engine.evaluate({
      tokens: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], windows: { contextLength: 8, stride: 8, scored: 'new', bosToken: null },
      baseline: null, recording: null, onProgress: () => undefined,
    });
    await expect(measure()).rejects.toThrow('The graphics device was lost in the middle of this. It is there again: start the measurement anew.');
    await expect(measure()).resolves.toMatchObject({ perplexity: expect.anything() });
    expect(fresh.steps.length).toBeGreaterThan(0);
    await engine.dispose();
  });
});
