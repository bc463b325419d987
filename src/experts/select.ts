/** The coldest of many, without sorting the many. */
import type { ExpertKey } from '../compute/residency.ts';

/**
 * The `count` candidates of the lowest score, lowest first; equal scores go by key, so that the choice is a function of
 * the scores alone. One pass with a heap of `count`: a miss asks for a few out of thousands.
 */
export function coldest(candidates: readonly ExpertKey[], count: number, score: Float64Array): ExpertKey[] {
  if (count <= 0) return [];
  // heap[0] is the warmest of those chosen so far.
  const heap: ExpertKey[] = [];
  const first = Math.min(count, candidates.length);
  for (let i = 0; i < first; i++) {
    heap.push(candidates[i]);
    siftUp(heap, score);
  }
  let worst = score[heap[0]];
  for (let i = first; i < candidates.length; i++) {
    const key = candidates[i];
    const keyScore = score[key];
    if (keyScore > worst || (keyScore === worst && key > heap[0])) continue;
    heap[0] = key;
    siftDown(heap, score);
    worst = score[heap[0]];
  }
  return heap.sort((a, b) => (isWarmer(a, b, score) ? 1 : -1));
}

function isWarmer(a: ExpertKey, b: ExpertKey, score: Float64Array): boolean {
  return score[a] > score[b] || (score[a] === score[b] && a > b);
}

function siftUp(heap: ExpertKey[], score: Float64Array): void {
  for (let at = heap.length - 1; at > 0;) {
    const parent = (at - 1) >> 1;
    if (!isWarmer(heap[at], heap[parent], score)) return;
    [heap[at], heap[parent]] = [heap[parent], heap[at]];
    at = parent;
  }
}

function siftDown(heap: ExpertKey[], score: Float64Array): void {
  for (let at = 0; ;) {
    let warmest = at;
    const left = 2 * at + 1;
    if (left < heap.length && isWarmer(heap[left], heap[warmest], score)) warmest = left;
    if (left + 1 < heap.length && isWarmer(heap[left + 1], heap[warmest], score)) warmest = left + 1;
    if (warmest === at) return;
    [heap[at], heap[warmest]] = [heap[warmest], heap[at]];
    at = warmest;
  }
}
