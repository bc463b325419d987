import { describe, expect, it } from 'vitest';
import { chromiumArguments } from '../../../tools/bench/residency/chromium/driver.ts';
import { measurementOf, type ChromiumArguments } from '../../../tools/bench/residency/chromium/measure.ts';
import { fastestOf, measureReads, rateOf, rateText, readOffsets } from '../../../tools/bench/residency/chromium/read_rate.ts';
import { fewestRows, stepBounds } from '../../../tools/bench/residency/physical_bound.ts';
import { chatsOf } from '../../../tools/bench/residency/real_model.ts';
import { sweepOptionsOf } from '../../../tools/bench/residency/sweep_options.ts';

const ARGUMENTS: ChromiumArguments = {
  shape: 'olmoe', layers: '2', 'expert-format': 'W2', pools: '100,12.5', 'step-mode': 'adaptive', tier: '0', zipf: '0,0.8', warm: '0', decode: '8',
  uploads: false, reads: false, 'read-file': '256', hardware: false,
};

describe('options of bench:residency', () => {
  it('become plain data that a browser can be sent', () => {
    const { shape, ...options } = sweepOptionsOf(ARGUMENTS);
    expect(options).toEqual({ shapeName: 'olmoe', expertFormat: 'W2', stepModes: ['adaptive'], tiers: [0], pools: [100, 12.5], exponents: [0, 0.8], warm: 0, decode: 8 });
    expect(shape).toMatchObject({ layerCount: 2, expertCount: 64 });
    expect(measurementOf({ ...ARGUMENTS, reads: true })).toEqual({ kind: 'reads', fileByteLength: 2 ** 28 });
    expect(measurementOf({ ...ARGUMENTS, uploads: true })).toEqual({ kind: 'uploads' });
    expect(measurementOf(ARGUMENTS)).toEqual({ kind: 'sweep', options: sweepOptionsOf(ARGUMENTS) });
  });

  it.each([
    ['shape', 'gpt', /--shape takes one of olmoe, /], ['expert-format', 'w2', /--expert-format takes one of /],
    ['pools', '100,,25', /--pools takes numbers/], ['pools', '0', /--pools takes numbers/], ['layers', '1.5', /--layers takes whole/],
    ['step-mode', 'whole,fast', /--step-mode takes one of adaptive, /],
    ['layers', '17', /--layers takes numbers from 1 to 16/], ['decode', '', /--decode takes numbers/], ['zipf', 'x', /--zipf takes numbers/],
  ])('refuse --%s %s', (option, value, message) => {
    expect(() => sweepOptionsOf({ ...ARGUMENTS, [option]: value })).toThrow(message);
  });

  it('choose Chromium\'s software adapter unless hardware is asked for', () => {
    expect(chromiumArguments(false, 'p', 'a')).toContain('--use-webgpu-adapter=swiftshader');
    expect(chromiumArguments(true, 'p', 'a').filter((flag) => /swiftshader|vulkan/i.test(flag)))
      .toEqual(['--enable-features=Vulkan', '--use-angle=vulkan', '--disable-vulkan-surface']);
  });
});

describe('reads of bench:residency', () => {
  it('touch whole blocks of the file once, in order or not', () => {
    expect(readOffsets(35, 10, 'in order')).toEqual([0, 10, 20]);
    const random = readOffsets(10_000, 10, 'random', 500);
    expect(new Set(random).size).toBe(500);
    expect(random.every((at) => at % 10 === 0 && at <= 9990)).toBe(true);
    expect(random).not.toEqual([...random].sort((a, b) => a - b));
  });

  it('go to as many lanes as were asked for, each offset once', async () => {
    const seen: number[] = [];
    let [running, most] = [0, 0];
    await measureReads(async (at) => {
      seen.push(at);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running -= 1;
    }, [0, 1, 2, 3, 4, 5], 1, 3);
    expect([seen, most]).toEqual([[0, 1, 2, 3, 4, 5], 3]);
  });

  it('count the fastest of some runs', async () => {
    const milliseconds = [30, 10, 20];
    expect(await fastestOf(3, async () => rateOf(100, 1000, milliseconds.shift()!))).toEqual({ gigabytesPerSecond: 0.01, microseconds: 100 });
  });

  it('are told in units that leave digits', () => {
    expect(rateText({ gigabytesPerSecond: 12.345, microseconds: 8.44 })).toBe('12.35 GB/s · 8.4 µs');
    expect(rateText({ gigabytesPerSecond: 0.0123, microseconds: 24_600 })).toBe('12.3 MB/s · 25 ms');
  });
});

describe('a real model in bench:residency', () => {
  it('is asked chats as `hotset chat` reads them', () => {
    expect(chatsOf('Hi!\n What? \n\n/new\n/new\nBye /new\n')).toEqual([['Hi!', 'What?'], ['Bye /new']]);
  });

  it('has to load what Belády has to, after the warm-up', () => {
    // One layer of three experts, one used, one slot: every change of expert is a row.
    const shape = { expertLayerCount: 1, expertCount: 3, topK: 1 };
    const pool = { ...shape, groups: [{ layerIndexes: [0], slotCount: 1, slotByteLength: 1 }] };
    const steps = [0, 1, 1, 1, 2, 2, 0].map((expert) => ({ kind: 'decode' as const, layers: [[expert]] }));
    const prompt = { kind: 'prefill' as const, layers: [[0, 1, 2]] };
    const trace = { shape, steps: [...steps.slice(0, 2), prompt, ...steps.slice(2)] };
    expect(fewestRows(trace, { ...pool, groups: [{ ...pool.groups[0], slotCount: 3 }] }, 2)).toBe(0);
    // The prompt leaves expert 2 in the only slot; then 1, 2 and 0 are loaded for five tokens.
    expect(fewestRows(trace, pool, 2)).toBeCloseTo(3 / 5);
    expect(() => fewestRows(trace, pool, 7)).toThrow('a trace of 7 decoded tokens has none after 7');
  });

  it('can be no faster than its arithmetic and its uploads', () => {
    expect(stepBounds(4, 8e6, 8e9)).toEqual({ onDemand: 5, duringSteps: 4 });
    expect(stepBounds(4, 80e6, 8e9)).toEqual({ onDemand: 14, duringSteps: 10 });
  });
});
