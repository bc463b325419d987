/** The tokenizer that GGUF metadata describes (keys tokenizer.ggml.*). */
import { ModelFormatError, type GgufValue, type TokenizerSource } from './checkpoint.ts';

type Values = ReadonlyMap<string, GgufValue>;

/**
 * @returns null where the file has no vocabulary
 * @throws ModelFormatError where the vocabulary's lists do not belong together
 */
export function ggufTokenizer(fileName: string, values: Values): TokenizerSource | null {
  const tokens = values.get('tokenizer.ggml.tokens');
  if (tokens === undefined) return null;
  if (!isStringArray(tokens)) throw new ModelFormatError(`${fileName}: tokenizer.ggml.tokens is not a list of strings`);
  const model = values.get('tokenizer.ggml.model');
  const pre = values.get('tokenizer.ggml.pre');
  const merges = values.get('tokenizer.ggml.merges');
  const numbers = (key: string) => numberList(fileName, values, key, tokens.length);
  const id = (key: string) => tokenId(values.get(`tokenizer.ggml.${key}_token_id`), tokens.length);
  const flag = (key: string) => {
    const value = values.get(`tokenizer.ggml.${key}`);
    return typeof value === 'boolean' ? value : null;
  };
  return {
    kind: 'gguf',
    model: typeof model === 'string' ? model : '',
    pre: typeof pre === 'string' ? pre : '',
    tokens,
    scores: numbers('tokenizer.ggml.scores'),
    tokenTypes: numbers('tokenizer.ggml.token_type'),
    merges: merges !== undefined && isStringArray(merges) ? merges : null,
    bosId: id('bos'), eosId: id('eos'), eotId: id('eot'), eomId: id('eom'), unkId: id('unknown'), padId: id('padding'),
    addBos: flag('add_bos_token'), addEos: flag('add_eos_token'), addSpacePrefix: flag('add_space_prefix'),
  };
}

function isStringArray(value: GgufValue): value is readonly string[] {
  return Array.isArray(value) && (value.length === 0 || typeof value[0] === 'string');
}

/** A plain array, since it has to survive JSON. */
function numberList(fileName: string, values: Values, key: string, expected: number): number[] | null {
  const value = values.get(key);
  if (value === undefined) return null;
  const numeric = value instanceof Float32Array || value instanceof Float64Array || value instanceof Int32Array ||
    value instanceof Uint32Array || value instanceof Int8Array || value instanceof Uint8Array;
  if (!numeric) throw new ModelFormatError(`${fileName}: ${key} is not a list of numbers`);
  if (value.length !== expected) {
    throw new ModelFormatError(`${fileName}: ${key} has ${value.length} entries for ${expected} tokens`);
  }
  return Array.from(value);
}

/** Files in the wild say 'none' with −1 (as unsigned: 4294967295); any id outside the vocabulary means that. */
function tokenId(value: GgufValue | undefined, vocabSize: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < vocabSize ? value : null;
}
