/** Text ↔ token ids for every model we open: the one interface, and the choice of who implements it. */
import { ModelFormatError, type TokenizerSource } from '../formats/checkpoint.ts';
import { AddedTokenMatcher, type AddedToken } from './added_tokens.ts';
import { ggufTokenizerParts } from './gguf_tokenizer.ts';
import { hfTokenizerParts } from './hf_tokenizer.ts';

export interface EncodeOptions {
  /** Adds the beginning (and, where the model says so, end) token. */
  readonly addSpecial: boolean;
  /**
   * Control tokens spelled in the text (`<|im_start|>`) become their token: true for rendered chat templates, false
   * for text that people typed. User-defined tokens (`<think>`) are found either way, as the models were trained.
   */
  readonly parseSpecial: boolean;
}

export interface Tokenizer {
  readonly vocabSize: number;
  readonly bosId: number | null;
  /** Every token that ends a generation, ascending: eos, eot, eom and the names that chat models use for them. */
  readonly eosIds: readonly number[];
  /** Whether `addSpecial` puts the bos token in front. */
  readonly addBos: boolean;
  /** Texts for chat templates; '' where the model has none. */
  readonly bosToken: string;
  readonly eosToken: string;
  /** SentencePiece style: the space in front of a text's first word is the tokenizer's, not the text's. */
  readonly stripsLeadingSpace: boolean;
  encode(text: string, options: EncodeOptions): number[];
  /** Incomplete or invalid UTF-8 becomes U+FFFD. */
  decode(ids: readonly number[], options?: { readonly skipSpecial: boolean }): string;
  /** The bytes a token adds to the text. @throws RangeError where `id` is outside the vocabulary. */
  tokenBytes(id: number): Uint8Array;
  /** Id of a token by its text in the vocabulary (`<|im_end|>`), null where there is none. */
  idOf(tokenText: string): number | null;
  /** Control tokens: they steer the model and are no part of the answer. */
  isSpecial(id: number): boolean;
}

/** Where a fragment between added tokens stands, for tokenizers that put a space in front of a text. */
export interface FragmentContext {
  readonly parseSpecial: boolean;
  /** First piece of the text, nothing before it. */
  readonly isFirst: boolean;
}

/** What an implementation brings; RuleTokenizer adds what all have in common. */
export interface TokenizerParts {
  readonly vocabSize: number;
  readonly addedTokens: readonly AddedToken[];
  readonly specialIds: ReadonlySet<number>;
  readonly eosIds: readonly number[];
  readonly bosId: number | null;
  readonly bosToken: string;
  readonly eosToken: string;
  /** Ids that addSpecial puts before and after the text. */
  readonly prefixIds: readonly number[];
  readonly suffixIds: readonly number[];
  readonly stripsLeadingSpace: boolean;
  idOf(tokenText: string): number | undefined;
  /** Appends the ids of a text without added tokens. */
  encodeFragment(text: string, context: FragmentContext, ids: number[]): void;
  bytesOf(id: number): Uint8Array;
}

class RuleTokenizer implements Tokenizer {
  readonly #parts: TokenizerParts;
  readonly #matchAll: AddedTokenMatcher;
  readonly #matchUserDefined: AddedTokenMatcher;
  readonly #bytes: (Uint8Array | undefined)[];

  constructor(parts: TokenizerParts) {
    this.#parts = parts;
    this.#matchAll = new AddedTokenMatcher(parts.addedTokens);
    this.#matchUserDefined = new AddedTokenMatcher(parts.addedTokens.filter((token) => !token.special));
    this.#bytes = new Array<Uint8Array | undefined>(parts.vocabSize);
  }

  get vocabSize(): number {
    return this.#parts.vocabSize;
  }
  get bosId(): number | null {
    return this.#parts.bosId;
  }
  get eosIds(): readonly number[] {
    return this.#parts.eosIds;
  }
  get addBos(): boolean {
    return this.#parts.bosId !== null && this.#parts.prefixIds.includes(this.#parts.bosId);
  }
  get bosToken(): string {
    return this.#parts.bosToken;
  }
  get eosToken(): string {
    return this.#parts.eosToken;
  }
  get stripsLeadingSpace(): boolean {
    return this.#parts.stripsLeadingSpace;
  }

  encode(text: string, { addSpecial, parseSpecial }: EncodeOptions): number[] {
    const ids: number[] = addSpecial ? [...this.#parts.prefixIds] : [];
    const segments = (parseSpecial ? this.#matchAll : this.#matchUserDefined).split(text);
    for (const [index, segment] of segments.entries()) {
      if (segment.kind === 'token') ids.push(segment.id);
      else this.#parts.encodeFragment(segment.text, { parseSpecial, isFirst: index === 0 }, ids);
    }
    if (addSpecial) ids.push(...this.#parts.suffixIds);
    return ids;
  }

  decode(ids: readonly number[], { skipSpecial } = { skipSpecial: false }): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let text = '';
    let atStart = this.#parts.stripsLeadingSpace;
    for (const id of ids) {
      if (skipSpecial && this.isSpecial(id)) continue;
      let bytes = this.tokenBytes(id);
      if (atStart && bytes[0] === 0x20) bytes = bytes.subarray(1);
      atStart = false;
      text += decoder.decode(bytes, { stream: true });
    }
    return text + decoder.decode();
  }

  tokenBytes(id: number): Uint8Array {
    if (!Number.isInteger(id) || id < 0 || id >= this.#parts.vocabSize) {
      throw new RangeError(`Token ${id} is outside the vocabulary of ${this.#parts.vocabSize}.`);
    }
    return (this.#bytes[id] ??= this.#parts.bytesOf(id));
  }

  idOf(tokenText: string): number | null {
    return this.#parts.idOf(tokenText) ?? null;
  }

  isSpecial(id: number): boolean {
    return this.#parts.specialIds.has(id);
  }
}

/**
 * Builds the tokenizer of a model.
 * @throws ModelFormatError where the source is broken or of a kind we do not know.
 */
export function createTokenizer(source: TokenizerSource): Tokenizer {
  try {
    return new RuleTokenizer(source.kind === 'gguf' ? ggufTokenizerParts(source) : hfTokenizerParts(source));
  } catch (error) {
    if (error instanceof ModelFormatError) throw error;
    throw new ModelFormatError(
      `The model's tokenizer cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
}
