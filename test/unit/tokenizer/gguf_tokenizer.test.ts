import { describe, expect, it } from 'vitest';
import type { TokenizerSource } from '../../../src/formats/checkpoint.ts';
import { byteTokenName } from '../../../src/tokenizer/byte_level.ts';
import { preTokenizerByName, splitDigits } from '../../../src/tokenizer/pre_tokenizers.ts';
import { createTokenizer, type Tokenizer } from '../../../src/tokenizer/tokenizer.ts';

type GgufSource = Extract<TokenizerSource, { kind: 'gguf' }>;

const EMPTY: GgufSource = {
  kind: 'gguf',
  model: 'gpt2',
  pre: 'gpt-2',
  tokens: ['a'],
  scores: null,
  tokenTypes: null,
  merges: [],
  bosId: null,
  eosId: null,
  eotId: null,
  eomId: null,
  unkId: null,
  padId: null,
  addBos: null,
  addEos: null,
  addSpacePrefix: null,
};

/** A SentencePiece vocabulary: <unk>, <s>, </s>, 256 bytes, then the given pieces with their scores. */
function spmSource(pieces: readonly (readonly [string, number])[], more: Partial<GgufSource> = {}): GgufSource {
  const bytes = Array.from({ length: 256 }, (_, byte) => byteTokenName(byte));
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...pieces.map(([text]) => text)];
  return {
    ...EMPTY,
    model: 'llama',
    pre: 'default',
    tokens,
    merges: null,
    bosId: 1,
    eosId: 2,
    unkId: 0,
    scores: tokens.map((_, id) => (id < 259 ? 0 : pieces[id - 259][1])),
    tokenTypes: tokens.map((_, id) => (id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1)),
    ...more,
  };
}

/** Byte-level BPE whose single characters are the printable ASCII ones and Ġ (space), Ċ (line feed). */
function bpeSource(
  merges: readonly string[],
  added: readonly (readonly [string, number])[],
  more: Partial<GgufSource> = {},
): GgufSource {
  const ascii = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i));
  const merged = merges.map((merge) => merge.replace(' ', ''));
  const tokens = [...ascii, 'Ġ', 'Ċ', ...merged, ...added.map(([text]) => text)];
  return {
    ...EMPTY,
    tokens,
    merges,
    tokenTypes: tokens.map((_, id) =>
      id < tokens.length - added.length ? 1 : added[id - tokens.length + added.length][1],
    ),
    ...more,
  };
}

const PLAIN = { addSpecial: false, parseSpecial: false };
const texts = (tokenizer: Tokenizer, ids: readonly number[]): string[] =>
  ids.map((id) => new TextDecoder().decode(tokenizer.tokenBytes(id)));

describe('SentencePiece by scores', () => {
  it('merges the best score first, the leftmost of equals', () => {
    const pieces = [
      ['▁', -9],
      ['a', -9],
      ['b', -9],
      ['ab', -1],
      ['ba', -1],
      ['▁a', -5],
      ['aba', -3],
    ] as const;
    const tokenizer = createTokenizer(spmSource(pieces, { addSpacePrefix: false }));
    expect(texts(tokenizer, tokenizer.encode('aba', PLAIN))).toEqual(['aba']);
    expect(texts(tokenizer, tokenizer.encode('bab', PLAIN))).toEqual(['ba', 'b']);
    expect(texts(tokenizer, tokenizer.encode(' aab', PLAIN))).toEqual([' a', 'ab']);
  });

  it('spells what it has no piece for in bytes', () => {
    const tokenizer = createTokenizer(
      spmSource([
        ['▁', -1],
        ['x', -2],
      ]),
    );
    const ids = tokenizer.encode('x🦙', PLAIN);
    expect(ids.map((id) => Array.from(tokenizer.tokenBytes(id)))).toEqual([
      [0x20],
      [0x78],
      [0xf0],
      [0x9f],
      [0xa6],
      [0x99],
    ]);
    expect(tokenizer.decode(ids)).toBe('x🦙');
  });

  it('puts the space in front of every piece of text unless told not to', () => {
    const more = {
      tokens: [
        ...spmSource([
          ['▁', -1],
          ['x', -2],
        ]).tokens,
        '<mark>',
      ],
    };
    const withMark = (addSpacePrefix: boolean | null): Tokenizer => {
      const source = spmSource(
        [
          ['▁', -1],
          ['x', -2],
        ],
        { addSpacePrefix },
      );
      return createTokenizer({
        ...source,
        ...more,
        scores: [...source.scores!, 0],
        tokenTypes: [...source.tokenTypes!, 4],
      });
    };
    const spaced = withMark(null);
    expect(texts(spaced, spaced.encode('x<mark>x', PLAIN))).toEqual([' ', 'x', '<mark>', ' ', 'x']);
    expect(spaced.encode('', { addSpecial: true, parseSpecial: true })).toEqual([1]);
    const bare = withMark(false);
    expect(texts(bare, bare.encode('x<mark>x', PLAIN))).toEqual(['x', '<mark>', 'x']);
    expect(bare.stripsLeadingSpace).toBe(false);
  });

  it('needs scores', () => {
    expect(() => createTokenizer(spmSource([], { scores: null }))).toThrow('no tokenizer.ggml.scores');
  });
});

describe('byte-level BPE', () => {
  it('finds user-defined tokens always and control tokens on demand, the longest first', () => {
    const source = bpeSource(
      ['h i'],
      [
        ['<|im_end|>', 3],
        ['<think>', 4],
        ['<think>>', 4],
      ],
      { eosId: null },
    );
    const tokenizer = createTokenizer(source);
    expect(texts(tokenizer, tokenizer.encode('hi<think>>hi', PLAIN))).toEqual(['hi', '<think>>', 'hi']);
    expect(tokenizer.encode('<|im_end|>', PLAIN).length).toBe(10);
    expect(tokenizer.encode('<|im_end|>', { addSpecial: false, parseSpecial: true })).toEqual([
      tokenizer.idOf('<|im_end|>'),
    ]);
    expect(tokenizer.isSpecial(tokenizer.idOf('<think>')!)).toBe(false);
    expect(tokenizer.eosIds).toEqual([tokenizer.idOf('<|im_end|>')]);
  });

  it('takes an end token for one even where the file has it as a normal token', () => {
    const tokenizer = createTokenizer(
      bpeSource(
        [],
        [
          ['<|eot_id|>', 1],
          ['</s>', 1],
        ],
      ),
    );
    expect(tokenizer.eosIds).toEqual([tokenizer.idOf('<|eot_id|>')]);
    expect(tokenizer.isSpecial(tokenizer.idOf('<|eot_id|>')!)).toBe(true);
  });

  it('gpt-oss goes on after <|end|>', () => {
    const tokenizer = createTokenizer(
      bpeSource(
        [],
        [
          ['<|end|>', 3],
          ['<|return|>', 3],
          ['<|call|>', 3],
        ],
        { pre: 'gpt-4o' },
      ),
    );
    expect(tokenizer.eosIds).toEqual([tokenizer.idOf('<|return|>'), tokenizer.idOf('<|call|>')]);
  });

  it('adds bos and eos as the file says', () => {
    const source = bpeSource(
      [],
      [
        ['<b>', 3],
        ['<e>', 3],
      ],
    );
    const [bosId, eosId] = [source.tokens.length - 2, source.tokens.length - 1];
    const encode = (more: Partial<GgufSource>): number[] =>
      createTokenizer({ ...source, bosId, eosId, ...more }).encode('', { addSpecial: true, parseSpecial: true });
    expect(encode({})).toEqual([]);
    expect(encode({ pre: 'llama-bpe' })).toEqual([bosId]);
    expect(encode({ pre: 'llama-bpe', addBos: false })).toEqual([]);
    expect(encode({ addBos: true, addEos: true })).toEqual([bosId, eosId]);
    expect(encode({ addBos: true, bosId: null })).toEqual([]);
  });

  it('copes with names that are properties of objects', () => {
    const tokenizer = createTokenizer(
      bpeSource(['_ _', '__ proto', 'p r', 'pr o', 'pro t', 'prot o', '__proto __'], []),
    );
    expect(texts(tokenizer, tokenizer.encode('__proto__', PLAIN)).join('')).toBe('__proto__');
    expect(tokenizer.idOf('constructor')).toBeNull();
  });
});

describe('gemma4', () => {
  it('merges characters with U+2581 for spaces and spells the rest in bytes', () => {
    const source = spmSource([
      ['▁', 0],
      ['a', 0],
      ['b', 0],
      ['▁a', 0],
      ['\n', 0],
      ['\n\n', 0],
    ]);
    const tokenizer = createTokenizer({
      ...source,
      model: 'gemma4',
      merges: ['▁ a', '\n \n'],
      scores: null,
      addBos: false,
    });
    expect(texts(tokenizer, tokenizer.encode('b a\n\né', PLAIN))).toEqual(['b', ' a', '\n\n', '\ufffd', '\ufffd']);
    expect(tokenizer.decode(tokenizer.encode('b a\n\né', PLAIN))).toBe('b a\n\né');
    expect(tokenizer.addBos).toBe(true);
  });
});

describe('pre-tokenizers', () => {
  const SAMPLE = "I'LL  pay 12345 €, naïve\r\n\n\tHTTPServer 日本語x é ''";
  const NAMES = [
    'default',
    'gpt-2',
    'starcoder',
    'refact',
    'smollm',
    'falcon',
    'llama3',
    'llama-bpe',
    'dbrx',
    'glm4',
    'minicpm5',
    'qwen2',
    'qwen35',
    'laguna',
    'gpt-4o',
    'llama4',
    'minimax-m2',
    'tekken',
    'kimi-k2',
    'cohere2moe',
    'deepseek-llm',
    'deepseek-coder',
    'deepseek-v3',
    'hunyuan',
    'hunyuan-dense',
    'spark2_5',
    'afmoe',
    'bailingmoe2',
    'seed-coder',
    'exaone-moe',
    'olmo',
    'bloom',
    'viking',
    'grok-2',
    '',
  ];
  it.each(NAMES)('%s loses nothing', (pre) => {
    expect(preTokenizerByName(pre).patterns.length).toBeGreaterThan(0);
    // Every byte has its token, so that what comes back shows what the split kept.
    const bytes = [...new TextEncoder().encode(SAMPLE)];
    const charOf = (byte: number): string => {
      if ((byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae)
        return String.fromCharCode(byte);
      return String.fromCharCode(byte <= 0x20 ? 0x100 + byte : byte === 0xad ? 0x143 : 0x121 + byte - 0x7f);
    };
    const tokenizer = createTokenizer({ ...EMPTY, pre, tokens: [...new Set(bytes.map(charOf))] });
    expect(tokenizer.decode(tokenizer.encode(SAMPLE, PLAIN))).toBe(SAMPLE);
  });

  it('group digits from the right', () => {
    expect(splitDigits('a1234567b12', 'always')).toEqual(['a', '1', '234', '567', 'b', '12']);
    expect(splitDigits('1234567b 12345', 'at_word_end')).toEqual(['1234567b ', '12', '345']);
    expect(splitDigits('7'.repeat(100_000), 'always')).toHaveLength(33_334);
  });

  it('an unknown one is named, with those known', () => {
    expect(() => createTokenizer({ ...EMPTY, pre: 'mystery' })).toThrow(
      /^The model's pre-tokenizer 'mystery' \(tokenizer\.ggml\.pre\) is not supported; known are default, gpt-2, .*viking\.$/,
    );
  });
});

describe('broken vocabularies give one sentence', () => {
  it.each([
    [{ tokens: [] }, 'is empty'],
    [{ model: 'rwkv' }, "'rwkv' (tokenizer.ggml.model) is not supported; gpt2, llama and gemma4 are"],
    [{ merges: null }, 'no tokenizer.ggml.merges'],
    [{ merges: ['ab'] }, "Merge 0 of the model's tokenizer, 'ab', is not a pair"],
    [{ tokenTypes: [] }, 'has 1 tokens and only 0 entries in tokenizer.ggml.token_type'],
  ])('%#', (more, message) => {
    expect(() => createTokenizer({ ...EMPTY, ...more })).toThrow(
      expect.objectContaining({ name: 'ModelFormatError', message: expect.stringContaining(message) }),
    );
  });

  it('ids outside the vocabulary are as if absent, and asking for one is an error', () => {
    const tokenizer = createTokenizer({ ...EMPTY, bosId: 9, eosId: -1, addBos: true });
    expect([tokenizer.bosId, tokenizer.bosToken, tokenizer.eosIds, tokenizer.addBos]).toEqual([null, '', [], false]);
    expect(() => tokenizer.tokenBytes(1)).toThrow('Token 1 is outside the vocabulary of 1.');
  });
});
