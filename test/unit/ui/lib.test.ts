import { describe, expect, it } from 'vitest';
import { EXACT } from '../../../src/experts/approximations.ts';
import { answerApproximationText, approximationsText } from '../../../src/ui/lib/approximations.ts';
import { expertPlacementText } from '../../../src/ui/lib/expert_placement.ts';
import { filesOfInput } from '../../../src/ui/lib/drop_files.ts';
import { formatBytes, formatMillis, formatRate, formatSeconds } from '../../../src/ui/lib/format.ts';
import { splitThinking } from '../../../src/ui/lib/markdown.ts';
import { webGpuHelp } from '../../../src/ui/lib/webgpu_help.ts';
import type { ModelSummary } from '../../../src/hosts/api.ts';
import { declineDemo, demoToOpen } from '../../../src/ui/state/first_visit.ts';
import { createPreferenceStore } from '../../../src/ui/state/preferences.ts';
import { downloadStarter, fetchStarterModels } from '../../../src/ui/state/starter.ts';

describe('numbers as people read them', () => {
  it('bytes', () => {
    expect([0, 999, 1000, 1_234_567, 99_600_000, 999_950, 4.8e10].map(formatBytes))
      .toEqual(['0 B', '999 B', '1.0 kB', '1.2 MB', '100 MB', '1.0 MB', '48.0 GB']);
  });

  it('durations and rates', () => {
    expect([0, 59.4, 60, 61, 3600, 7800].map(formatSeconds)).toEqual(['0 s', '59 s', '1 min', '1 min 1 s', '1 h', '2 h 10 min']);
    expect([85.4, 999.6, 12_345].map(formatMillis)).toEqual(['85 ms', '1.0 s', '12.3 s']);
    expect([8.256, 99.4, 123.4].map(formatRate)).toEqual(['8.3', '99.4', '123']);
  });
});

describe('thoughts of reasoning models', () => {
  it.each([
    ['plain', { thinking: '', answer: 'plain', stillThinking: false }],
    ['<think>\nhm', { thinking: 'hm', answer: '', stillThinking: true }],
    ['<think>hm</think>\n\nyes', { thinking: 'hm', answer: 'yes', stillThinking: false }],
    // The template wrote the opening tag into the prompt.
    ['hm</think>yes', { thinking: 'hm', answer: 'yes', stillThinking: false }],
    ['say <think> aloud', { thinking: '', answer: 'say <think> aloud', stillThinking: false }],
  ])('%j', (text, split) => {
    expect(splitThinking(text)).toEqual(split);
  });
});

describe('how to turn WebGPU on', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36';

  it('knows the browser', () => {
    expect(webGpuHelp(chrome, true)).toMatchObject({ browser: 'Chrome' });
    expect(webGpuHelp(chrome, true).steps.join()).toContain('enable-vulkan');
    expect(webGpuHelp(`${chrome} Edg/150.0`, true).steps[0]).toContain('edge://');
    expect(webGpuHelp('Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0', true).browser).toBe('Firefox');
    expect(webGpuHelp('Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15', true).browser).toBe('Safari');
  });

  it('says first that an insecure page never has it', () => {
    expect(webGpuHelp(chrome, false).steps[0]).toContain('https://');
  });
});

describe('picked files', () => {
  it('keep their folders and leave hidden ones out', () => {
    const file = (name: string, webkitRelativePath: string) => Object.assign(new File(['x'], name), { webkitRelativePath });
    const files = [file('a.gguf', ''), file('config.json', 'm/config.json'), file('HEAD', 'm/.git/HEAD'), file('.DS_Store', 'm/.DS_Store')];
    expect(filesOfInput(files).map(({ path }) => path)).toEqual(['a.gguf', 'm/config.json']);
  });
});

describe('starter models', () => {
  const model = { file: 'tiny.gguf', title: 'Tiny', note: 'n', examples: ['Hi'] };

  it('are none where the site answers with anything else', async () => {
    const answer = (body: string, status = 200) => async () => new Response(body, { status });
    expect(await fetchStarterModels('./', answer(JSON.stringify({ models: [model, { file: 3 }] })))).toEqual([model]);
    const odd = { ...model, examples: [7, 'Hi'] };
    expect(await fetchStarterModels('./', answer(JSON.stringify({ models: [odd, { ...model, examples: 'Hi' }] }))))
      .toEqual([model, { ...model, examples: [] }]);
    expect(await fetchStarterModels('./', answer('<!doctype html>'))).toEqual([]);
    expect(await fetchStarterModels('./', answer('{"models": 7}'))).toEqual([]);
    expect(await fetchStarterModels('./', answer('', 404))).toEqual([]);
  });

  it('arrive as dropped files, with progress', async () => {
    const seen: number[] = [];
    const fetcher = async () => new Response('0123456789', { headers: { 'content-length': '10' } });
    const dropped = await downloadStarter('./', model, fetcher, (p) => seen.push(p.done), new AbortController().signal);
    expect(dropped.path).toBe('tiny.gguf');
    expect(await dropped.file.text()).toBe('0123456789');
    expect(seen.at(-1)).toBe(10);
  });

  it('say in one sentence that they can’t be downloaded', async () => {
    const from = (fetcher: () => Promise<Response>) => downloadStarter('./', model, fetcher, () => undefined, new AbortController().signal);
    await expect(from(async () => new Response('', { status: 404 }))).rejects.toThrow('Tiny can\'t be downloaded (the site has no tiny.gguf: answer 404).');
    const startPage = async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    await expect(from(startPage)).rejects.toThrow('has no tiny.gguf');
    const offline = async () => {
      throw new TypeError('Failed to fetch');
    };
    await expect(from(offline)).rejects.toThrow('Tiny can\'t be downloaded (Failed to fetch).');
  });
});

describe('the demo model opens by itself', () => {
  const demo = { file: 'demo.gguf', title: 'Demo', note: 'n', examples: [] };
  const model = (sourceFile: string, state: ModelSummary['state']) => ({ sourceFiles: [sourceFile], state }) as unknown as ModelSummary;
  const preferences = () => createPreferenceStore('', () => {
    throw new Error('none in Node');
  });

  it('on a first visit, also where that was cut off', () => {
    expect(demoToOpen([demo, { ...demo, file: 'b.gguf' }], [], preferences())).toBe(demo);
    expect(demoToOpen([demo], [model('demo.gguf', 'partial')], preferences())).toBe(demo);
  });

  it('never beside models, after one was open, where it was declined, or where the site has none', () => {
    expect(demoToOpen([], [], preferences())).toBeNull();
    expect(demoToOpen([demo], [model('demo.gguf', 'ready')], preferences())).toBeNull();
    expect(demoToOpen([demo], [model('own.gguf', 'partial')], preferences())).toBeNull();
    // Closed again: null is kept.
    const opened = preferences();
    opened.write('model', null);
    expect(demoToOpen([demo], [], opened)).toBeNull();
    const declined = preferences();
    declineDemo(declined);
    expect(demoToOpen([demo], [], declined)).toBeNull();
  });
});

describe('where experts are, in words', () => {
  const text = (gpuByteLength: number, ramByteLength: number, tierByteLength = 0): string =>
    expertPlacementText({ expertByteLength: 12.4e9, gpuByteLength, tierByteLength, ramByteLength, fallbackReason: null });

  it.each<[number, number, string]>([
    [12.4e9, 0, 'Experts: all on the GPU (12.4 GB)'],
    [3.1e9, 2e9, 'Experts: 25 % on the GPU (3.1 GB), up to 2.0 GB in RAM, the rest from storage'],
    [3.1e9, 0, 'Experts: 25 % on the GPU (3.1 GB), the rest from storage'],
    [3.1e9, 12.4e9, 'Experts: 25 % on the GPU (3.1 GB), all in RAM once they were used'],
    [5e7, 0, 'Experts: under 1 % on the GPU (50.0 MB), the rest from storage'],
  ])('%d of GPU and %d of RAM', (gpu, ram, expected) => {
    expect(text(gpu, ram)).toBe(expected);
  });

  it('with copies of more bits', () => {
    expect(text(12.4e9, 0, 2e9)).toBe('Experts: all on the GPU (12.4 GB) with 2.0 GB of FP4 copies');
    expect(text(3.1e9, 0, 2e9)).toBe('Experts: 25 % on the GPU (3.1 GB) with 2.0 GB of FP4 copies, the rest from storage');
  });
});

describe('what changes answers, in words', () => {
  const all = { tierShare: 0.1, gate: 0.6, missTolerance: 2 };
  const counts = { promotions: 1200, gatedSteps: 1, toleratedMisses: 5 };

  it.each([
    [all, 'Approximate: FP4 copies of 10 % of experts · unsure tokens again · up to 2 experts skipped',
      'Approximate: FP4 copies of 10 % of experts (1,200 moved in) · 1 unsure token again · 5 experts skipped'],
    [{ ...all, gate: null, missTolerance: 0 }, 'Approximate: FP4 copies of 10 % of experts', 'Approximate: FP4 copies of 10 % of experts (1,200 moved in)'],
    [{ ...EXACT, missTolerance: 1 }, 'Approximate: up to 1 expert skipped', 'Approximate: 5 experts skipped'],
    [EXACT, null, null],
  ])('%j', (applied, label, ofAnswer) => {
    expect([approximationsText(applied), answerApproximationText(applied, counts)]).toEqual([label, ofAnswer]);
  });
});
