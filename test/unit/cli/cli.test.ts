import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS, runCli } from '../../../src/hosts/cli/run.ts';

const MODEL = join(import.meta.dirname, '../../vectors/starter/starter.gguf');

let folder = '';
beforeAll(() => { folder = mkdtempSync(join(tmpdir(), 'hotset-cli-')); });
afterAll(() => rmSync(folder, { recursive: true }));

interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function hotset(args: readonly string[], input = ''): Promise<CliResult> {
  let out = '';
  let err = '';
  const terminal = {
    input: Readable.from([input]),
    out: (text: string) => { out += text; },
    note: (text: string) => { err += text; },
  };
  const code = await runCli(args, terminal, new AbortController().signal);
  return { code, out, err };
}

const onReference = ['--backend', 'reference'];

describe('hotset', () => {
  it('explains itself with --help, and every command does', async () => {
    const { code, out, err } = await hotset(['--help']);
    expect([code, err]).toEqual([0, '']);
    for (const { name } of COMMANDS) {
      expect(out).toContain(`  ${name} `);
      const help = await hotset([name, '--help']);
      expect(help.code).toBe(0);
      expect(help.out).toContain(`Usage: hotset ${name} `);
    }
  });

  it.each([
    [[], /no command given/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['inspect'], /expected MODEL, got nothing/],
    [['inspect', MODEL, '--frob'], /--frob/],
    [['logits', MODEL], /--tokens is needed/],
    [['logits', MODEL, '--tokens', '3 512'], /from 0 to 511, not '512'/],
    [['logits', MODEL, '--tokens', '3 4', '--positions', '2'], /from 0 to 1, not '2'/],
    [['logits', MODEL, '--tokens', '3', '--experts', 'w5'], /--experts is keep, w2, w2\+fp4 or w3, not 'w5'/],
    [['logits', MODEL, '--tokens', '3', '--experts', 'w2', '--tier', '10%', '--stepwise'], /--tier needs .* second tier.*: add --experts w2\+fp4/],
    [['logits', MODEL, '--tokens', '3', '--experts', 'w2+fp4', '--tier', '10%'], /single tokens, .*: add --stepwise/],
    [['generate', MODEL, '--prompt', 'x', '--experts', 'w2+fp4', '--tier', '10'], /--tier is a share above 0 and up to 100%, not '10'/],
    [['generate', MODEL, '--prompt', 'x', '--precision-gate', '0.6'], /--precision-gate needs --tier/],
    [['generate', MODEL, '--prompt', 'x', '--miss-tolerance', '1'], /--miss-tolerance needs an --expert-pool of less/],
    [['logits', MODEL, '--tokens', '3', '--backend', 'cuda'], /reference or webgpu, not 'cuda'/],
    [['generate', MODEL], /--prompt is needed/],
    [['generate', MODEL, '--prompt', 'x', '--max-tokens', '0'], /--max-tokens must be a whole number/],
    [['generate', MODEL, '--prompt', 'x', '--greedy', '--temperature', '1'], /exclude each other/],
    [['generate', MODEL, '--prompt', 'x', '--trace-kernels'], /--trace-kernels needs --trace FILE/],
  ])('answers wrong usage %j with exit code 2 and one line', async (args, message) => {
    const { code, out, err } = await hotset(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('answers a broken model with exit code 1, one line and no stack trace', async () => {
    const truncated = join(folder, 'truncated.gguf');
    writeFileSync(truncated, readFileSync(MODEL).subarray(0, 5000));
    const textFile = join(folder, 'text.gguf');
    writeFileSync(textFile, 'this is no model');
    for (const path of [join(folder, 'absent.gguf'), truncated, textFile, folder]) {
      const { code, out, err } = await hotset(['generate', path, '--prompt', 'x', ...onReference]);
      expect([code, out], path).toEqual([1, '']);
      expect(err.trimEnd().split('\n'), path).toHaveLength(1);
      expect(err, path).not.toMatch(/\n\s+at |Error:/);
    }
  });

  it('refuses approximations on the reference back end', async () => {
    const { code, out, err } = await hotset(
      ['generate', MODEL, '--prompt', 'x', '--experts', 'w2+fp4', '--tier', '10%', ...onReference]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^hotset generate: --tier .* WebGPU .*Reference.*\n$/);
  });

  it('inspects', async () => {
    const { code, out, err } = await hotset(['inspect', MODEL]);
    expect([code, err]).toEqual([0, '']);
    const report = JSON.parse(out);
    expect(report).toMatchObject({
      container: 'gguf', architecture: 'qwen3moe',
      hyperparameters: { hiddenSize: 256, layerCount: 3, expertCount: 8, expertUsedCount: 2, vocabSize: 512 },
      tokenizer: { kind: 'gpt2', vocabSize: 512, endTokens: [{ id: 0 }, { id: 2, text: '<|im_end|>' }] },
    });
    expect(report.chatTemplate).toContain('<|im_start|>');
    expect(Object.keys(report.formats).toSorted()).toEqual(['F16', 'F32', 'Q4_0', 'Q4_K', 'Q6_K', 'Q8_0']);
    expect(report.tensors).toHaveLength(3 + 3 * 12);
    expect(report.tensors.find((t: { name: string }) => t.name === 'blk.0.ffn_down_exps.weight')).toMatchObject(
      { format: 'Q4_0', shape: [8, 256, 64], file: 'starter.gguf', byteLength: (8 * 256 * 64 * 18) / 32 });
  });

  it('tokenizes, with control tokens spelled in the text or taken as text', async () => {
    const { tokens, texts } = JSON.parse((await hotset(['tokenize', MODEL, 'the €<|im_end|>'])).out);
    expect(texts.slice(0, 2).join('')).toBe('the');
    expect(tokens.at(-1)).toBe(2);
    expect(texts).toHaveLength(tokens.length);
    const plain = JSON.parse((await hotset(['tokenize', MODEL, 'the €<|im_end|>', '--plain'])).out);
    expect(plain.tokens).not.toContain(2);
  });

  it('prints a row of logits for each position, in the order asked for', async () => {
    const run = async (...more: string[]) => JSON.parse(
      (await hotset(['logits', MODEL, '--tokens', '3 14 15', ...more, ...onReference])).out) as number[][];
    const rows = await run('--positions', '2 0');
    expect(rows.map((row) => row.length)).toEqual([512, 512]);
    expect(await run()).toEqual([rows[0]]);
    const stepwise = await run('--positions', '2 0', '--stepwise');
    stepwise.flat().forEach((value, index) => expect(value).toBeCloseTo(rows.flat()[index], 4));
    // The last row depends on the tokens before it.
    expect(rows[0]).not.toEqual(rows[1]);
    // Converted experts give about the same, not the same.
    const [three] = await run('--experts', 'w3');
    expect(three).not.toEqual(rows[0]);
    const distance = (row: number[]) => Math.hypot(...row.map((value, index) => value - rows[0][index]));
    expect(distance(three)).toBeLessThan(distance((await run('--experts', 'w2'))[0]));
  });

  it('writes what a run took as a Chrome trace', async () => {
    const path = join(folder, 'trace.json');
    const { code } = await hotset(['generate', MODEL, '--prompt', 'Once', '--max-tokens', '4', '--greedy', '--trace', path, ...onReference]);
    expect(code).toBe(0);
    const trace = JSON.parse(readFileSync(path, 'utf8')) as { readonly otherData: unknown; readonly traceEvents: readonly { readonly name: string }[] };
    expect(trace.otherData).toMatchObject({ backend: 'Reference (CPU, slow)' });
    const count = (name: string): number => trace.traceEvents.filter((event) => event.name === name).length;
    expect([count('prefill step'), count('decode step')]).toEqual([1, 3]);
    expect(count('load from storage')).toBeGreaterThan(0);
  });

  it('generates the same greedy tokens as text and as JSON', async () => {
    const args = ['generate', MODEL, '--prompt', 'Once', '--max-tokens', '8', '--greedy', ...onReference];
    const plain = await hotset(args);
    const { code, out, err } = await hotset([...args, '--json']);
    expect([plain.code, code]).toEqual([0, 0]);
    const result = JSON.parse(out);
    expect(result.tokens).toHaveLength(8);
    expect(result).toMatchObject({ stopReason: 'max_tokens', backend: 'reference', sampling: { temperature: 0 } });
    expect(plain.out).toBe(`${result.text}\n`);
    expect(result.timings.prefillMs).toBeGreaterThan(0);
    expect(err).toContain('Reference');
  });

  it('draws the same tokens from the same seed, others from another', async () => {
    const run = async (seed: string) => JSON.parse((await hotset(
      ['generate', MODEL, '--prompt', 'Once', '--max-tokens', '16', '--temperature', '1', '--seed', seed, '--json', ...onReference])).out).tokens;
    expect(await run('7')).toEqual(await run('7'));
    expect(await run('7')).not.toEqual(await run('8'));
  });

  it('chats until /exit and leaves what comes after unread', async () => {
    const { code, out, err } = await hotset(
      ['chat', MODEL, '--greedy', '--context', '80', ...onReference], 'Hello\n\n/new\nHello\n/exit\nHello\n');
    expect(code).toBe(0);
    // Two answers to the same question in new conversations are the same.
    const answers = err.match(/\[.* tokens.*prompt tokens.*\]/g) ?? [];
    expect(answers).toHaveLength(2);
    const half = out.length / 2;
    expect(out.slice(0, half)).toBe(out.slice(half));
  });

  it('goes on after a message that is too long for the context', async () => {
    const { code, err } = await hotset(
      ['chat', MODEL, '--greedy', '--context', '40', ...onReference], `${'long '.repeat(100)}\nHi\n`);
    expect(code).toBe(0);
    expect(err).toMatch(/context holds 40/);
    expect(err).toMatch(/\[.*prompt tokens.*\]/);
  });
});
