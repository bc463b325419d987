/**
 * SentencePiece BPE by scores (Kudo & Richardson 2018), as GGUF's tokenizer model `llama` stores it: a vocabulary
 * with one score a piece and no merge list. Not done by @huggingface/tokenizers: its BPE wants a merge list, which
 * cannot be recovered from scores (equal scores must fall back to position), and its Unigram picks the best whole
 * segmentation, which is another algorithm.
 */
import { byteTokenName } from './byte_level.ts';

const UTF8 = new TextEncoder();

/** Candidate merge of two neighbouring symbols. */
interface Merge {
  readonly left: number;
  readonly right: number;
  readonly score: number;
  /** Length of the two together when it was queued: a symbol that grew since makes the entry stale. */
  readonly mergedLength: number;
}

/** The higher score first; of equals the leftmost. */
function before(a: Merge, b: Merge): boolean {
  return a.score !== b.score ? a.score > b.score : a.left < b.left;
}

class MergeHeap {
  readonly #items: Merge[] = [];

  push(item: Merge): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(item, items[parent])) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  pop(): Merge | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1], items[child])) child++;
      if (!before(items[child], last)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return top;
  }
}

export class SpmEncoder {
  readonly #idOf: ReadonlyMap<string, number>;
  readonly #scores: readonly number[];
  readonly #unkId: number | null;

  /** @param scores one per token id. @param unkId stands for bytes that have no byte token; null drops them. */
  constructor(idOf: ReadonlyMap<string, number>, scores: readonly number[], unkId: number | null) {
    this.#idOf = idOf;
    this.#scores = scores;
    this.#unkId = unkId;
  }

  /** Token ids of `text`, whose spaces are already U+2581. O(n log n) in the text's length. */
  encode(text: string): number[] {
    // Symbols are spans of the text in a doubly linked list; length 0 marks one that was merged away.
    const starts: number[] = [];
    const lengths: number[] = [];
    for (const char of text) {
      starts.push(starts.length === 0 ? 0 : starts[starts.length - 1] + lengths[lengths.length - 1]);
      lengths.push(char.length);
    }
    const count = starts.length;
    const prev = Int32Array.from({ length: count }, (_, i) => i - 1);
    const next = Int32Array.from({ length: count }, (_, i) => (i + 1 < count ? i + 1 : -1));
    const heap = new MergeHeap();
    const offer = (left: number, right: number): void => {
      if (left < 0 || right < 0) return;
      const length = lengths[left] + lengths[right];
      const id = this.#idOf.get(text.slice(starts[left], starts[left] + length));
      if (id !== undefined) heap.push({ left, right, score: this.#scores[id], mergedLength: length });
    };
    for (let i = 0; i + 1 < count; i++) offer(i, i + 1);

    for (let merge = heap.pop(); merge; merge = heap.pop()) {
      const { left, right } = merge;
      if (lengths[left] === 0 || lengths[right] === 0 || lengths[left] + lengths[right] !== merge.mergedLength)
        continue;
      lengths[left] = merge.mergedLength;
      lengths[right] = 0;
      next[left] = next[right];
      if (next[right] >= 0) prev[next[right]] = left;
      offer(prev[left], left);
      offer(left, next[left]);
    }

    const ids: number[] = [];
    for (let i = count > 0 ? 0 : -1; i >= 0; i = next[i]) {
      const piece = text.slice(starts[i], starts[i] + lengths[i]);
      const id = this.#idOf.get(piece);
      if (id !== undefined) ids.push(id);
      else this.#pushBytes(piece, ids);
    }
    return ids;
  }

  #pushBytes(piece: string, ids: number[]): void {
    for (const byte of UTF8.encode(piece)) {
      const id = this.#idOf.get(byteTokenName(byte)) ?? this.#unkId;
      if (id !== null) ids.push(id);
    }
  }
}
