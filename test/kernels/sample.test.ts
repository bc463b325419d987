/** sample.wgsl against its scalar definition: the same token for the same logits, seed and position. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PENALTY_TOKENS, type SamplingParams } from '../../src/compute/ops.ts';
import { sampleToken } from '../../src/compute/sampling.ts';
import { sampleCall } from '../../src/compute/webgpu/op_kernels.ts';
import { createStepBuffer } from '../../src/compute/webgpu/step_buffer.ts';
import { openRig, TRAITS_BY_REDUCE, type KernelRig } from '../support/kernel_rig.ts';
import { randomFloats, randomStream } from '../support/random_weights.ts';

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterEach(() => rig.clear());
afterAll(() => rig.destroy());

const PLAIN: SamplingParams = { temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 64, seed: 3 };
const NO_TOKEN = 0xffffffff;

/** Draws from the last of two output rows, as a step of two tokens at `position - 2` would. */
async function drawOnGpu(logits: Float32Array, params: SamplingParams, recent: readonly number[], position: number, traits = TRAITS_BY_REDUCE.workgroup): Promise<number> {
  const rows = new Float32Array(2 * logits.length);
  rows.set(logits, logits.length);
  const step = createStepBuffer(rig.device, 4, 4, logits.length);
  step.write({ tokens: [0, 0], position: position - 2, outputRows: [0, 1], sampling: { params, recentTokens: recent } });
  const result = rig.upload(new Uint32Array(4));
  await rig.run([sampleCall(logits.length, step.sampling, rig.upload(rows), result, {
    traits, rowCapacity: 4, outputCapacity: 4, step: step.step, dummy: result, view: () => result,
  })]);
  const token = (await rig.readWords(result))[0];
  step.destroy();
  return token;
}

describe.each([['graphics card', TRAITS_BY_REDUCE.workgroup], ['software adapter', TRAITS_BY_REDUCE.serial]])('%s', (_, traits) => {
  it.each<[string, Partial<SamplingParams>]>([
    ['greedy', { temperature: 0 }], ['plain', {}], ['hot', { temperature: 3 }], ['cold', { temperature: 0.2 }],
    ['top_k 1', { topK: 1 }], ['top_k 5', { topK: 5 }], ['top_k 300', { topK: 300 }],
    ['top_p 0.9', { topP: 0.9 }], ['top_p 0.1', { topP: 0.1 }], ['top_p 0', { topP: 0 }], ['min_p 0.05', { minP: 0.05 }],
    ['penalty', { repetitionPenalty: 1.7, temperature: 0.5 }],
    ['all', { topK: 40, topP: 0.8, minP: 0.02, repetitionPenalty: 1.2, temperature: 0.8 }],
  ])('%s', async (__, change) => {
    const random = randomStream(17);
    for (let draw = 0; draw < 12; draw++) {
      const params = { ...PLAIN, ...change, seed: draw * 7919 };
      const logits = randomFloats(1003, random).map((v) => 6 * v);
      const recent = Array.from({ length: 30 }, (___, i) => (i * 131 + draw) % 1003);
      const expected = sampleToken(logits, params, recent, 100 + draw);
      expect(await drawOnGpu(logits, params, recent, 100 + draw, traits)).toBe(expected);
    }
  });
});

it('keeps every token tied with the cut, and the lowest of tied greedy tokens', async () => {
  const logits = new Float32Array(600).fill(-4);
  for (const token of [44, 130, 599]) logits[token] = 2;
  expect(await drawOnGpu(logits, { ...PLAIN, temperature: 0 }, [], 9)).toBe(44);
  const drawn = new Set<number>();
  for (let seed = 0; seed < 24; seed++) {
    const params = { ...PLAIN, topK: 2, seed };
    const token = await drawOnGpu(logits, params, [], 9);
    expect(token).toBe(sampleToken(logits, params, [], 9));
    drawn.add(token);
  }
  expect([...drawn].sort((a, b) => a - b)).toEqual([44, 130, 599]);
});

it('applies the penalty once to a repeated token, to no more than the longest window', async () => {
  const logits = new Float32Array(700).fill(0);
  logits[5] = 4;
  logits[6] = 3;
  const params = { ...PLAIN, temperature: 0, repetitionPenalty: 1.2, penaltyLastN: 1000 };
  expect(await drawOnGpu(logits, params, [5, 5, 5, 5], 9)).toBe(5);
  const old = [5, ...Array.from({ length: MAX_PENALTY_TOKENS }, (_, i) => 100 + i)];
  expect(await drawOnGpu(logits, { ...params, repetitionPenalty: 2 }, old, 9)).toBe(5);
});

it('passes over NaN, and says so where no logit is finite', async () => {
  const logits = new Float32Array(64).fill(NaN);
  expect(await drawOnGpu(logits, PLAIN, [], 9)).toBe(NO_TOKEN);
  logits[20] = 1;
  expect(await drawOnGpu(logits, { ...PLAIN, temperature: 0 }, [], 9)).toBe(20);
  expect(await drawOnGpu(logits, { ...PLAIN, topK: 3, topP: 0.5 }, [], 9)).toBe(20);
  logits[21] = Infinity;
  expect(await drawOnGpu(logits, PLAIN, [], 9)).toBe(NO_TOKEN);
});
