import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenizerSource } from '../../../src/formats/checkpoint.ts';
import { byteTokenName } from '../../../src/tokenizer/byte_level.ts';
import { createTokenStream } from '../../../src/tokenizer/stream.ts';
import { createTokenizer } from '../../../src/tokenizer/tokenizer.ts';

const bytes = Array.from({ length: 256 }, (_, byte) => byteTokenName(byte));
/** Byte b is token 3 + b; 259 is "▁Hello", 260 "▁world". */
const source: TokenizerSource = {
  kind: 'gguf',
  model: 'llama',
  pre: '',
  tokens: ['<unk>', '<s>', '</s>', ...bytes, '▁Hello', '▁world'],
  scores: new Array<number>(261).fill(0),
  tokenTypes: [2, 3, 3, ...bytes.map(() => 6), 1, 1],
  merges: null,
  bosId: 1,
  eosId: 2,
  eotId: null,
  eomId: null,
  unkId: 0,
  padId: null,
  addBos: null,
  addEos: null,
  addSpacePrefix: null,
};
const tokenizer = createTokenizer(source);
const byteIds = (text: string): number[] => Array.from(new TextEncoder().encode(text), (byte) => 3 + byte);

function pushAll(ids: readonly number[], options?: { readonly continuesText: boolean }): string[] {
  const stream = createTokenStream(tokenizer, options);
  return [...ids.map((id) => stream.push(id)), stream.flush()];
}

describe('the streaming detokenizer', () => {
  it('gives a character with its last byte', () => {
    expect(pushAll(byteIds('a🦙é'))).toEqual(['a', '', '', '', '🦙', '', 'é', '']);
  });

  it('gives joined emoji in whole code points', () => {
    const family = '👨‍👩‍👧';
    const parts = pushAll(byteIds(family));
    expect(parts.filter((part) => part !== '')).toEqual(Array.from(family));
  });

  it('replaces only bytes that can no longer become a character', () => {
    expect(pushAll([3 + 0xf0, 3 + 0x9f, ...byteIds('x')])).toEqual(['', '', '\ufffdx', '']);
    expect(pushAll([3 + 0xff, ...byteIds('x')])).toEqual(['\ufffd', 'x', '']);
    expect(pushAll([3 + 0xe2, 3 + 0x82])).toEqual(['', '', '\ufffd']);
  });

  it('leaves out control tokens, also inside a character', () => {
    expect(pushAll([1, 259, 2])).toEqual(['', 'Hello', '', '']);
    expect(pushAll([3 + 0xc3, 2, 3 + 0xa9])).toEqual(['', '', 'é', '']);
  });

  it("drops the tokenizer's space at the start and no other", () => {
    expect(pushAll([259, 260]).join('')).toBe('Hello world');
    expect(pushAll([260, 259], { continuesText: true }).join('')).toBe(' world Hello');
    expect(pushAll([...byteIds('  '), 259]).join('')).toBe('  Hello');
  });

  it('keeps a byte order mark', () => {
    expect(pushAll(byteIds('\ufeffa')).join('')).toBe('\ufeffa');
  });

  it('says the same as decoding at once, whatever the bytes', () => {
    assert(
      property(array(integer({ min: 0, max: 260 })), (ids) => {
        const parts = pushAll(ids);
        expect(parts.join('')).toBe(tokenizer.decode(ids, { skipSpecial: true }));
        for (const part of parts) expect(part).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
