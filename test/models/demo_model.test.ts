/**
 * The model that the page ships, end to end (template, tokenizer, MXFP4 experts, sampling), against greedy answers of
 * llama.cpp. It rounds activations to 8 bits, so the questions are those without a near tie on the way.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slotByteLengths } from '../../src/compute/pool_size.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import { NextUsePolicy } from '../../src/experts/next_use.ts';
import { openNodeBackend, type NodeBackendName } from '../../src/hosts/node_backend.ts';
import { openNodeModel } from '../../src/hosts/node_model.ts';
import { createTokenizer } from '../../src/tokenizer/tokenizer.ts';
import { GREEDY } from '../../tools/kit/checks.ts';

interface Answer {
  readonly question: string;
  /** ChatML prompt, as llama.cpp tokenises it. */
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
}

const MODEL = fileURLToPath(new URL('../../public/models/hotset-demo.gguf', import.meta.url));
const ANSWERS = JSON.parse(readFileSync(new URL('../vectors/demo/llama_greedy.json', import.meta.url), 'utf8')) as Answer[];

it('tokenises chats as llama.cpp does', async () => {
  const { source } = await openNodeModel(MODEL);
  const tokenizer = createTokenizer(source.manifest.tokenizer!);
  for (const { question, prompt } of ANSWERS) {
    const text = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
    expect(tokenizer.encode(text, { addSpecial: true, parseSpecial: true })).toEqual(prompt);
  }
  await source.close();
});

describe.each<NodeBackendName>(['reference', 'webgpu'])('%s', (name) => {
  let engine: Engine;
  beforeAll(async () => {
    const [{ source }, backend] = await Promise.all([openNodeModel(MODEL), openNodeBackend(name)]);
    engine = await createEngine({ source, backend, contextLength: 1024 });
  });
  afterAll(() => engine.dispose());

  it.each(ANSWERS)('$question', async ({ question, prompt, ids }) => {
    const result = await engine.generate(
      { input: { kind: 'chat', messages: [{ role: 'user', content: question }] }, sampling: GREEDY, maxTokens: ids.length + 1 },
      () => undefined);
    expect(result.promptTokens).toBe(prompt.length);
    expect(result.tokens).toEqual(ids);
    expect(result.stopReason).toBe('end');
  });

  // SwiftShader takes its time; test/models/paging.test.ts has more pools.
  it.each(name === 'reference' ? ['50%', '25%', 'least'] : ['25%', 'least'])('answers the same, greedy and sampled, with %s of the experts in memory', async (pool) => {
    const [{ source }, backend] = await Promise.all([openNodeModel(MODEL), openNodeBackend(name)]);
    const { expertUsedCount } = source.manifest.hyperparameters;
    const size = pool === 'least' ? { byteLength: expertUsedCount * Math.max(...slotByteLengths(source.manifest)) }
      : { share: Number.parseInt(pool, 10) / 100 };
    const paged = await createEngine({
      source, backend, contextLength: 64, experts: { size, createPolicy: (shape) => new NextUsePolicy(shape) },
    });
    const sampled = { ...GREEDY, temperature: 1, seed: 3 };
    for (const sampling of [GREEDY, sampled]) {
      const request = {
        input: { kind: 'chat', messages: [{ role: 'user', content: ANSWERS[0].question }] }, sampling, maxTokens: 5,
      } as const;
      const expected = await engine.generate(request, () => undefined);
      expect((await paged.generate(request, () => undefined)).tokens).toEqual(expected.tokens);
    }
    const { misses, evictions } = paged.residency!;
    expect(misses).toBeGreaterThan(0);
    expect(evictions).toBeGreaterThan(0);
    await paged.dispose();
  });
});
