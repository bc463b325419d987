/** KV cache of the reference back end: f32 arrays [position, kvHeadCount * headDim] that grow by doubling. */
import type { KvLayerShape, Sequence } from '../ops.ts';

const FIRST_CAPACITY = 64;

interface KvLayer {
  k: Float32Array;
  v: Float32Array;
  readonly rowSize: number;
}

export class ReferenceSequence implements Sequence {
  readonly capacity: number;
  readonly #layers: Map<number, KvLayer>;
  #length = 0;

  constructor(capacity: number, shapes: readonly KvLayerShape[]) {
    this.capacity = capacity;
    this.#layers = new Map(shapes.map(({ layer, kvHeadCount, headDim }) =>
      [layer, { k: new Float32Array(0), v: new Float32Array(0), rowSize: kvHeadCount * headDim }]));
  }

  get length(): number {
    return this.#length;
  }

  truncate(length: number): void {
    if (!(length >= 0 && length <= this.#length)) {
      throw new RangeError(`can't truncate a sequence of ${this.#length} tokens to ${length}`);
    }
    this.#length = length;
  }

  dispose(): void {
    this.#layers.clear();
    this.#length = 0;
  }

  /** Called once a step's ops have all run, so that a failed step leaves the sequence as it was. */
  advance(tokens: number): void {
    this.#length += tokens;
  }

  /** Writes rows [rows, rowSize] at positions length … and returns the layer's cache, valid up to them. */
  append(layer: number, k: Float32Array, v: Float32Array, rows: number): { readonly k: Float32Array; readonly v: Float32Array } {
    const kv = this.#layers.get(layer);
    if (!kv) throw new Error(`this sequence has no KV cache for layer ${layer} (was it disposed?)`);
    const needed = (this.#length + rows) * kv.rowSize;
    if (kv.k.length < needed) {
      const largest = this.capacity * kv.rowSize;
      const size = Math.min(largest, Math.max(needed, 2 * kv.k.length, FIRST_CAPACITY * kv.rowSize));
      kv.k = grown(kv.k, size);
      kv.v = grown(kv.v, size);
    }
    kv.k.set(k.subarray(0, rows * kv.rowSize), this.#length * kv.rowSize);
    kv.v.set(v.subarray(0, rows * kv.rowSize), this.#length * kv.rowSize);
    return kv;
  }
}

function grown(values: Float32Array, size: number): Float32Array {
  const larger = new Float32Array(size);
  larger.set(values);
  return larger;
}
