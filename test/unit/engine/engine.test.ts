import { describe, expect, it } from 'vitest';
import type { SamplingParams } from '../../../src/compute/ops.ts';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { createEngine, type Engine, type EngineOptions } from '../../../src/engine/engine.ts';
import type { ChatMessage, GenerateEvent, GenerateRequest } from '../../../src/engine/types.ts';
import { planModel } from '../../../src/models/registry.ts';
import { createDirectSource } from '../../../src/storage/direct_source.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';
import { createTokenizer, type Tokenizer } from '../../../src/tokenizer/tokenizer.ts';
import { createFakeBackend } from '../../support/fake_backend.ts';
import { openModel, readReferenceRun } from '../../support/model_files.ts';

const GREEDY: SamplingParams = {
  temperature: 0, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1, penaltyLastN: 64, seed: 0,
};
const HELLO: readonly ChatMessage[] = [{ role: 'user', content: 'the cat' }];

const chat = (messages: readonly ChatMessage[], more: Partial<GenerateRequest> = {}): GenerateRequest =>
  ({ input: { kind: 'chat', messages }, sampling: GREEDY, maxTokens: 8, ...more });

/** The kit's Qwen3-MoE, with its manifest changed; counts its closings. */
async function qwenSource(changes: Partial<Manifest> = {}): Promise<ModelSource & { readonly closed: () => number }> {
  const source = createDirectSource(planModel(await openModel('qwen3_moe', 'safetensors')));
  let closed = 0;
  return {
    ...source, manifest: { ...source.manifest, ...changes },
    close: async () => void closed++, closed: () => closed,
  };
}

async function openQwen(options: Partial<EngineOptions> = {}, changes: Partial<Manifest> = {}): Promise<Engine> {
  return createEngine({ backend: createReferenceBackend(), source: await qwenSource(changes), contextLength: 256, ...options });
}

async function qwenTokenizer(): Promise<Tokenizer> {
  return createTokenizer((await qwenSource()).manifest.tokenizer!);
}

/** The kit's tokenizer with some members replaced. */
async function tokenizerWith(changes: Partial<Tokenizer>): Promise<Tokenizer> {
  const t = await qwenTokenizer();
  const { vocabSize, bosId, eosIds, addBos, bosToken, eosToken, stripsLeadingSpace } = t;
  return {
    vocabSize, bosId, eosIds, addBos, bosToken, eosToken, stripsLeadingSpace,
    encode: (text, options) => t.encode(text, options),
    decode: (ids, options) => t.decode(ids, options),
    tokenBytes: (id) => t.tokenBytes(id),
    idOf: (text) => t.idOf(text),
    isSpecial: (id) => t.isSpecial(id),
    ...changes,
  };
}

/** An engine whose model says these texts' tokens, one after the other and around again. */
async function openScripted(script: readonly number[], options: Partial<EngineOptions> = {}, changes: Partial<Manifest> = {}): Promise<Engine> {
  let at = 0;
  const backend = createFakeBackend({ maxStepTokens: 16, tokenAt: () => script[at++ % script.length] });
  return openQwen({ backend, ...options }, changes);
}

describe('generate', () => {
  it('continues a prompt as the reference does', async () => {
    const { tokens, greedy, greedy_prompt_len } = readReferenceRun('qwen3_moe');
    // The kit's prompt is a token list, which no text need encode to.
    const tokenizer = await tokenizerWith({ encode: () => tokens.slice(0, greedy_prompt_len) });
    const engine = await openQwen({ tokenizer });
    const request: GenerateRequest = { input: { kind: 'text', text: '…' }, sampling: GREEDY, maxTokens: greedy.length };
    const result = await engine.generate(request, () => undefined);
    expect(result.tokens).toEqual(greedy);
    expect(result).toMatchObject({ promptTokens: greedy_prompt_len, stopReason: 'max_tokens', reusedTokens: 0 });
  });

  it('streams exactly the text that it returns', async () => {
    const engine = await openQwen();
    const events: GenerateEvent[] = [];
    const result = await engine.generate(chat(HELLO), (event) => events.push(event));
    const shown = events.flatMap((event) => (event.kind === 'token' ? [event] : []));
    expect(shown.map(({ token }) => token)).toEqual(result.tokens);
    expect(shown.map(({ text }) => text).join('')).toBe(result.text);
    expect(result.tokens.length).toBe(8);
    expect(events[0]).toEqual({ kind: 'prefill', done: 0, total: result.promptTokens, reused: 0 });
    expect(result.contextUsed).toBe(result.promptTokens + 7);
  });

  it('answers a follow-up from the cache as a fresh engine does', async () => {
    const engine = await openQwen();
    const first = await engine.generate(chat(HELLO), () => undefined);
    const more: ChatMessage[] = [...HELLO, { role: 'assistant', content: first.text }, { role: 'user', content: 'and the dog' }];
    const second = await engine.generate(chat(more), () => undefined);
    expect(second.reusedTokens).toBeGreaterThanOrEqual(first.promptTokens - 1);
    const fresh = await (await openQwen()).generate(chat(more), () => undefined);
    expect(second.tokens).toEqual(fresh.tokens);
    expect(fresh.reusedTokens).toBe(0);
  });

  it('draws the same answer for the same seed', async () => {
    const engine = await openQwen();
    const sampled = (seed: number): Promise<readonly number[]> =>
      engine.generate(chat(HELLO, { sampling: { ...GREEDY, temperature: 1, seed } }), () => undefined).then(({ tokens }) => tokens);
    const first = await sampled(1);
    expect(await sampled(2)).not.toEqual(first);
    expect(await sampled(1)).toEqual(first);
  });

  it('holds an emoji back until its last token', async () => {
    const tokenizer = await qwenTokenizer();
    const emoji = tokenizer.encode('🦀!', { addSpecial: false, parseSpecial: false });
    expect(emoji.length).toBeGreaterThan(2);
    const engine = await openScripted(emoji);
    const texts: string[] = [];
    await engine.generate(chat(HELLO, { maxTokens: emoji.length }), (event) => {
      if (event.kind === 'token') texts.push(event.text);
    });
    expect(texts.filter((text) => text !== '')).toEqual(['🦀', '!']);
    expect(texts.at(-2)).toBe('🦀');
  });

  it('ends at the tokenizer\'s end tokens', async () => {
    const end = (await qwenTokenizer()).eosIds[0];
    const engine = await openScripted([40, 41, end]);
    const result = await engine.generate(chat(HELLO, { maxTokens: null }), () => undefined);
    expect(result).toMatchObject({ tokens: [40, 41], stopReason: 'end' });
  });

  it('gives no text for ids that only pad the vocabulary', async () => {
    const engine = await openScripted([505], { tokenizer: await tokenizerWith({ vocabSize: 500 }) });
    expect(await engine.generate(chat(HELLO, { maxTokens: 2 }), () => undefined)).toMatchObject({ tokens: [505, 505], text: '' });
  });

  it('stops within one token, keeping what was said', async () => {
    const abort = new AbortController();
    const engine = await openQwen();
    let tokens = 0;
    const result = await engine.generate(chat(HELLO, { maxTokens: null }), (event) => {
      if (event.kind === 'token' && ++tokens === 3) abort.abort();
    }, abort.signal);
    expect(result).toMatchObject({ stopReason: 'stopped', tokens: { length: 3 } });
    expect((await engine.generate(chat(HELLO), () => undefined)).tokens.length).toBe(8);
  });

  it('measures with the clock it was given', async () => {
    let time = 0;
    const end = (await qwenTokenizer()).eosIds[0];
    const script = [40, 41, 42, end];
    let at = 0;
    const backend = createFakeBackend({ maxStepTokens: 4, tokenAt: () => script[at++], onStep: () => void (time += 10) });
    const engine = await openQwen({ backend, clock: () => time });
    const result = await engine.generate(chat(HELLO), () => undefined);
    const prefillSteps = Math.ceil(result.promptTokens / 4);
    expect(result).toMatchObject({
      prefillMs: prefillSteps * 10, timeToFirstTokenMs: prefillSteps * 10, decodeMs: 30, tokensPerSecond: 100,
    });
  });
});

describe('refusals', () => {
  it('a second answer while the first is written', async () => {
    const engine = await openQwen();
    const first = engine.generate(chat(HELLO), () => undefined);
    await expect(engine.generate(chat(HELLO), () => undefined)).rejects.toThrow(/busy with another answer/);
    expect((await first).tokens.length).toBe(8);
  });

  it('a prompt longer than the context, saying what to do', async () => {
    const engine = await openQwen({ contextLength: 16 });
    const long = [{ role: 'user', content: 'word '.repeat(100) }] as const;
    await expect(engine.generate(chat(long), () => undefined)).rejects.toThrow(
      /^The conversation takes \d+ tokens, but the context holds 16: start a new chat/);
  });

  it('what the template refuses, in its own words', async () => {
    const template = "{%- if messages[0].role == 'system' -%}{{- raise_exception('System role not supported') -}}{%- endif -%}x";
    const engine = await openQwen({}, { chatTemplate: template });
    const messages: ChatMessage[] = [{ role: 'system', content: 'Be brief.' }, ...HELLO];
    await expect(engine.generate(chat(messages), () => undefined)).rejects.toThrow(/System role not supported/);
    expect(() => engine.countTokens(messages)).toThrow(/chat template doesn't take this conversation: .*System role/);
    expect((await engine.generate(chat(HELLO), () => undefined)).tokens.length).toBe(8);
  });

  it('chat without a tokenizer, naming the files; logits work', async () => {
    const engine = await openQwen({}, { tokenizer: null });
    await expect(engine.generate(chat(HELLO), () => undefined)).rejects.toThrow(/tokenizer\.json and tokenizer_config\.json/);
    const [row] = await engine.logits([1, 2, 3], [2]);
    expect(row).toHaveLength(512);
  });

  it.each([
    [{ sampling: { ...GREEDY, topP: 2 } }, /topP is 2/], [{ maxTokens: 0 }, /maxTokens must be at least 1/],
  ])('%j', async (more, message) => {
    await expect((await openQwen()).generate(chat(HELLO, more), () => undefined)).rejects.toThrow(message);
  });

  it('an empty raw text to a model without a beginning token', async () => {
    const engine = await openQwen();
    const request: GenerateRequest = { input: { kind: 'text', text: '' }, sampling: GREEDY, maxTokens: 1 };
    await expect(engine.generate(request, () => undefined)).rejects.toThrow(/The prompt is empty/);
  });
});

describe('logits', () => {
  it('are the same step by step and in chunks, in the order asked for', async () => {
    const engine = await openQwen({ backend: createReferenceBackend({ maxStepTokens: 3 }) });
    const tokens = readReferenceRun('qwen3_moe').tokens.slice(0, 10);
    const chunked = await engine.logits(tokens, [9, 0, 9]);
    const stepwise = await engine.logits(tokens, [9, 0, 9], { stepwise: true });
    expect(stepwise).toEqual(chunked);
    expect(chunked[0]).toEqual(chunked[2]);
    expect(chunked[0]).not.toEqual(chunked[1]);
    await expect(engine.logits(tokens, [10])).rejects.toThrow(/position 10 is outside of the 10 tokens/);
  });

  it('leave the conversation\'s cache alone', async () => {
    const engine = await openQwen();
    const first = await engine.generate(chat(HELLO), () => undefined);
    await engine.logits([1, 2, 3], [2]);
    expect((await engine.generate(chat(HELLO), () => undefined)).reusedTokens).toBe(first.promptTokens - 1);
  });
});

describe('info and counts', () => {
  it('tell what was opened', async () => {
    const engine = await openQwen({ contextLength: 1e6 });
    expect(engine.info).toMatchObject({
      architecture: 'qwen3moe', contextLength: 512, trainedContextLength: 512, chatTemplate: 'model', backend: { kind: 'reference' },
    });
    expect((await openQwen({}, { chatTemplate: null })).info.chatTemplate).toBe('chatml');
  });

  it('count the rendered messages without the answer\'s opening', async () => {
    const engine = await openQwen();
    expect(engine.countTokens([])).toBe(0);
    const result = await engine.generate(chat(HELLO), () => undefined);
    expect(engine.countTokens(HELLO)).toBeGreaterThan(0);
    expect(engine.countTokens(HELLO)).toBeLessThan(result.promptTokens);
  });
});

describe('a model\'s end', () => {
  it('dispose stops the answer in progress and closes the source', async () => {
    const source = await qwenSource();
    const engine = await openQwen({ source });
    const answer = engine.generate(chat(HELLO, { maxTokens: null }), () => undefined);
    await engine.dispose();
    expect(await answer).toMatchObject({ stopReason: 'stopped' });
    expect(source.closed()).toBe(1);
    await expect(engine.generate(chat(HELLO), () => undefined)).rejects.toThrow(/was closed/);
  });

  it('a failed opening closes the source', async () => {
    const source = await qwenSource({ architecture: 'mamba' });
    await expect(openQwen({ source })).rejects.toThrow(/'mamba'/);
    expect(source.closed()).toBe(1);
    const aborted = await qwenSource();
    await expect(openQwen({ source: aborted, signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow('cancelled');
    expect(aborted.closed()).toBe(1);
  });
});
