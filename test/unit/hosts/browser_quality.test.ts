import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { createEngine, type Engine } from '../../../src/engine/engine.ts';
import type { QualityRequest } from '../../../src/hosts/api.ts';
import { createQualityMeter } from '../../../src/hosts/browser_quality.ts';
import { openNodeModel } from '../../../src/hosts/node_model.ts';

const STARTER = join(import.meta.dirname, '../../vectors/starter/starter.gguf');
const TEXT = 'a little fox went to the river';
const request = (more: Partial<QualityRequest> = {}): QualityRequest =>
  ({ text: TEXT, contextLength: 8, keepAsBaseline: false, ...more });
const never = new AbortController().signal;
const quiet = (): void => undefined;

let starter: Engine;
beforeAll(async () => {
  starter = await createEngine({ backend: createReferenceBackend(), source: (await openNodeModel(STARTER)).source, contextLength: 64 });
});
afterAll(async () => {
  await starter.dispose();
});

describe('quality meter', () => {
  it('compares with the model that was kept, and only with that', async () => {
    let now = 0;
    const meter = createQualityMeter(() => (now += 1000));
    const first = await meter.measure(starter, request(), quiet, never);
    expect(first).toMatchObject({ contextLength: 8, seconds: 1, baselineName: null, notCompared: null, notKept: null, evaluation: { comparison: null } });
    await meter.measure(starter, request({ keepAsBaseline: true }), quiet, never);
    const again = await meter.measure(starter, request(), quiet, never);
    expect(again.baselineName).toBe(starter.info.modelName);
    expect(again.evaluation.comparison).toMatchObject({ kl: { mean: 0 }, topAgreement: { mean: 1 } });
    expect(again.evaluation.perplexity).toEqual(first.evaluation.perplexity);
  });

  it('says why a run was not compared', async () => {
    const meter = createQualityMeter(() => 0);
    await meter.measure(starter, request({ keepAsBaseline: true }), quiet, never);
    const cases: readonly (readonly [QualityRequest, RegExp])[] = [
      [request({ text: `${TEXT}!` }), /another text/],
      [request({ contextLength: 6 }), /same context length/],
    ];
    for (const [asked, reason] of cases) {
      const { baselineName, notCompared, evaluation } = await meter.measure(starter, asked, quiet, never);
      expect([baselineName, evaluation.comparison]).toEqual([null, null]);
      expect(notCompared).toMatch(reason);
      expect(notCompared).toContain(`Not compared with ${starter.info.modelName}`);
    }
  });

  it('keeps no more than it may, and measures all the same', async () => {
    const meter = createQualityMeter(() => 0, 3 * 512 * 4);
    const { notKept, evaluation } = await meter.measure(starter, request({ keepAsBaseline: true }), quiet, never);
    expect(notKept).toMatch(/^Not kept as a baseline: .* at most 3 scored tokens/);
    expect(evaluation.scoredTokens).toBeGreaterThan(3);
    await expect(meter.measure(starter, request({ text: '', keepAsBaseline: true }), quiet, never)).rejects.toThrow(/at least 2 are needed/);
  });

  it('clips the windows to the context, keeps the old baseline when stopped, and never runs beside an answer', async () => {
    const meter = createQualityMeter(() => 0);
    expect((await meter.measure(starter, request({ contextLength: 4096 }), quiet, never)).contextLength).toBe(64);
    await meter.measure(starter, request({ keepAsBaseline: true }), quiet, never);
    const abort = new AbortController();
    const stopped = meter.measure(starter, request({ text: `${TEXT} again`, keepAsBaseline: true }), () => abort.abort(), abort.signal);
    await expect(meter.measure(starter, request(), quiet, never)).rejects.toThrow(/busy/);
    await expect(stopped).rejects.toThrow(/abort/i);
    expect((await meter.measure(starter, request(), quiet, never)).baselineName).toBe(starter.info.modelName);
  });
});
