import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { HostApi, QualityRequest, QualityResult } from '../../../src/hosts/api.ts';
import type { LiveAnswer } from '../../../src/ui/state/conversation.ts';
import { createQuality, fetchSampleText } from '../../../src/ui/state/quality.ts';
import type { OpenedModel } from '../../../src/ui/state/session.ts';

/** A page with a host whose measurement ends when it is told to. */
function page(sample = 'sample') {
  const requests: QualityRequest[] = [];
  let settle: { resolve: (result: QualityResult) => void; reject: (error: Error) => void } | null = null;
  let report: (done: number, total: number) => void = () => undefined;
  const host = {
    evaluateText(request: QualityRequest, onProgress: typeof report): Promise<QualityResult> {
      requests.push(request);
      report = onProgress;
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
      });
    },
    stop: async () => settle?.reject(new Error('This operation was aborted')),
  } as unknown as HostApi;
  const model = signal<OpenedModel | null>({ id: 'm' } as OpenedModel);
  const live = signal<LiveAnswer | null>(null);
  const quality = createQuality({ host, session: { model }, conversation: { live }, fetchSample: async () => sample });
  return {
    quality, requests, model, live, report: (done: number, total: number) => report(done, total),
    end: (result: QualityResult) => settle?.resolve(result), fail: (error: Error) => settle?.reject(error),
  };
}

const RESULT = { modelName: 'm' } as QualityResult;

describe('quality dialog', () => {
  it('opens with the sample, unless something is written', async () => {
    const { quality } = page();
    await quality.show();
    expect([quality.shown.value, quality.text.value]).toEqual([true, 'sample']);
    quality.close();
    quality.text.value = 'mine';
    await quality.show();
    expect(quality.text.value).toBe('mine');
  });

  it('needs a model, a text and the model for itself', async () => {
    const { quality, model, live, requests } = page('');
    await quality.run();
    expect(quality.problem.value).toMatch(/no text/);
    quality.text.value = 'text';
    live.value = {} as LiveAnswer;
    await quality.run();
    expect(quality.problem.value).toMatch(/answer is being written/);
    live.value = null;
    model.value = null;
    await quality.run();
    expect(quality.problem.value).toMatch(/Open a model/);
    await quality.show();
    expect(quality.shown.value).toBe(false);
    expect(requests).toEqual([]);
  });

  it('shows progress, then the result; late reports change nothing', async () => {
    const { quality, requests, report, end } = page();
    quality.text.value = 'text';
    quality.keepAsBaseline.value = true;
    const run = quality.run();
    await quality.run();
    report(3, 9);
    expect(quality.running.value).toEqual({ done: 3, total: 9 });
    end(RESULT);
    await run;
    report(9, 9);
    expect([quality.running.value, quality.result.value, quality.problem.value]).toEqual([null, RESULT, null]);
    expect(requests).toEqual([{ text: 'text', contextLength: 256, keepAsBaseline: true }]);
  });

  it('takes a stop, also by closing, for no failure, and says what a failure was', async () => {
    const { quality, fail } = page();
    await quality.show();
    const stopped = quality.run();
    quality.close();
    expect(quality.stopping.value).toBe(true);
    await stopped;
    expect([quality.problem.value, quality.stopping.value, quality.running.value]).toEqual([null, false, null]);
    const failed = quality.run();
    fail(new Error('the GPU was lost'));
    await failed;
    expect(quality.problem.value).toBe('The GPU was lost.');
  });

  it('takes a text file up to a bound', async () => {
    const { quality } = page();
    await quality.takeFile(new File(['from a file'], 'a.txt'));
    expect(quality.text.value).toBe('from a file');
    await quality.takeFile(new File([new Uint8Array(4 * 2 ** 20 + 1)], 'big.txt'));
    expect([quality.text.value, quality.problem.value]).toEqual(['from a file', 'big.txt has 4194305 bytes; a text of at most 4194304 can be measured here.']);
  });
});

describe('the site\'s sample', () => {
  it('is empty where the site has none', async () => {
    const answer = (body: string, type: string, status = 200) => async (): Promise<Response> =>
      new Response(body, { status, headers: { 'content-type': type } });
    expect(await fetchSampleText('/', answer('some text', 'text/plain'))).toBe('some text');
    expect(await fetchSampleText('/', answer('<html>', 'text/html'))).toBe('');
    expect(await fetchSampleText('/', answer('', 'text/plain', 404))).toBe('');
    expect(await fetchSampleText('/', async () => { throw new TypeError('offline'); })).toBe('');
  });
});
