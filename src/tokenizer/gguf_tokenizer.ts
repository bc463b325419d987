/** Tokenizers from a GGUF vocabulary: `gpt2` (byte-level BPE), `llama` (SentencePiece by scores), `gemma4`. */
import { Tokenizer as HfTokenizer } from '@huggingface/tokenizers';
import { ModelFormatError, type TokenizerSource } from '../formats/checkpoint.ts';
import type { AddedToken } from './added_tokens.ts';
import { byteLevelToBytes, sentencePieceToBytes } from './byte_level.ts';
import { endOfGenerationIds, isUnmistakableEndText } from './end_tokens.ts';
import { preTokenizerByName, splitDigits, type PreTokenizer } from './pre_tokenizers.ts';
import { SpmEncoder } from './spm.ts';
import type { FragmentContext, TokenizerParts } from './tokenizer.ts';

type GgufSource = Extract<TokenizerSource, { kind: 'gguf' }>;

/** ggml's token types. */
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;

const UTF8 = new TextEncoder();

export function ggufTokenizerParts(source: GgufSource): TokenizerParts {
  checkLengths(source);
  const idOf = new Map<string, number>();
  for (const [id, token] of source.tokens.entries()) if (!idOf.has(token)) idOf.set(token, id);

  const special = new Set<number>();
  const added: AddedToken[] = [];
  const rstripControl = isPhi3(source, idOf);
  for (const [id, content] of source.tokens.entries()) {
    let type = source.tokenTypes?.[id] ?? 1;
    if (isUnmistakableEndText(content)) type = CONTROL;
    if (type === CONTROL || type === UNKNOWN) special.add(id);
    if (type === CONTROL || type === UNKNOWN || type === USER_DEFINED) {
      added.push({
        id,
        content,
        special: type !== USER_DEFINED,
        lstrip: false,
        singleWord: false,
        rstrip: rstripControl && type === CONTROL && !PHI3_NOT_STRIPPED.has(content),
      });
    }
  }

  const inRange = (id: number | null): number | null =>
    id !== null && id >= 0 && id < source.tokens.length ? id : null;
  const bosId = inRange(source.bosId);
  const eosId = inRange(source.eosId);
  const declaredEnds = [eosId, inRange(source.eotId), inRange(source.eomId)].filter((id) => id !== null);
  const encoder = fragmentEncoder(source, idOf);
  const addBos = source.model === 'gemma4' ? true : (source.addBos ?? encoder.addBos);
  const rawText = new Set(added.map((token) => token.id));

  return {
    vocabSize: source.tokens.length,
    addedTokens: added,
    specialIds: special,
    eosIds: endOfGenerationIds(
      declaredEnds,
      added.map((token) => [token.content, token.id] as const),
    ),
    bosId,
    bosToken: bosId === null ? '' : source.tokens[bosId],
    eosToken: eosId === null ? '' : source.tokens[eosId],
    prefixIds: addBos && bosId !== null ? [bosId] : [],
    suffixIds: source.addEos && eosId !== null ? [eosId] : [],
    stripsLeadingSpace: encoder.stripsLeadingSpace,
    idOf: (text) => idOf.get(text),
    encodeFragment: encoder.encode,
    bytesOf: (id) => (rawText.has(id) ? UTF8.encode(source.tokens[id]) : encoder.bytesOf(source.tokens[id])),
  };
}

interface FragmentEncoder {
  readonly addBos: boolean;
  readonly stripsLeadingSpace: boolean;
  readonly encode: (text: string, context: FragmentContext, ids: number[]) => void;
  readonly bytesOf: (token: string) => Uint8Array;
}

function fragmentEncoder(source: GgufSource, idOf: ReadonlyMap<string, number>): FragmentEncoder {
  switch (source.model) {
    case 'gpt2':
      return byteLevelEncoder(source, idOf, preTokenizerByName(source.pre));
    case 'llama':
      return spmEncoder(source, idOf);
    case 'gemma4':
      return gemma4Encoder(source, idOf);
    default:
      throw new ModelFormatError(
        `The model's tokenizer '${source.model}' (tokenizer.ggml.model) is not supported; gpt2, llama and gemma4 are.`,
      );
  }
}

function byteLevelEncoder(source: GgufSource, idOf: ReadonlyMap<string, number>, pre: PreTokenizer): FragmentEncoder {
  const splits = pre.patterns.map((pattern) => ({
    type: 'Split',
    pattern: { Regex: pattern },
    behavior: 'Isolated',
    invert: false,
  }));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  const bpe = bpeOf(source, idOf, {
    pre_tokenizer: { type: 'Sequence', pretokenizers: [...splits, byteLevel] },
    model: { ignore_merges: pre.ignoreMerges },
  });
  const digits = pre.digitGroups;
  return {
    addBos: pre.addBos,
    stripsLeadingSpace: false,
    bytesOf: byteLevelToBytes,
    encode: (text, _context, ids) => {
      for (const piece of digits === 'none' ? [text] : splitDigits(text, digits)) bpe(piece, ids);
    },
  };
}

/** Gemma 4: merges on characters with spaces as U+2581, no split into words, unknown characters as byte tokens. */
function gemma4Encoder(source: GgufSource, idOf: ReadonlyMap<string, number>): FragmentEncoder {
  const bpe = bpeOf(source, idOf, { pre_tokenizer: null, model: { byte_fallback: true } });
  return {
    addBos: true,
    stripsLeadingSpace: false,
    bytesOf: sentencePieceToBytes,
    encode: (text, _context, ids) => bpe(text.replaceAll(' ', '\u2581'), ids),
  };
}

function spmEncoder(source: GgufSource, idOf: ReadonlyMap<string, number>): FragmentEncoder {
  if (!source.scores) throw new ModelFormatError("The model's vocabulary has no tokenizer.ggml.scores.");
  const spm = new SpmEncoder(idOf, source.scores, source.unkId);
  const addSpace = source.addSpacePrefix ?? true;
  return {
    addBos: true,
    stripsLeadingSpace: addSpace,
    bytesOf: sentencePieceToBytes,
    // Every fragment follows the start or an added token, and each such place gets the space.
    encode: (text, _context, ids) => {
      for (const id of spm.encode((addSpace ? ` ${text}` : text).replaceAll(' ', '\u2581'))) ids.push(id);
    },
  };
}

/** The library's BPE over a GGUF's vocabulary and merges. */
function bpeOf(
  source: GgufSource,
  idOf: ReadonlyMap<string, number>,
  form: { readonly pre_tokenizer: object | null; readonly model: object },
): (text: string, ids: number[]) => void {
  if (!source.merges) throw new ModelFormatError("The model's vocabulary has no tokenizer.ggml.merges.");
  const merges = source.merges.map((merge, index) => {
    const space = merge.indexOf(' ', 1);
    if (space < 0) throw new ModelFormatError(`Merge ${index} of the model's tokenizer, '${merge}', is not a pair.`);
    return [merge.slice(0, space), merge.slice(space + 1)];
  });
  const tokenizer = new HfTokenizer(
    {
      added_tokens: [],
      normalizer: null,
      post_processor: null,
      decoder: null,
      pre_tokenizer: form.pre_tokenizer,
      model: { type: 'BPE', vocab: Object.fromEntries(idOf), merges, ...form.model },
    },
    {},
  );
  return (text, ids) => {
    const words = tokenizer.pre_tokenizer ? tokenizer.pre_tokenizer.pre_tokenize(text) : [text];
    for (const token of tokenizer.model!.encode(words)) {
      const id = idOf.get(token);
      if (id !== undefined) ids.push(id);
    }
  };
}

const PHI3_NOT_STRIPPED: ReadonlySet<string> = new Set(['<s>', '</s>', '<unk>', '<|endoftext|>']);

/**
 * Phi-3's control tokens swallow the white space after them (`rstrip` in its tokenizer.json), which GGUF does not
 * record; its placeholder tokens tell the family.
 */
function isPhi3(source: GgufSource, idOf: ReadonlyMap<string, number>): boolean {
  return source.model === 'llama' && idOf.has('<|placeholder1|>') && idOf.has('<|user|>');
}

function checkLengths(source: GgufSource): void {
  const count = source.tokens.length;
  if (count === 0) throw new ModelFormatError("The model's vocabulary (tokenizer.ggml.tokens) is empty.");
  for (const [name, list] of [
    ['scores', source.scores],
    ['token_type', source.tokenTypes],
  ] as const) {
    if (list && list.length < count) {
      throw new ModelFormatError(
        `The model has ${count} tokens and only ${list.length} entries in tokenizer.ggml.${name}.`,
      );
    }
  }
}
