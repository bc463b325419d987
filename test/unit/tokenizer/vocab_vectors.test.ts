/** Token ids against llama.cpp's, on its own vocabulary tests (test/vectors/vocab). */
import { readFileSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TokenizerSource } from '../../../src/formats/checkpoint.ts';
import { createTokenizer, type Tokenizer } from '../../../src/tokenizer/tokenizer.ts';
import { createTokenStream } from '../../../src/tokenizer/stream.ts';

interface VocabVector {
  readonly source: TokenizerSource;
  readonly cases: readonly { readonly text: string; readonly ids: readonly number[] }[];
}

const folder = new URL('../../vectors/vocab/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json.gz') && !name.startsWith('hf-'));

function load(name: string): VocabVector & { readonly tokenizer: Tokenizer } {
  const vector = JSON.parse(gunzipSync(readFileSync(new URL(name, folder))).toString('utf8')) as VocabVector;
  return { ...vector, tokenizer: createTokenizer(vector.source) };
}

const loaded = new Map(names.map((name) => [name, load(name)]));
function tokenizerOf(name: string): Tokenizer {
  return loaded.get(`${name}.json.gz`)!.tokenizer;
}

it('has all seven vocabularies', () => {
  expect(names).toHaveLength(7);
});

describe.each(names)('%s', (name) => {
  const { tokenizer, cases } = loaded.get(name)!;

  it('encodes every text as llama.cpp does', () => {
    expect(cases.length).toBeGreaterThanOrEqual(46);
    for (const { text, ids } of cases) {
      expect(tokenizer.encode(text, { addSpecial: false, parseSpecial: false }), JSON.stringify(text)).toEqual(ids);
    }
  });

  it('decodes to the same text, whole and token by token', () => {
    for (const { text, ids } of cases) {
      expect(tokenizer.decode(ids)).toBe(text);
      const stream = createTokenStream(tokenizer);
      expect(ids.map((id) => stream.push(id)).join('') + stream.flush()).toBe(text);
    }
  });

  it('encodes long texts without special care for any shape of them', () => {
    const sentence = 'The quick brown fox, born in 1987, said: "Größe ist 🦙!"\n\tfunction f(x) { return x + 1; }\n';
    const long = sentence.repeat(Math.ceil(200_000 / sentence.length));
    for (const text of [long, ' '.repeat(20_000), 'ab'.repeat(10_000), '7'.repeat(20_000), '\n'.repeat(20_000)]) {
      expect(tokenizer.decode(tokenizer.encode(text, { addSpecial: false, parseSpecial: true }))).toBe(text);
    }
  });
});

describe('special tokens of real vocabularies', () => {
  it('llama 3: bos by default, control tokens only when asked for', () => {
    const tokenizer = tokenizerOf('llama-bpe');
    expect(tokenizer.addBos).toBe(true);
    expect([tokenizer.bosToken, tokenizer.eosToken]).toEqual(['<|begin_of_text|>', '<|end_of_text|>']);
    expect(tokenizer.eosIds).toEqual([128001, 128009]);
    const text = '<|eot_id|>hi';
    expect(tokenizer.encode(text, { addSpecial: true, parseSpecial: true }).slice(0, 2)).toEqual([128000, 128009]);
    const typed = tokenizer.encode(text, { addSpecial: false, parseSpecial: false });
    expect(typed).not.toContain(128009);
    expect(tokenizer.decode(typed)).toBe(text);
    expect(tokenizer.decode([128000, ...typed], { skipSpecial: true })).toBe(text);
    expect(tokenizer.isSpecial(128009)).toBe(true);
    expect(tokenizer.idOf('<|eot_id|>')).toBe(128009);
    expect(tokenizer.idOf('<|no such token|>')).toBeNull();
  });

  it('qwen2: no bos; an HTML tag in its vocabulary does not end a generation', () => {
    const tokenizer = tokenizerOf('qwen2');
    expect(tokenizer.addBos).toBe(false);
    expect(tokenizer.eosIds).toEqual([151643, 151645]);
    expect(tokenizer.isSpecial(tokenizer.idOf('</s>')!)).toBe(false);
    expect(tokenizer.encode('<|im_start|>user\n', { addSpecial: true, parseSpecial: true })).toEqual([
      151644, 872, 198,
    ]);
  });

  it('phi-3: white space after a control token belongs to the token', () => {
    const tokenizer = tokenizerOf('phi-3');
    const [user, hello] = [tokenizer.idOf('<|user|>')!, tokenizer.idOf('▁Hello')!];
    expect(tokenizer.encode('<|user|>\nHello', { addSpecial: true, parseSpecial: true })).toEqual([1, user, hello]);
    expect(tokenizer.eosIds).toEqual([2, 32000, 32007]);
  });

  it('llama 2: bytes, the space in front of a text', () => {
    const tokenizer = tokenizerOf('llama-spm');
    expect(tokenizer.stripsLeadingSpace).toBe(true);
    expect(Array.from(tokenizer.tokenBytes(tokenizer.idOf('<0x0A>')!))).toEqual([10]);
    expect(new TextDecoder().decode(tokenizer.tokenBytes(tokenizer.idOf('▁Hello')!))).toBe(' Hello');
    const hello = tokenizer.encode('Hello', { addSpecial: true, parseSpecial: true });
    expect(hello).toEqual([1, tokenizer.idOf('▁Hello')]);
    expect(tokenizer.decode(hello, { skipSpecial: true })).toBe('Hello');
    expect(tokenizer.decode(hello)).toBe('<s> Hello');
  });
});
