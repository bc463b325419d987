import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LruPolicy } from '../../../src/experts/baselines.ts';
import { poolShapeOf } from '../../../src/experts/simulate.ts';
import { parseTrace, recordingPolicy, TraceRecorder, traceText, type TraceShape } from '../../../src/experts/trace.ts';
import { runCli } from '../../../src/hosts/cli/run.ts';

const SHAPE: TraceShape = { expertLayerCount: 2, expertCount: 16, topK: 2 };
const TEXT = 'hotset-trace 1 layers=2 experts=16 topK=2\np 0,3,4,9 -\nd 3,9 2,12\n';

describe('routing traces', () => {
  it('are written as recorded, with the experts of each layer once and in order', () => {
    const recorder = new TraceRecorder(SHAPE);
    recorder.routed([9, 3, 0]);
    recorder.routed([4, 3]);
    recorder.stepped('prefill');
    const policy = recordingPolicy(new LruPolicy(poolShapeOf(SHAPE, 0.5)), recorder);
    policy.routed([3, 9], 'decode', 1);
    policy.routed([16 + 12, 16 + 2], 'decode', 0);
    policy.stepped('decode');
    expect(traceText(recorder.trace)).toBe(TEXT);
    expect(policy.victims([3, 28, 18, 5], 2)).toEqual([5, 3]);
  });

  it('come back from their text', () => {
    const trace = parseTrace(TEXT);
    expect(trace.steps).toEqual([
      { kind: 'prefill', layers: [[0, 3, 4, 9], []] }, { kind: 'decode', layers: [[3, 9], [2, 12]] },
    ]);
    expect(traceText(trace)).toBe(TEXT);
  });

  it.each([
    ['', /no routing trace/],
    ['GGUF', /no routing trace/],
    ['hotset-trace 2 layers=2 experts=16 topK=2\n', /version 2, and only version 1/],
    ['hotset-trace 1 layers=0 experts=16 topK=2\n', /not 0, 16, 2/],
    ['hotset-trace 1 layers=2 experts=16 topK=17\n', /not 2, 16, 17/],
    ['hotset-trace 1 layers=999999 experts=16 topK=2\n', /1 to 1024 layers/],
    [`${TEXT}x 1 2\n`, /line 4 .* neither d nor p/],
    [`${TEXT}d 1\n`, /line 4 .* 1 layers instead of 2/],
    [`${TEXT}d 1,16 2\n`, /line 4 .* not rising numbers below 16/],
    [`${TEXT}d 2,1 2\n`, /not rising/],
    [`${TEXT}d 1,1 2\n`, /not rising/],
    [`${TEXT}d 1,,2 2\n`, /not rising/],
    [`${TEXT}d 1,2,3 2\n`, /3 experts in a layer, more than 2/],
    [`${TEXT}p ${'1,'.repeat(100)} 2\n`, /line 4 .* too long/],
  ])('are refused with a sentence: %j', (text, message) => {
    expect(() => parseTrace(text)).toThrow(message);
  });
});

describe('--record-trace', () => {
  const MODEL = join(import.meta.dirname, '../../vectors/starter/starter.gguf');
  const run = async (args: readonly string[], input = ''): Promise<{ code: number; err: string }> => {
    let err = '';
    const terminal = { input: Readable.from([input]), out: () => undefined, note: (text: string) => { err += text; } };
    return { code: await runCli(args, terminal, new AbortController().signal), err };
  };

  it('writes every step of an answer and of a chat', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hotset-trace-'));
    try {
      const plain = join(folder, 'answer.trace');
      const answered = await run([
        'generate', MODEL, '--prompt', 'Once upon', '--greedy', '--max-tokens', '4', '--backend', 'reference', '--record-trace', plain]);
      expect(answered).toMatchObject({ code: 0 });
      const { shape, steps } = parseTrace(readFileSync(plain, 'utf8'));
      expect(steps.map(({ kind }) => kind)).toEqual(['prefill', 'decode', 'decode', 'decode']);
      for (const { layers } of steps.slice(1)) for (const experts of layers) expect(experts).toHaveLength(shape.topK);

      const packed = join(folder, 'chat.trace.gz');
      const chatted = await run(['chat', MODEL, '--context', '96', '--seed', '1', '--backend', 'reference', '--record-trace', packed], 'Hi\n');
      expect(chatted).toMatchObject({ code: 0 });
      expect(parseTrace(gunzipSync(readFileSync(packed)).toString()).steps.length).toBeGreaterThan(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
