/**
 * Weights of the reference back end: packed bytes in memory, decoded a few rows at a time, or once and for all while
 * a byte budget lasts. The budget is filled first come, first kept: layers are visited in a circle, and a circle
 * larger than the cache would evict every matrix right before its next use.
 */
import type { Tracer } from '../../profile/trace.ts';
import { emptyResidencyCounters } from '../residency.ts';
import type { WeightFormatName } from '../../quant/formats.ts';
import { decodePackedRows, planeViews, tensorScaleOf } from '../../quant/pack.ts';
import { packedLayout, type PackedLayout } from '../../quant/packed.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, ModelSource } from '../../storage/model_source.ts';

export class DecodeBudget {
  #left: number;

  constructor(byteLength: number) {
    this.#left = byteLength;
  }

  take(byteLength: number): boolean {
    if (byteLength > this.#left) return false;
    this.#left -= byteLength;
    return true;
  }

  giveBack(byteLength: number): void {
    this.#left += byteLength;
  }
}

/** Rows decoded at a time where the matrix isn't kept decoded. */
const ROWS_PER_DECODE = 16;

/** A [rows, cols] matrix whose rows are read as f32. */
export class Matrix {
  readonly rows: number;
  readonly cols: number;
  /** Holds the row that at() found; changes with every at(). */
  values: Float32Array;
  readonly #layout: PackedLayout;
  readonly #planes: readonly Uint8Array[];
  readonly #tensorScale: number;
  readonly #decodedByteLength: number;
  #firstRow = 0;
  #rowCount = 0;

  constructor(format: WeightFormatName, rows: number, cols: number, packed: Uint8Array, budget: DecodeBudget) {
    this.rows = rows;
    this.cols = cols;
    this.#layout = packedLayout(format, rows, cols);
    this.#planes = planeViews(this.#layout, packed);
    this.#tensorScale = tensorScaleOf(this.#layout, packed);
    const byteLength = rows * cols * Float32Array.BYTES_PER_ELEMENT;
    this.#decodedByteLength = budget.take(byteLength) ? byteLength : 0;
    this.values = new Float32Array((this.#isKept ? rows : Math.min(rows, ROWS_PER_DECODE)) * cols);
  }

  /** Share of the budget to give back when the matrix is dropped. */
  get decodedByteLength(): number {
    return this.#decodedByteLength;
  }

  get #isKept(): boolean {
    return this.#decodedByteLength > 0;
  }

  /** Index in `values` of this row's first weight. */
  at(row: number): number {
    if (row < this.#firstRow || row >= this.#firstRow + this.#rowCount) this.#decode(row);
    return (row - this.#firstRow) * this.cols;
  }

  #decode(row: number): void {
    this.#firstRow = this.#isKept ? 0 : row;
    this.#rowCount = this.#isKept ? this.rows : Math.min(ROWS_PER_DECODE, this.rows - row);
    const rowEnd = this.#firstRow + this.#rowCount;
    decodePackedRows(this.#layout, this.#planes, this.#firstRow, rowEnd, this.values, this.#tensorScale);
  }
}

export interface Expert {
  readonly gate: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
}

/** Experts by (layer, id), read when first routed to and kept up to a byte budget, least recently used out first. */
export class ExpertStore {
  readonly #source: ModelSource;
  readonly #layers: ReadonlyMap<number, ExpertLayerEntry>;
  readonly #budget: DecodeBudget;
  readonly #maxPackedByteLength: number;
  /** In order of last use. */
  readonly #kept = new Map<string, { readonly expert: Expert; readonly byteLength: number }>();
  #packedByteLength = 0;
  readonly counters = emptyResidencyCounters();
  readonly #tracer: Tracer | null;

  constructor(source: ModelSource, budget: DecodeBudget, maxPackedByteLength: number, tracer: Tracer | null = null) {
    this.#tracer = tracer;
    this.#source = source;
    this.#layers = new Map(source.manifest.expertLayers.map((entry) => [entry.layer, entry]));
    this.#budget = budget;
    this.#maxPackedByteLength = maxPackedByteLength;
  }

  has(layer: number, id: number): boolean {
    return this.#kept.has(`${layer}/${id}`);
  }

  async get(layer: number, id: number): Promise<Expert> {
    const key = `${layer}/${id}`;
    const known = this.#kept.get(key);
    const tracer = this.#tracer?.on ? this.#tracer : null;
    if (tracer) tracer.current[known ? 'hits' : 'misses'] += 1;
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      this.counters.hits += 1;
      return known.expert;
    }
    this.counters.misses += 1;
    this.counters.rowsLoaded += 1;
    const entry = this.#layers.get(layer);
    if (!entry) throw new Error(`the manifest has no experts for layer ${layer}`);
    const start = tracer ? tracer.now() : 0;
    const tier = tracer ? this.#source.rowTier?.(layer, id) ?? 'storage' : 'storage';
    const row = await this.#source.readExpertRow(layer, id);
    if (tracer) {
      tracer.read(tier, start, layer, id, row.byteLength);
      tracer.current.readMs += tracer.now() - start;
    }
    const matrix = (m: ExpertMatrixEntry): Matrix =>
      new Matrix(m.format, m.rows, m.cols, row.subarray(m.byteOffset, m.byteOffset + m.byteLength), this.#budget);
    const expert = { gate: matrix(entry.gate), up: matrix(entry.up), down: matrix(entry.down) };
    this.counters.byteLengthLoaded += row.byteLength;
    this.#keep(key, expert, row.byteLength);
    return expert;
  }

  #keep(key: string, expert: Expert, byteLength: number): void {
    this.#kept.set(key, { expert, byteLength });
    this.#packedByteLength += byteLength;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#packedByteLength <= this.#maxPackedByteLength || oldest === key) return;
      this.#kept.delete(oldest);
      this.counters.evictions += 1;
      if (this.#tracer?.on) {
        const [layer, expert] = oldest.split('/').map(Number);
        this.#tracer.current.evictions += 1;
        this.#tracer.mark('eviction', layer, expert);
      }
      this.#packedByteLength -= dropped.byteLength;
      const { gate, up, down } = dropped.expert;
      for (const matrix of [gate, up, down]) this.#budget.giveBack(matrix.decodedByteLength);
    }
  }
}
