import { describe, expect, it } from 'vitest';
import { EXACT } from '../../../src/experts/approximations.ts';
import { createNotices, sentenceOf } from '../../../src/ui/state/notices.ts';
import { createPreferenceStore } from '../../../src/ui/state/preferences.ts';
import { createRateMeter } from '../../../src/ui/state/rate_meter.ts';
import { approximationsOf, createSettings, DEFAULT_SETTINGS, expertBudgetOf, readSettings, samplingOf } from '../../../src/ui/state/settings.ts';
import { titleOf } from '../../../src/ui/state/chats.ts';
import { messagesOf } from '../../../src/ui/state/conversation.ts';
import { createTasks } from '../../../src/ui/state/tasks.ts';

describe('rate meter', () => {
  const bytes = { stage: 'Importing', total: 1000, unit: 'bytes' as const };

  it('tells rate and remaining time once there is enough to tell', () => {
    let now = 0;
    const rate = createRateMeter(() => now);
    expect(rate({ ...bytes, done: 0 })).toMatchObject({ perSecond: null, remainingSeconds: null });
    now = 100;
    expect(rate({ ...bytes, done: 50 }).perSecond).toBeNull();
    now = 1000;
    expect(rate({ ...bytes, done: 500 })).toMatchObject({ perSecond: 500, remainingSeconds: 1 });
  });

  it('follows the last seconds only', () => {
    let now = 0;
    const rate = createRateMeter(() => now);
    let last = rate({ ...bytes, total: 1e6, done: 0 });
    let done = 0;
    for (; now < 10_000; now += 500) last = rate({ ...bytes, total: 1e6, done: (done += 500) });
    expect(last.perSecond).toBeCloseTo(1000, 6);
    for (; now < 30_000; now += 500) last = rate({ ...bytes, total: 1e6, done: (done += 50) });
    expect(last.perSecond).toBeCloseTo(100, 6);
  });

  it('starts afresh with a new stage', () => {
    let now = 0;
    const rate = createRateMeter(() => now);
    rate({ ...bytes, done: 0 });
    now = 2000;
    rate({ ...bytes, done: 1000 });
    expect(rate({ stage: 'Compiling shaders', done: 0, total: 9, unit: 'kernels' }).perSecond).toBeNull();
  });
});

describe('settings', () => {
  it('takes defaults for what is missing or of the wrong kind', () => {
    expect(readSettings(undefined)).toEqual(DEFAULT_SETTINGS);
    expect(readSettings({ temperature: 'hot', topK: null, theme: 'pink', backend: 7, systemPrompt: 3 })).toEqual(DEFAULT_SETTINGS);
  });

  it('clips numbers, rounds whole ones and keeps the nulls that mean something', () => {
    const settings = readSettings({ temperature: 99, topK: 3.6, topP: -1, maxTokens: null, seed: 5, contextLength: 1 });
    expect(settings).toMatchObject({ temperature: 2, topK: 4, topP: 0.05, maxTokens: null, seed: 5, contextLength: 64 });
    expect(readSettings({ temperature: Number.NaN }).temperature).toBe(DEFAULT_SETTINGS.temperature);
  });

  it('gives memory for experts as the host takes it', () => {
    expect(expertBudgetOf(DEFAULT_SETTINGS)).toEqual({ gpu: 'auto', ramByteLength: null });
    const budgetWith = (change: object): unknown => expertBudgetOf(readSettings(change));
    expect(budgetWith({ gpuExperts: '25%', ramExpertGigabytes: 0 })).toEqual({ gpu: { share: 0.25 }, ramByteLength: 0 });
    expect(budgetWith({ gpuExperts: 'all' })).toEqual({ gpu: { share: 1 }, ramByteLength: null });
    expect(budgetWith({ gpuExperts: 'gigabytes', gpuExpertGigabytes: 2.5, ramExpertGigabytes: 3 })).toEqual({ gpu: { byteLength: 2.5e9 }, ramByteLength: 3e9 });
    expect(budgetWith({ gpuExperts: '26%', gpuExpertGigabytes: 'much' })).toEqual({ gpu: 'auto', ramByteLength: null });
  });

  it('gives approximations as the host takes them: none by default, the gate only with copies', () => {
    const approximations = (change: object): unknown => approximationsOf(readSettings(change));
    expect(approximations({})).toEqual(EXACT);
    expect(approximations({ unsureAgain: true, missTolerance: 99 })).toEqual({ ...EXACT, missTolerance: 8 });
    expect(approximations({ fp4Copies: '20%', unsureAgain: true })).toEqual({ tierShare: 0.2, gate: 0.6, missTolerance: 0 });
    expect(approximations({ fp4Copies: '5%', unsureAgain: true, unsurePercent: 5 })).toMatchObject({ tierShare: 0.05, gate: 0.3 });
    expect(approximations({ fp4Copies: '50%', unsureAgain: 'yes' })).toEqual(EXACT);
  });

  it('resets sampling and nothing else', () => {
    const settings = createSettings(createPreferenceStore('', () => { throw new Error('none in Node'); }));
    settings.update({ temperature: 0, seed: 3, maxTokens: 5, backend: 'reference', gpuExperts: '50%', theme: 'dark' });
    settings.resetSampling();
    expect(settings.values.value).toEqual({ ...DEFAULT_SETTINGS, backend: 'reference', gpuExperts: '50%', theme: 'dark' });
  });

  it('draws a seed only where none is set', () => {
    expect(samplingOf({ ...DEFAULT_SETTINGS, seed: 0 }, () => 9).seed).toBe(0);
    expect(samplingOf(DEFAULT_SETTINGS, () => 9).seed).toBe(9);
  });
});

describe('preferences', () => {
  it('survive a browser that blocks localStorage', () => {
    const store = createPreferenceStore('x.', () => {
      throw new Error('blocked');
    });
    expect(store.read('a')).toBeUndefined();
    store.write('a', { b: 1 });
    expect(store.read('a')).toEqual({ b: 1 });
  });
});

describe('notices', () => {
  it('keep the one of two equal errors that offers a way out', () => {
    const notices = createNotices();
    const action = { label: 'Open', run: () => undefined };
    notices.show({ kind: 'error', text: 'Lost.' });
    notices.show({ kind: 'error', text: 'Lost.', action });
    notices.show({ kind: 'error', text: 'Lost.' });
    expect(notices.list.value.map((notice) => notice.action)).toEqual([action]);
    notices.dismiss(notices.list.value[0].id);
    expect(notices.list.value).toEqual([]);
  });

  it('make sentences, and leave names alone', () => {
    expect(sentenceOf(new Error('there is no model here'))).toBe('There is no model here.');
    expect(sentenceOf(new Error('the.gguf is cut off'))).toBe('the.gguf is cut off.');
    expect(sentenceOf(new Error('model.gguf is empty'))).toBe('model.gguf is empty.');
    expect(sentenceOf(undefined)).toMatch(/without saying why/);
  });
});

describe('tasks', () => {
  it('run one at a time and show their progress', async () => {
    const tasks = createTasks(() => 0);
    let finish: () => void = () => undefined;
    const first = tasks.run('Importing a', [], async (report) => {
      report({ stage: 'Importing', done: 1, total: 2, unit: 'bytes' });
      await new Promise<void>((done) => {
        finish = done;
      });
    });
    expect(tasks.current.value).toMatchObject({ title: 'Importing a', progress: { done: 1, total: 2 } });
    await expect(tasks.run('Opening b', [], async () => 1)).rejects.toThrow('“Importing a” is still running');
    finish();
    await first;
    expect(tasks.current.value).toBeNull();
    await expect(tasks.run('Opening b', [], async () => 1)).resolves.toBe(1);
  });

  it('have ended where a report comes later than the result', async () => {
    const tasks = createTasks(() => 0);
    const report = await tasks.run('Importing a', [], async (tell) => tell);
    report({ stage: 'Importing', done: 2, total: 2, unit: 'bytes' });
    expect(tasks.current.value).toBeNull();
  });
});

describe('chats', () => {
  it('are titled by their first line, cut at a word', () => {
    expect(titleOf('  \n ')).toBe('New chat');
    expect(titleOf('Hello\nworld')).toBe('Hello');
    const long = titleOf('word '.repeat(30));
    expect(long.length).toBeLessThanOrEqual(61);
    expect(long.endsWith('word…')).toBe(true);
  });

  it('become messages, with the system prompt first and without answers that never came', () => {
    const turn = (role: 'user' | 'assistant', content: string) => ({ id: content, role, content, stats: null });
    const chat = { id: 'c', title: '', createdAt: 0, updatedAt: 0, turns: [turn('user', 'hi'), turn('assistant', ''), turn('user', 'hi?')] };
    expect(messagesOf(chat, ' Be kind. ')).toEqual([
      { role: 'system', content: 'Be kind.' }, { role: 'user', content: 'hi' }, { role: 'user', content: 'hi?' },
    ]);
    expect(messagesOf(chat, ' ')[0].role).toBe('user');
  });
});
