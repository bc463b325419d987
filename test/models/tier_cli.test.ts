/** What a person who chooses a second tier on the command line gets: told of it, and the same text again. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../../src/hosts/cli/run.ts';

const MODEL = join(import.meta.dirname, '../vectors/starter/starter.gguf');

it('gives the same text with the same seed, however large the pool under the tier is', async () => {
  const run = async (...more: readonly string[]) => {
    let [out, err] = ['', ''];
    const terminal = {
      input: Readable.from(['']), out: (text: string) => { out += text; }, note: (text: string) => { err += text; },
    };
    const args = ['generate', MODEL, '--prompt', 'Once upon a time', '--max-tokens', '12', '--temperature', '1', '--seed', '5', '--json',
      '--backend', 'webgpu', '--context', '64', '--experts', 'w2+fp4', '--tier', '20%', '--precision-gate', '0.6', ...more];
    expect(await runCli(args, terminal, new AbortController().signal), err).toBe(0);
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
