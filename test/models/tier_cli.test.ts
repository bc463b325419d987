/** What a person who chooses a second tier on the command line gets: told of it, and the same text again. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { EvalRow } from '../../src/hosts/cli/eval_run.ts';
import { runCli } from '../../src/hosts/cli/run.ts';

const MODEL = join(import.meta.dirname, '../vectors/starter/starter.gguf');

async function hotset(args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ['', ''];
  const terminal = {
    input: Readable.from(['']), out: (text: string) => { out += text; }, note: (text: string) => { err += text; },
  };
  return { code: await runCli([...args, '--backend', 'webgpu'], terminal, new AbortController().signal), out, err };
}

it('gives the same text with the same seed, however large the pool under the tier is', async () => {
  const run = async (...more: readonly string[]) => {
    const { code, out, err } = await hotset([
      'generate', MODEL, '--prompt', 'Once', '--max-tokens', '12', '--temperature', '1', '--seed', '5', '--json',
      '--context', '16', '--experts', 'w2+fp4', '--tier', '20%', '--precision-gate', '0.6', ...more]);
    expect(code, err).toBe(0);
    expect(err).toMatch(/^Approximate: FP4 tier of 20 % of the experts, precision gate at 0\.6\nWebGPU/);
    return JSON.parse(out);
  };
  const whole = await run();
  const paged = await run('--expert-pool', '40%');
  expect(whole.residency.promotions).toBeGreaterThan(0);
  expect(whole.residency.gatedSteps).toBeGreaterThan(0);
  expect(paged.residency.misses).toBeGreaterThan(whole.residency.misses);
  expect(paged.tokens).toEqual(whole.tokens);
  expect(paged.residency).toMatchObject({ promotions: whole.residency.promotions, gatedSteps: whole.residency.gatedSteps });
});

it('scores a live tier token by token, warmed by the text before', async () => {
  const { code, out, err } = await hotset([
    'eval', '--model', MODEL, '--experts', 'w2,w2+fp4@50%/0.9', '--decode', '--context', '16', '--calibration-tokens', '20',
    '--max-tokens', '12', '--json']);
  expect(code, err).toBe(0);
  const [w2, live] = (JSON.parse(out) as { readonly rows: readonly EvalRow[] }).rows;
  expect(live.evaluation.scoredTokens).toBe(11);
  expect(live.evaluation.comparison!.kl.mean).toBeGreaterThan(0);
  expect(w2.decode).toMatchObject({ promotionsPerToken: null, gatedShare: null });
  expect(live.decode!.promotionsPerToken).toBeGreaterThan(0);
  expect(live.decode!.gatedShare).toBeGreaterThan(0);
  expect(live.expertSize!.bitsPerWeight).toBe(2.25 + 4.25 / 2);
  // Copies of half of the experts, give or take the alignment of rows and the pool's tables and staging.
  const copies = live.expertSize!.byteLength - w2.expertSize!.byteLength;
  expect(live.deviceByteLength! - w2.deviceByteLength!).toBeGreaterThan(0.9 * copies);
});
