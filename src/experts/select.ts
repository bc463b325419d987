/** The coldest of many, without sorting the many. */
import type { ExpertKey } from '../compute/residency.ts';

/**
 * The `count` candidates of the lowest score, lowest first; equal scores go by key, so that the choice is a function of
 * the scores alone. One pass with a heap of `count`: a miss asks for a few out of thousands.
 */
export function coldest(candidates: readonly ExpertKey[], count: number, score: ArrayLike<number>): ExpertKey[] {
  if (count <= 0) return [];
  // heap[0] is the warmest of those chosen so far.
  const heap: ExpertKey[] = [];
  let worst = Infinity;
  for (const key of candidates) {
    if (heap.length < count) {
      heap.push(key);
      siftUp(heap, score);
      worst = score[heap[0]];
    } else if (score[key] < worst || (score[key] === worst && key < heap[0])) {
      heap[0] = key;
      siftDown(heap, score);
      worst = score[heap[0]];
    }
  }
  return heap.sort((a, b) => (isWarmer(a, b, score) ? 1 : -1));
}

function isWarmer(a: ExpertKey, b: ExpertKey, score: ArrayLike<number>): boolean {
  return score[a] > score[b] || (score[a] === score[b] && a > b);
}

function siftUp(heap: ExpertKey[], score: ArrayLike<number>): void {
  for (let at = heap.length - 1; at > 0;) {
    const parent = (at - 1) >> 1;
    if (!isWarmer(heap[at], heap[parent], score)) return;
    [heap[at], heap[parent]] = [heap[parent], heap[at]];
    at = parent;
  }
}

function siftDown(heap: ExpertKey[], score: ArrayLike<number>): void {
  for (let at = 0; ;) {
    let warmest = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && isWarmer(heap[child], heap[warmest], score)) warmest = child;
    }
    if (warmest === at) return;
    [heap[at], heap[warmest]] = [heap[warmest], heap[at]];
    at = warmest;
  }
}
