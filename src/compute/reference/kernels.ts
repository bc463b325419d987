/**
 * Scalar kernels: the oracle that other back ends are tested against. Activations are f32 [rows, cols], row-major;
 * sums run in f64 (JavaScript's numbers) and are rounded to f32 when stored.
 */
import type { Matrix } from './weights.ts';

/** Σ a[ai + i] * b[bi + i]; four partial sums, since one would wait for each addition. */
export function dot(a: Float32Array, ai: number, b: Float32Array, bi: number, n: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = n - (n % 4);
  for (let i = 0; i < whole; i += 4) {
    s0 += a[ai + i] * b[bi + i];
    s1 += a[ai + i + 1] * b[bi + i + 1];
    s2 += a[ai + i + 2] * b[bi + i + 2];
    s3 += a[ai + i + 3] * b[bi + i + 3];
  }
  for (let i = whole; i < n; i++) s0 += a[ai + i] * b[bi + i];
  return s0 + s1 + (s2 + s3);
}

export function silu(x: number): number {
  return x / (1 + Math.exp(-x));
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** RMS norm (Zhang & Sennrich 2019) of each run of `weight.cols` elements. x may be out. */
export function rmsNorm(x: Float32Array, out: Float32Array, elems: number, weight: Matrix, eps: number): void {
  const group = weight.cols;
  const w = weight.at(0);
  for (let begin = 0; begin < elems; begin += group) {
    const inverse = 1 / Math.sqrt(dot(x, begin, x, begin, group) / group + eps);
    for (let i = 0; i < group; i++) out[begin + i] = x[begin + i] * inverse * weight.values[w + i];
  }
}

export interface RopeSettings {
  readonly headDim: number;
  readonly invFreq: Float32Array;
  readonly style: 'half' | 'interleaved';
  readonly scale: number;
}

/** Rotary embedding in place; the angle is rounded to f32 as in the published implementations. */
export function rope(x: Float32Array, rows: number, cols: number, firstPosition: number, s: RopeSettings): void {
  const pairs = s.invFreq.length;
  const [pairStride, partner] = s.style === 'half' ? [1, pairs] : [2, 1];
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < pairs; i++) {
      const angle = Math.fround((firstPosition + row) * s.invFreq[i]);
      const cos = Math.cos(angle) * s.scale;
      const sin = Math.sin(angle) * s.scale;
      for (let head = 0; head < cols; head += s.headDim) {
        const a = row * cols + head + i * pairStride;
        const xa = x[a];
        const xb = x[a + partner];
        x[a] = xa * cos - xb * sin;
        x[a + partner] = xa * sin + xb * cos;
      }
    }
  }
}

export interface AttentionShape {
  readonly headCount: number;
  readonly kvHeadCount: number;
  readonly headDim: number;
  readonly scale: number;
  /** A query at position p sees keys at positions > p - window. */
  readonly window: number | null;
}

/** One query row of grouped-query attention at `position`; keys and values are [position + 1 or more, kv row]. */
export function attendRow(
  q: Float32Array, row: number, k: Float32Array, v: Float32Array, out: Float32Array, position: number, s: AttentionShape,
): void {
  const { headCount, kvHeadCount, headDim } = s;
  const kvRow = kvHeadCount * headDim;
  const first = s.window === null ? 0 : Math.max(0, position - s.window + 1);
  const scores = new Float64Array(position + 1 - first);
  const sums = new Float64Array(headDim);
  for (let head = 0; head < headCount; head++) {
    const queryAt = (row * headCount + head) * headDim;
    const kvAt = Math.floor(head / (headCount / kvHeadCount)) * headDim;
    let largest = -Infinity;
    for (let p = first; p <= position; p++) {
      const score = dot(q, queryAt, k, p * kvRow + kvAt, headDim) * s.scale;
      scores[p - first] = score;
      if (score > largest) largest = score;
    }
    let total = 0;
    sums.fill(0);
    for (let p = first; p <= position; p++) {
      const weight = Math.exp(scores[p - first] - largest);
      total += weight;
      const valueAt = p * kvRow + kvAt;
      for (let i = 0; i < headDim; i++) sums[i] += weight * v[valueAt + i];
    }
    for (let i = 0; i < headDim; i++) out[queryAt + i] = sums[i] / total;
  }
}

/** Chooses the topK experts of one row of router logits; see the 'router' op. */
export function route(
  logits: Float32Array, row: number, ids: Uint32Array, weights: Float32Array,
  s: { readonly expertCount: number; readonly topK: number; readonly normalize: boolean; readonly scale: number },
): void {
  const begin = row * s.expertCount;
  const order = Array.from({ length: s.expertCount }, (_, expert) => expert)
    .sort((a, b) => logits[begin + b] - logits[begin + a] || a - b);
  const largest = logits[begin + order[0]];
  const exps = order.map((expert) => Math.exp(logits[begin + expert] - largest));
  const summed = s.normalize ? exps.slice(0, s.topK) : exps;
  const total = summed.reduce((sum, e) => sum + e, 0);
  for (let i = 0; i < s.topK; i++) {
    ids[row * s.topK + i] = order[i];
    weights[row * s.topK + i] = (exps[i] / total) * s.scale;
  }
}
