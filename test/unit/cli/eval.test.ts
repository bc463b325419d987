import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { roundAsym2 } from '../../../src/hosts/cli/eval_asym2.ts';
import { countRoutedTokens, hottestExperts } from '../../../src/hosts/cli/eval_calibration.ts';
import { markdownTable } from '../../../src/hosts/cli/eval_report.ts';
import { decodeMatrix, expertErrors, expertSize } from '../../../src/hosts/cli/eval_expert_statistics.ts';
import { createRoundedSource } from '../../../src/hosts/cli/eval_rounded_source.ts';
import { evaluateEntries, type EvalRow, type EvalServices } from '../../../src/hosts/cli/eval_run.ts';
import { formatRounding, parseVariants, type Rounding } from '../../../src/hosts/cli/eval_variants.ts';
import { runCli } from '../../../src/hosts/cli/run.ts';
import { openNodeModel } from '../../../src/hosts/node_model.ts';
import { decodeRows, encodeRows } from '../../../src/quant/pack.ts';

const MODEL = join(import.meta.dirname, '../../vectors/starter/starter.gguf');
const QWEN = join(import.meta.dirname, '../../vectors/models/qwen3_moe/qwen3_moe.gguf');
const never = new AbortController().signal;

async function hotset(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const terminal = {
    input: Readable.from(['']), out: (text: string) => { out += text; }, note: (text: string) => { err += text; },
  };
  return { code: await runCli(args, terminal, never), out, err };
}

describe('hotset eval', () => {
  it.each([
    [[], /--model is needed/],
    [['--experts', 'w2,iq9'], /keep, .*mxfp4.*, not 'iq9'/],
    [['--experts', 'w2+fp4:100%'], /between 0 and 100/],
    [['--experts', 'keep,w2+fp4@0%'], /above 0 and up to 100/],
    [['--experts', 'keep,w2~1@101%'], /above 0 and up to 100/],
    [['--experts', 'keep,w2+fp4@5%/1.5'], /probability is from 0 to 1/],
    [['--experts', 'w2+fp4@5%,w2'], /compared with the first, so it can't have a tier or a pool/],
    [['--scored', 'all'], /new or second-half, not 'all'/],
    [['--context', '8', '--stride', '9'], /--stride must be a whole number from 1 to 8/],
  ])('answers wrong usage %j in a line', async (args, message) => {
    const { code, err } = await hotset(['eval', ...(args.length === 0 ? [] : ['--model', MODEL]), ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('says which text it can\'t read', async () => {
    const { code, err } = await hotset(['eval', '--model', MODEL, '--text', 'absent.txt', '--backend', 'reference']);
    expect([code, err.split('\n').length]).toEqual([1, 2]);
    expect(err).toMatch(/absent\.txt can't be read/);
  });

  it('runs no live tier on the reference back end', async () => {
    const { code, err } = await hotset(['eval', '--model', MODEL, '--experts', 'keep,w2+fp4@5%', '--backend', 'reference']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^hotset eval: tiers and pools .* need WebGPU .*Reference.*\n$/)]);
  });

  it('scores as answers are made, W2 in its own format, to the same figures', async () => {
    const run = async (...more: readonly string[]): Promise<EvalRow[]> => JSON.parse((await hotset([
      'eval', '--model', MODEL, '--experts', 'keep,w2', '--backend', 'reference', '--context', '8', '--max-tokens', '9', '--json', ...more])).out).rows;
    const [batches, steps] = [await run(), await run('--decode')];
    expect(batches.map(({ decode }) => decode)).toEqual([null, null]);
    expect(steps[1].decode).toMatchObject({ promotionsPerToken: null, gatedShare: null, missesPerToken: null });
    expect(steps[1].decode!.tokensPerSecond).toBeGreaterThan(0);
    expect(steps[1].expertSize).toEqual(batches[1].expertSize);
    expect(steps[1].expertErrors!.relativeRms).toBeCloseTo(batches[1].expertErrors!.relativeRms, 12);
    steps.forEach((row, i) => expect(row.evaluation.nll.mean).toBeCloseTo(batches[i].evaluation.nll.mean, 4));
    expect(markdownTable(steps)).toContain('| tokens/s |');
    expect(markdownTable(batches)).not.toContain('tokens/s');
  });

  it('compares variants with the first and the first with nothing', async () => {
    const { code, out, err } = await hotset([
      'eval', '--model', MODEL, '--experts', 'keep,f32,w2,w2+fp4:25%', '--backend', 'reference', '--context', '16',
      '--calibration-tokens', '8', '--max-tokens', '24', '--json']);
    expect([code, err.split('\n').length]).toEqual([0, 6]);
    expect(err).toMatch(/^Reference \(CPU, slow\)\nstarter\.gguf keep: perplexity [\d.]+ over 22 tokens in [\d.]+ s\n/);
    const { rows, ...settings } = JSON.parse(out) as { rows: EvalRow[] };
    expect(settings).toMatchObject({ text: 'sample.txt', calibrationTokens: 8, maxTokens: 24, baseline: 0, backend: 'reference' });
    const [keep, exact, w2, tiered] = rows;
    expect(keep.evaluation).toMatchObject({ scoredTokens: 22, comparison: null });
    // Experts whose decoded values are kept give the very same logits.
    expect(exact.evaluation.comparison).toMatchObject({ kl: { mean: 0 }, topAgreement: { mean: 1 } });
    expect(exact.evaluation.nll).toEqual(keep.evaluation.nll);
    expect(exact).toMatchObject({ expertSize: { bitsPerWeight: 32 }, expertErrors: { relativeRms: 0, cosine: 1 } });
    expect(w2.evaluation.comparison!.kl.mean).toBeGreaterThan(0.01);
    expect(keep.expertSize!.bitsPerWeight).toBe(4.5);
    expect(w2.expertSize!.bitsPerWeight).toBe(2.25);
    expect(tiered.expertSize!.bitsPerWeight).toBe(2.25 + 0.25 * 2);
    expect(tiered.expertErrors!.relativeRms).toBeLessThan(w2.expertErrors!.relativeRms);
    expect(Math.abs(w2.expertErrors!.signBias)).toBeLessThan(0.01);
    expect(tiered.evaluation.comparison!.kl.mean).not.toBe(w2.evaluation.comparison!.kl.mean);
    const table = markdownTable(rows).trimEnd().split('\n');
    expect(table).toHaveLength(2 + rows.length);
    expect(new Set(table.map((line) => line.split('|').length)).size).toBe(1);
  });

  it('compares models with a baseline of its own, which is named in the table', async () => {
    const { code, out, err } = await hotset([
      'eval', '--model', QWEN, '--baseline', MODEL, '--backend', 'reference', '--context', '16', '--max-tokens', '16', '--markdown']);
    const [head, , baseline, model] = out.split('\n').map((line) => line.split(' | '));
    expect([code, head[0]]).toEqual([0, '| model']);
    expect(baseline[0]).toBe(`| ${basename(MODEL)}`);
    const [kl, rms] = [head.indexOf('KL divergence'), head.indexOf('relative RMS')];
    expect(baseline[kl]).toBe('–');
    expect(model[kl]).toMatch(/^\d+\.\d+ ± \d+\.\d+$/);
    // Experts of other shapes have no errors against each other.
    expect([baseline[rms], model[rms]]).toEqual(['0.0000', '–']);
    expect(err).toMatch(/15 tokens of sample\.txt scored in windows of 16 tokens, .* from the first line to each/);
  });

  it('gives the same figures where the baseline is too long to keep and runs in step', async () => {
    const run = async (maxRecordingByteLength: number): Promise<EvalRow[]> => {
      const services: EvalServices = {
        backend: createReferenceBackend(), signal: never, maxRecordingByteLength, clock: () => 0, onProgress: () => undefined,
      };
      const entries = parseVariants('keep,w2').map((variant) => ({ modelPath: MODEL, variant }));
      return evaluateEntries(entries, {
        text: 'What is the capital of France?', windows: { contextLength: 16, stride: 8, scored: 'new' }, calibrationTokens: 0,
        maxTokens: 20, decodes: false,
      }, services);
    };
    expect(await run(0)).toEqual(await run(1e9));
  });
});

describe('rounded experts', () => {
  it('hold exactly the values of the format, in BF16', async () => {
    const { source } = await openNodeModel(MODEL);
    const rounded = createRoundedSource(source, () => formatRounding('W2'), 'BF16');
    const [before, after] = [source.manifest.expertLayers[1], rounded.manifest.expertLayers[1]];
    const [from, to] = await Promise.all([source.readExpertRow(1, 5), rounded.readExpertRow(1, 5)]);
    for (const name of ['gate', 'up', 'down'] as const) {
      const { rows, cols } = before[name];
      expect(after[name].format).toBe('BF16');
      expect(decodeMatrix(to, after[name])).toEqual(
        decodeRows('W2', encodeRows('W2', decodeMatrix(from, before[name]), rows, cols), rows, cols));
    }
    const elems = 3 * 8 * 3 * 256 * 64;
    expect(expertSize(source.manifest, () => formatRounding('W2'))).toEqual({ bitsPerWeight: 2.25, byteLength: (elems * 2.25) / 8 });
    await rounded.close();
  });

  it('are refused in BF16 where it would round them once more, and where blocks don\'t fit', async () => {
    const { source } = await openNodeModel(MODEL);
    await expect(createRoundedSource(source, () => formatRounding('Q8_0'), 'BF16').readExpertRow(0, 0)).rejects.toThrow(/BF16 doesn't hold/);
    const wide: Rounding = { ...formatRounding('W2'), name: 'wide', blockElems: 512 };
    await expect(createRoundedSource(source, () => wide, 'F32').readExpertRow(0, 0)).rejects.toThrow(
      /starter.*gate of layer 0 has 256 weights, which is no multiple of the wide block of 512/i);
    await source.close();
  });

  it('are compared expert by expert, and not at all with those of another shape', async () => {
    const [{ source }, { source: other }] = await Promise.all([openNodeModel(MODEL), openNodeModel(QWEN)]);
    expect(await expertErrors(source, other, never)).toBeNull();
    // Half of the experts twice as large: the errors of those are as large as the weights.
    const doubled: Rounding = { ...formatRounding('F32'), round: (run) => decodeRows(run.format, run.bytes, 1, run.elems).map((x) => 2 * x) };
    const rounded = createRoundedSource(source, (_, expert) => expert < 4 ? doubled : formatRounding('F32'), 'F32');
    const { relativeRms, cosine, signBias } = (await expertErrors(source, rounded, never))!;
    expect([relativeRms, signBias]).toEqual([0.5, 0]);
    expect(cosine).toBeCloseTo(1, 12);
  });

  it('in the asymmetric control are the nearest levels under the best of all exponents', () => {
    const x = Float32Array.from({ length: 64 }, (_, i) => (i < 32 ? 1 : 1e-3) * Math.sin(i * i + 0.3) + (i === 7 ? 2 : 0));
    const y = roundAsym2(x);
    for (const at of [0, 32]) {
      const errorUnder = (scale: number): number => {
        let sum = 0;
        for (let j = at; j < at + 32; j++) sum += Math.min(...[-3, -1, 0.5, 4].map((level) => (x[j] - level * scale) ** 2));
        return sum;
      };
      const best = Math.min(...Array.from({ length: 60 }, (_, e) => errorUnder(2 ** (e - 40))));
      let error = 0;
      for (let j = at; j < at + 32; j++) error += (x[j] - y[j]) ** 2;
      expect(error).toBeCloseTo(best, 12);
    }
    expect([...roundAsym2(new Float32Array(32))].every((value) => value >= 0)).toBe(true);
  });
});

it('variants that run as answers are made say with what', () => {
  const [tier, gated, pool] = parseVariants('w2+fp4@5%,w2+fp4@20%/.6,keep~2@25%');
  expect(tier).toMatchObject({ conversion: 'w2+fp4', poolShare: 1, approximations: { tierShare: 0.05, gate: null, missTolerance: 0 } });
  expect(gated).toMatchObject({ conversion: 'w2+fp4', poolShare: 1, approximations: { tierShare: 0.2, gate: 0.6, missTolerance: 0 } });
  expect(pool).toMatchObject({ conversion: 'keep', poolShare: 0.25, approximations: { tierShare: 0, gate: null, missTolerance: 2 } });
});

describe('calibration', () => {
  it('counts every choice of every layer', async () => {
    const { source } = await openNodeModel(MODEL);
    const counts = await countRoutedTokens(source, 'Once upon a time there was a little fox.', 10, 4, never);
    for (const layer of [0, 1, 2]) {
      const total = Array.from({ length: 8 }, (_, expert) => counts.get(`${layer}/${expert}`) ?? 0).reduce((a, b) => a + b);
      // Two experts of each of the ten tokens.
      expect(total).toBe(20);
    }
  });

  it('takes the share of all experts with the most tokens, the first of equals', () => {
    const counts = new Map([['0/1', 5], ['1/0', 9], ['1/2', 5]]);
    expect([...hottestExperts(counts, [0, 1], 4, 0.25)]).toEqual(['1/0', '0/1']);
    expect(hottestExperts(counts, [0, 1], 4, 0.01).size).toBe(0);
  });
});
