/** tokenizer.json of each published kind against the Rust `tokenizers` library (test/vectors/vocab). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createTokenStream } from '../../../src/tokenizer/stream.ts';
import { createTokenizer } from '../../../src/tokenizer/tokenizer.ts';

interface HfVector {
  readonly name: string;
  readonly tokenizerJson: Readonly<Record<string, unknown>>;
  readonly cases: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly withSpecial: readonly number[];
    readonly decoded: string;
  }[];
}

const file = new URL('../../vectors/vocab/hf-tokenizers.json.gz', import.meta.url);
const vectors = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as HfVector[];

it('covers byte-level BPE, SentencePiece BPE and Unigram', () => {
  expect(vectors.map(({ name }) => name)).toEqual(['qwen-style', 'llama3-style', 'llama2-style', 'unigram-style']);
});

describe.each(vectors)('$name', ({ name, tokenizerJson, cases }) => {
  const tokenizer = createTokenizer({ kind: 'hf', tokenizerJson, tokenizerConfig: null, eosIds: [] });

  it('encodes and decodes as the Rust library does', () => {
    for (const { text, ids, withSpecial, decoded } of cases) {
      expect(tokenizer.encode(text, { addSpecial: false, parseSpecial: true }), JSON.stringify(text)).toEqual(ids);
      expect(tokenizer.encode(text, { addSpecial: true, parseSpecial: true })).toEqual(withSpecial);
      expect(tokenizer.decode(ids)).toBe(decoded);
    }
  });

  it('streams what it decodes', () => {
    for (const { ids } of cases) {
      const stream = createTokenStream(tokenizer);
      const streamed = ids.map((id) => stream.push(id)).join('') + stream.flush();
      expect(streamed).toBe(tokenizer.decode(ids, { skipSpecial: true }));
    }
  });

  it('leaves control tokens in typed text alone', () => {
    const special = name === 'qwen-style' ? '<|im_end|>' : '<|end|>';
    const id = tokenizer.idOf(special)!;
    expect(tokenizer.encode(`a${special}`, { addSpecial: false, parseSpecial: true })).toContain(id);
    expect(tokenizer.encode(`a${special}`, { addSpecial: false, parseSpecial: false })).not.toContain(id);
    expect(tokenizer.isSpecial(id)).toBe(true);
    expect(tokenizer.eosIds).toContain(id);
  });

  it('takes long texts', () => {
    const text = 'The quick brown fox 123, again. '.repeat(1500);
    expect(tokenizer.decode(tokenizer.encode(text, { addSpecial: false, parseSpecial: true }))).toBe(text);
  });
});

describe('tokenizer_config.json', () => {
  const { tokenizerJson } = vectors[0];

  it('names bos and eos, as text or as an object, and whether bos is added', () => {
    const tokenizer = createTokenizer({
      kind: 'hf',
      tokenizerJson,
      eosIds: [1],
      tokenizerConfig: { bos_token: { content: '<|endoftext|>' }, eos_token: '<|im_end|>', add_bos_token: true },
    });
    expect([tokenizer.bosToken, tokenizer.eosToken, tokenizer.bosId, tokenizer.addBos]).toEqual([
      '<|endoftext|>',
      '<|im_end|>',
      0,
      true,
    ]);
    expect(tokenizer.encode('', { addSpecial: true, parseSpecial: true })).toEqual([0]);
    expect(tokenizer.eosIds).toEqual([0, 1, 2]);
  });

  it('may be missing', () => {
    const tokenizer = createTokenizer({ kind: 'hf', tokenizerJson, tokenizerConfig: null, eosIds: [] });
    expect([tokenizer.bosToken, tokenizer.bosId, tokenizer.addBos]).toEqual(['', null, false]);
  });
});

describe('a broken tokenizer.json gives one sentence', () => {
  const good = vectors[0].tokenizerJson;
  it.each([
    [{}, /no model/],
    [
      { ...good, model: { ...(good.model as object), type: 'Fancy' } },
      /model of type 'Fancy'; BPE and Unigram are supported/,
    ],
    [{ ...good, decoder: { type: 'CTC' } }, /decodes with CTC; ByteLevel, ByteFallback and Metaspace are supported/],
    [{ ...good, pre_tokenizer: { type: 'Odd' } }, /cannot be read: Unknown PreTokenizer type: Odd/],
    [{ ...good, added_tokens: [{ id: -1, content: 'x' }] }, /added token without an id/],
    [{ ...good, added_tokens: [{ id: 2 ** 40, content: 'x' }] }, /token id of 1099511627776/],
  ])('%#', (tokenizerJson, message) => {
    expect(() => createTokenizer({ kind: 'hf', tokenizerJson, tokenizerConfig: null, eosIds: [] })).toThrow(
      expect.objectContaining({ name: 'ModelFormatError', message: expect.stringMatching(message) }),
    );
  });
});
