/** Times reads of one size: in order or at random, one after the other or several at once. */
import { uniformRandom } from '../../../synthetic/random.ts';

export type ReadOrder = 'in order' | 'random';

export interface ReadRate {
  readonly gigabytesPerSecond: number;
  /** Of one read; where several run at once, the time of all over their number. */
  readonly microseconds: number;
}

/** Reads a range into a place of its own, by the number of the reads that run at once. */
export type ReadRange = (byteOffset: number, byteLength: number, lane: number) => unknown;

const MAX_READS = 4096;
/** A way that is slow is timed on fewer reads. */
const MAX_MILLISECONDS = 300;

/** Offsets of distinct blocks of the file, at most `most`. */
export function readOffsets(fileByteLength: number, byteLength: number, order: ReadOrder, most = MAX_READS): number[] {
  const blocks = Array.from({ length: Math.floor(fileByteLength / byteLength) }, (_, block) => block);
  if (order === 'random') shuffle(blocks);
  return blocks.slice(0, most).map((block) => block * byteLength);
}

function shuffle(values: number[]): void {
  const random = uniformRandom(17);
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [values[i], values[j]] = [values[j], values[i]];
  }
}

/** @param lanes reads that run at once */
export async function measureReads(read: ReadRange, offsets: readonly number[], byteLength: number, lanes = 1): Promise<ReadRate> {
  let next = 0;
  const start = performance.now();
  const lane = async (number: number): Promise<void> => {
    while (next < offsets.length && performance.now() - start < MAX_MILLISECONDS) {
      const done = read(offsets[next++], byteLength, number);
      // Synchronous ways aren't made to wait for a microtask each.
      if (done instanceof Promise) await done;
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return rateOf(next, byteLength, performance.now() - start);
}

/** The fastest of several runs, which other programs on the machine disturbed least. */
export async function fastestOf(runs: number, run: () => Promise<ReadRate>): Promise<ReadRate> {
  let fastest = await run();
  for (let i = 1; i < runs; i++) {
    const rate = await run();
    if (rate.microseconds < fastest.microseconds) fastest = rate;
  }
  return fastest;
}

export function rateOf(reads: number, byteLength: number, milliseconds: number): ReadRate {
  return { gigabytesPerSecond: reads * byteLength / milliseconds / 1e6, microseconds: 1000 * milliseconds / reads };
}

/** '2.75 GB/s · 95 µs' */
export function rateText({ gigabytesPerSecond: rate, microseconds }: ReadRate): string {
  const speed = rate < 0.1 ? `${(1000 * rate).toFixed(1)} MB/s` : `${rate.toFixed(2)} GB/s`;
  const time = microseconds < 10_000 ? `${microseconds.toFixed(microseconds < 10 ? 1 : 0)} µs` : `${(microseconds / 1000).toFixed(0)} ms`;
  return `${speed} · ${time}`;
}
