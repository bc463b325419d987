/** Finding added tokens (`<|im_start|>`, `<think>`, …) in a text before the rest of it is tokenised. */

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Control tokens: matched only where the caller asks for it. */
  readonly special: boolean;
  /** The token swallows white space before, after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Matches only where no word character touches it. */
  readonly singleWord: boolean;
}

/** A piece of text, or a token found in it. */
export type Segment =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'token'; readonly id: number };

interface TrieNode {
  readonly next: Map<number, TrieNode>;
  token: AddedToken | null;
}

const WORD_CHAR = /[\p{L}\p{N}\p{M}_]/u;

export class AddedTokenMatcher {
  readonly #root: TrieNode = { next: new Map(), token: null };

  constructor(tokens: Iterable<AddedToken>) {
    for (const token of tokens) {
      if (token.content === '') continue;
      let node = this.#root;
      for (let i = 0; i < token.content.length; i++) {
        const unit = token.content.charCodeAt(i);
        let next = node.next.get(unit);
        if (!next) node.next.set(unit, (next = { next: new Map(), token: null }));
        node = next;
      }
      node.token ??= token;
    }
  }

  /** Splits `text` at every added token, leftmost first and the longest of those that start there. */
  split(text: string): Segment[] {
    if (this.#root.next.size === 0) return text === '' ? [] : [{ kind: 'text', text }];
    const segments: Segment[] = [];
    let start = 0;
    let skipSpace = false;
    const pushText = (end: number, trimEnd: boolean): void => {
      let piece = text.slice(start, end);
      if (skipSpace) piece = piece.trimStart();
      if (trimEnd) piece = piece.trimEnd();
      if (piece !== '') segments.push({ kind: 'text', text: piece });
    };
    let at = 0;
    while (at < text.length) {
      const token = this.#longestAt(text, at);
      if (!token) {
        at++;
        continue;
      }
      pushText(at, token.lstrip);
      segments.push({ kind: 'token', id: token.id });
      at += token.content.length;
      start = at;
      skipSpace = token.rstrip;
    }
    pushText(text.length, false);
    return segments;
  }

  #longestAt(text: string, at: number): AddedToken | null {
    let node: TrieNode | undefined = this.#root;
    let best: AddedToken | null = null;
    for (let i = at; i < text.length; i++) {
      node = node.next.get(text.charCodeAt(i));
      if (!node) break;
      if (node.token && !(node.token.singleWord && touchesWord(text, at, i + 1))) best = node.token;
    }
    return best;
  }
}

function touchesWord(text: string, start: number, end: number): boolean {
  return (start > 0 && WORD_CHAR.test(text[start - 1])) || (end < text.length && WORD_CHAR.test(text[end]));
}
