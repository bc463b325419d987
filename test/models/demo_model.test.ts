/**
 * The model that the page ships, end to end (template, tokenizer, MXFP4 experts, sampling), against greedy answers of
 * llama.cpp. It rounds activations to 8 bits, so the questions are those without a near tie on the way.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
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
});
