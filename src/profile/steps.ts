/** What each step took, one row of numbers a step: the source of the panel, of the CSV and of all shares. */

/** Columns of a row. Times are in milliseconds, sizes in bytes. */
export const STEP_FIELDS = [
  /** Number of the step since recording began. */
  'step',
  /** 1 for a decoded token, 0 for a part of a prompt. */
  'isDecode',
  'startMs', 'durationMs', 'position', 'tokens',
  /** The GPU's own time by timestamp queries; NaN where the device has none and in steps that weren't timed. */
  'gpuMs',
  /** From each submit to its readback, the GPU's time included. */
  'waitMs',
  /** Waiting for expert rows, and handing them to the GPU's queue. */
  'readMs', 'uploadMs',
  /** Routed experts (distinct ones of a layer) that were on the device when asked for, and those that weren't. */
  'hits', 'misses',
  'memoryReads', 'storageReads', 'missedLayers', 'bytesRead', 'bytesUploaded', 'evictions',
  /** Copies of more bits that came to the device. */
  'promotions',
] as const;

export type StepField = (typeof STEP_FIELDS)[number];
export type StepRow = Record<StepField, number>;

export function emptyStepRow(): StepRow {
  return Object.fromEntries(STEP_FIELDS.map((field) => [field, 0])) as StepRow;
}

/** The latest rows, in one array: structured-clone safe and cheap to cross threads. */
export class StepLog {
  readonly #capacity: number;
  readonly #cells: Float64Array;
  #count = 0;

  /** @param capacity rows kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#cells = new Float64Array(capacity * STEP_FIELDS.length);
  }

  /** Rows ever added. */
  get count(): number { return this.#count; }

  add(row: Readonly<StepRow>): void {
    let at = (this.#count % this.#capacity) * STEP_FIELDS.length;
    for (const field of STEP_FIELDS) this.#cells[at++] = row[field];
    this.#count += 1;
  }

  /** Rows number `from` and later that are still kept, oldest first, flattened. */
  since(from: number): Float64Array<ArrayBuffer> {
    const width = STEP_FIELDS.length;
    const first = Math.max(from, this.#count - this.#capacity, 0);
    const cells = new Float64Array(Math.max(0, this.#count - first) * width);
    for (let number = first; number < this.#count; number++) {
      const at = (number % this.#capacity) * width;
      cells.set(this.#cells.subarray(at, at + width), (number - first) * width);
    }
    return cells;
  }

  clear(): void {
    this.#count = 0;
  }
}

/** Rows of StepLog.since(). @throws RangeError where the length is no whole number of rows. */
export function stepRows(cells: Float64Array): StepRow[] {
  const width = STEP_FIELDS.length;
  if (cells.length % width !== 0) throw new RangeError(`${cells.length} cells are no rows of ${width}`);
  return Array.from({ length: cells.length / width }, (_, row) =>
    Object.fromEntries(STEP_FIELDS.map((field, i) => [field, cells[row * width + i]])) as StepRow);
}

/** Where a step's time went, in milliseconds; adds up to its duration. */
export interface TimeSplit {
  /** Null where it wasn't measured: then it is part of `wait`. */
  readonly gpu: number | null;
  /** The way to the GPU and back: queueing, the map's arrival. */
  readonly wait: number;
  readonly fetch: number;
  readonly upload: number;
  /** This thread: encoding commands, tokens to text, messages; on the reference back end all arithmetic. */
  readonly rest: number;
}

export function splitOf({ durationMs, gpuMs, waitMs, readMs, uploadMs }: Readonly<StepRow>): TimeSplit {
  // GPU clocks are coarse in browsers: what exceeds the wait is rounding.
  const gpu = Number.isNaN(gpuMs) ? null : Math.min(gpuMs, waitMs);
  return {
    gpu, wait: waitMs - (gpu ?? 0), fetch: readMs, upload: uploadMs,
    rest: Math.max(0, durationMs - waitMs - readMs - uploadMs),
  };
}

/** Means over decode steps; null where there are none. */
export interface StepSummary {
  readonly steps: number;
  readonly split: TimeSplit;
  readonly durationMs: number;
  /** Share of steps whose experts were all there. */
  readonly zeroMissShare: number;
  readonly missedLayers: number;
  /** Shares of routed experts by where they were found; null where none was counted. */
  readonly found: FoundShares | null;
  readonly bytesRead: number;
  readonly bytesUploaded: number;
  readonly promotions: number;
}

/** Adds up to 1. */
export interface FoundShares {
  readonly device: number;
  readonly memory: number;
  readonly storage: number;
}

/** Misses are spread over the tiers as the rows read were; a row that was on its way already counts as one from RAM. */
export function foundShares(rows: readonly Readonly<StepRow>[]): FoundShares | null {
  const sum = (field: StepField): number => rows.reduce((total, row) => total + row[field], 0);
  const [hits, misses] = [sum('hits'), sum('misses')];
  const all = hits + misses;
  if (all === 0) return null;
  const storage = Math.min(misses, sum('storageReads'));
  return { device: hits / all, memory: (misses - storage) / all, storage: storage / all };
}

/** A GPU is timed in some of the steps, and how long a step waits differs: what those tell of all is the share. */
function gpuShareOfWait(rows: readonly Readonly<StepRow>[]): number | null {
  const timed = rows.filter((row) => !Number.isNaN(row.gpuMs) && row.waitMs > 0);
  if (timed.length === 0) return null;
  const sum = (value: (row: Readonly<StepRow>) => number): number => timed.reduce((total, row) => total + value(row), 0);
  return sum((row) => splitOf(row).gpu ?? 0) / sum((row) => row.waitMs);
}

export function summaryOfSteps(rows: readonly Readonly<StepRow>[]): StepSummary | null {
  const decode = rows.filter((row) => row.isDecode === 1);
  if (decode.length === 0) return null;
  const mean = (value: (row: Readonly<StepRow>) => number): number => decode.reduce((sum, row) => sum + value(row), 0) / decode.length;
  const splits = decode.map(splitOf);
  const meanOf = (part: 'fetch' | 'upload' | 'rest'): number => splits.reduce((sum, split) => sum + split[part], 0) / splits.length;
  const waitMs = mean((row) => row.waitMs);
  const gpuShare = gpuShareOfWait(decode);
  const gpu = gpuShare === null ? null : gpuShare * waitMs;
  return {
    steps: decode.length,
    split: { gpu, wait: waitMs - (gpu ?? 0), fetch: meanOf('fetch'), upload: meanOf('upload'), rest: meanOf('rest') },
    durationMs: mean((row) => row.durationMs),
    zeroMissShare: mean((row) => (row.misses === 0 ? 1 : 0)),
    missedLayers: mean((row) => row.missedLayers),
    found: foundShares(decode),
    bytesRead: mean((row) => row.bytesRead),
    bytesUploaded: mean((row) => row.bytesUploaded),
    promotions: mean((row) => row.promotions),
  };
}
