/** Turning generated tokens into text as they come. */
import type { Tokenizer } from './tokenizer.ts';

/**
 * Streaming detokenizer. Each `push` returns the characters that the token completes: the bytes of a character split
 * over tokens are held until its last one, and bytes that can no longer become a character are U+FFFD. Control tokens
 * give no text.
 */
export class TokenStream {
  readonly #tokenizer: Tokenizer;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #atStart: boolean;

  /** @param options.continuesText true where other text comes before: its separating space is then kept. */
  constructor(tokenizer: Tokenizer, { continuesText } = { continuesText: false }) {
    this.#tokenizer = tokenizer;
    this.#atStart = tokenizer.stripsLeadingSpace && !continuesText;
  }

  /** Characters that `id` completes, '' where there are none yet. */
  push(id: number): string {
    if (this.#tokenizer.isSpecial(id)) return '';
    let bytes = this.#tokenizer.tokenBytes(id);
    if (this.#atStart && bytes.length > 0) {
      if (bytes[0] === 0x20) bytes = bytes.subarray(1);
      this.#atStart = false;
    }
    return this.#decoder.decode(bytes, { stream: true });
  }

  /** Ends the stream: bytes of an incomplete character become U+FFFD. */
  flush(): string {
    return this.#decoder.decode();
  }
}

export function createTokenStream(tokenizer: Tokenizer, options?: { readonly continuesText: boolean }): TokenStream {
  return new TokenStream(tokenizer, options);
}
