/** Tokenizers from a Hugging Face tokenizer.json: @huggingface/tokenizers does the words, we do the added tokens. */
import { Tokenizer as HfTokenizer } from '@huggingface/tokenizers';
import { ModelFormatError, type TokenizerSource } from '../formats/checkpoint.ts';
import { AddedTokenMatcher, type AddedToken } from './added_tokens.ts';
import { byteLevelToBytes, sentencePieceToBytes } from './byte_level.ts';
import { endOfGenerationIds } from './end_tokens.ts';
import type { TokenizerParts } from './tokenizer.ts';

type HfSource = Extract<TokenizerSource, { kind: 'hf' }>;
type Json = Readonly<Record<string, unknown>>;

const UTF8 = new TextEncoder();
/** Far above any published vocabulary; an id past it is a broken or hostile file. */
const MAX_VOCAB_SIZE = 1 << 22;

export function hfTokenizerParts(source: HfSource): TokenizerParts {
  const json = source.tokenizerJson;
  const config: Json = source.tokenizerConfig ?? {};
  if (!isObject(json.model)) throw new ModelFormatError('tokenizer.json has no model.');
  if (json.model.type !== 'BPE' && json.model.type !== 'Unigram') {
    throw new ModelFormatError(
      `tokenizer.json has a model of type '${json.model.type}'; BPE and Unigram are supported.`,
    );
  }
  const addedJson = (Array.isArray(json.added_tokens) ? json.added_tokens : []).filter(isObject);
  const library = new HfTokenizer(
    {
      ...json,
      added_tokens: [],
      normalizer: json.normalizer ?? null,
      pre_tokenizer: json.pre_tokenizer ?? null,
      post_processor: null,
      decoder: null,
    },
    { eos_token: contentOf(config.eos_token) },
  );
  const model = library.model!;

  const added = addedJson.map((entry) => ({ ...addedTokenOf(entry), normalized: entry.normalized === true }));
  const textOf = new Map<number, string>();
  for (const [token, id] of model.tokens_to_ids) textOf.set(id, token);
  const idOf = new Map(model.tokens_to_ids);
  for (const token of added) {
    textOf.set(token.id, token.content);
    idOf.set(token.content, token.id);
  }
  let vocabSize = 0;
  for (const id of textOf.keys()) vocabSize = Math.max(vocabSize, id + 1);
  if (vocabSize > MAX_VOCAB_SIZE) throw new ModelFormatError(`tokenizer.json has a token id of ${vocabSize - 1}.`);

  const normalize = (text: string): string => (library.normalizer ? library.normalizer.normalize(text) : text);
  // Tokens marked `normalized` are looked for after normalisation, in its spelling.
  const late = library.normalizer
    ? added.filter((token) => token.normalized).map((token) => ({ ...token, content: normalize(token.content) }))
    : [];
  const lateAll = new AddedTokenMatcher(late);
  const lateUserDefined = new AddedTokenMatcher(late.filter((token) => !token.special));

  const encodeWords = (text: string, isFirst: boolean, ids: number[]): void => {
    const words = library.pre_tokenizer
      ? library.pre_tokenizer.pre_tokenize(text, { section_index: isFirst ? 0 : 1 })
      : [text];
    for (const token of model._call(words)) {
      const id = model.tokens_to_ids.get(token) ?? model.unk_token_id;
      if (id !== undefined) ids.push(id);
    }
  };

  const rawText = new Set(added.map((token) => token.id));
  const bytesOf = tokenSpelling(json.decoder);
  const { prefixIds, suffixIds } = templateIds(json.post_processor, config, idOf);
  const bosToken = contentOf(config.bos_token);
  const eosToken = contentOf(config.eos_token);
  const bosId = idOf.get(bosToken) ?? prefixIds[0] ?? null;
  const declaredEnds = [...source.eosIds];
  if (idOf.has(eosToken)) declaredEnds.push(idOf.get(eosToken)!);

  return {
    vocabSize,
    addedTokens: library.normalizer ? added.filter((token) => !token.normalized) : added,
    specialIds: new Set(added.filter((token) => token.special).map((token) => token.id)),
    eosIds: endOfGenerationIds(
      declaredEnds,
      added.map((token) => [token.content, token.id] as const),
    ),
    bosId,
    bosToken,
    eosToken,
    prefixIds,
    suffixIds,
    stripsLeadingSpace: stripsLeadingSpace(json.decoder),
    idOf: (text) => idOf.get(text),
    encodeFragment: (text, { parseSpecial, isFirst }, ids) => {
      for (const [i, segment] of (parseSpecial ? lateAll : lateUserDefined).split(normalize(text)).entries()) {
        if (segment.kind === 'token') ids.push(segment.id);
        else encodeWords(segment.text, isFirst && i === 0, ids);
      }
    },
    // Gaps in the ids are padding of the embedding: they spell nothing.
    bytesOf: (id) => {
      const token = textOf.get(id) ?? '';
      return rawText.has(id) ? UTF8.encode(token) : bytesOf(token);
    },
  };
}

function addedTokenOf(entry: Json): AddedToken {
  const { id, content } = entry;
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || typeof content !== 'string') {
    throw new ModelFormatError('tokenizer.json has an added token without an id and a content.');
  }
  return {
    id,
    content,
    special: entry.special === true,
    lstrip: entry.lstrip === true,
    rstrip: entry.rstrip === true,
    singleWord: entry.single_word === true,
  };
}

/** All steps of a component that may be a Sequence. */
function stepsOf(component: unknown): Json[] {
  if (!isObject(component)) return [];
  const nested = component.decoders ?? component.processors;
  return component.type === 'Sequence' && Array.isArray(nested) ? nested.flatMap(stepsOf) : [component];
}

/** How the vocabulary spells bytes, which its decoder tells. */
function tokenSpelling(decoder: unknown): (token: string) => Uint8Array {
  const types = stepsOf(decoder).map((step) => step.type);
  if (types.includes('ByteLevel')) return byteLevelToBytes;
  if (types.includes('ByteFallback') || types.includes('Metaspace') || types.includes('Replace'))
    return sentencePieceToBytes;
  throw new ModelFormatError(
    `tokenizer.json decodes with ${types.join(', ') || 'nothing'}; ByteLevel, ByteFallback and Metaspace are supported.`,
  );
}

function stripsLeadingSpace(decoder: unknown): boolean {
  return stepsOf(decoder).some(
    (step) =>
      (step.type === 'Metaspace' && step.prepend_scheme !== 'never' && step.add_prefix_space !== false) ||
      (step.type === 'Strip' && step.content === ' ' && typeof step.start === 'number' && step.start > 0),
  );
}

/** The special tokens that the post-processor's template puts around a single text. */
function templateIds(
  postProcessor: unknown,
  config: Json,
  idOf: ReadonlyMap<string, number>,
): { prefixIds: number[]; suffixIds: number[] } {
  const template = stepsOf(postProcessor).find((step) => step.type === 'TemplateProcessing');
  const prefixIds: number[] = [];
  const suffixIds: number[] = [];
  if (template && Array.isArray(template.single)) {
    let target = prefixIds;
    for (const piece of template.single.filter(isObject)) {
      if (isObject(piece.SpecialToken)) {
        const id = idOf.get(String(piece.SpecialToken.id));
        if (id !== undefined) target.push(id);
      } else target = suffixIds;
    }
    return { prefixIds, suffixIds };
  }
  const bosId = idOf.get(contentOf(config.bos_token));
  const eosId = idOf.get(contentOf(config.eos_token));
  if (config.add_bos_token === true && bosId !== undefined) prefixIds.push(bosId);
  if (config.add_eos_token === true && eosId !== undefined) suffixIds.push(eosId);
  return { prefixIds, suffixIds };
}

/** A special token of tokenizer_config.json: a string or an object with `content`; '' where absent. */
function contentOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) && typeof value.content === 'string' ? value.content : '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
