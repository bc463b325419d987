/**
 * What reading costs in the browser's storage, by size and order: sync access handles, File.slice(), IndexedDB, and the
 * product's own stores for expert rows. Warm: the system's page cache has the file. Cold: it was told to forget it.
 */
import { wrap, type Remote } from 'comlink';
import { createCrc32 } from '../../../../src/storage/checksum.ts';
import type { FileStore } from '../../../../src/storage/file_store.ts';
import { createIdbStore } from '../../../../src/storage/idb.ts';
import { createOpfsStore } from '../../../../src/storage/opfs.ts';
import { promptTokens } from '../../measure.ts';
import type { Print } from '../sweep.ts';
import { fastestOf, measureReads, rateOf, rateText, readOffsets, type ReadOrder, type ReadRange, type ReadRate } from './read_rate.ts';
import { dropPageCache } from './report.ts';
import type { RowReader } from './row_reader.ts';
import { openForReading, readFully } from './sync_handle.ts';

const READ_BYTE_LENGTHS = [4, 64, 256, 1024, 4096, 8192].map((kibibytes) => kibibytes * 1024);
/** An expert of Qwen3-30B-A3B in W2. */
const ROW_BYTE_LENGTH = 1_327_104;
const WRITE_BYTE_LENGTH = 8 * 2 ** 20;
const MODEL_ID = 'bench-reads';
const RAW_FILE = 'bench-reads.bin';
/** IndexedDB writes slowly: its file is this part of the other. */
const IDB_PART = 1 / 4;
const TIMED_RUNS = 3;
const READER_COUNTS = [1, 2, 4];

interface Way {
  readonly name: string;
  readonly fileByteLength: number;
  /** False where this process keeps a part of the file, which no cold read would go past. */
  readonly canBeCold: boolean;
  readonly read: ReadRange;
}

/** Prints two tables in Markdown: reads by size and order, and expert rows. */
export async function printReads(fileByteLength: number, print: Print): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const [opfs, idb] = [await createOpfsStore(root), createIdbStore()];
  const idbByteLength = Math.max(WRITE_BYTE_LENGTH, Math.floor(fileByteLength * IDB_PART));
  await print(`a file of ${fileByteLength / 2 ** 20} MiB in OPFS, ${idbByteLength / 2 ** 20} MiB in IndexedDB`);
  await print(`written at ${(await writeFile(opfs, fileByteLength)).toFixed(2)} GB/s (OPFS, flushed), ${(await writeFile(idb, idbByteLength)).toFixed(2)} GB/s (IndexedDB)`);
  const raw = await root.getFileHandle(RAW_FILE, { create: true });
  await copyToRaw(opfs, raw);
  const canDrop = await dropPageCache();
  if (!canDrop) await print('no cold reads: the page cache could not be told to forget the files');

  const inIdb = await idb.open(MODEL_ID, 'experts.pack', 'read');
  const handle = await openForReading(raw);
  const [file, buffer] = [await raw.getFile(), new Uint8Array(Math.max(...READ_BYTE_LENGTHS))];
  await printSizes([
    { name: 'sync access handle', fileByteLength, canBeCold: true, read: (at, length) => readFully(handle, buffer.subarray(0, length), at) },
    { name: 'File.slice().arrayBuffer()', fileByteLength, canBeCold: true, read: (at, length) => file.slice(at, at + length).arrayBuffer() },
    { name: 'IndexedDB (idb.ts)', fileByteLength: idbByteLength, canBeCold: false, read: (at, length) => inIdb.read(at, length, buffer) },
  ], canDrop, print);
  handle.close();
  await inIdb.close();
  await printRows(opfs, raw, fileByteLength, canDrop, print);
}

/** @returns GB/s, the last flush included */
async function writeFile(store: FileStore, byteLength: number): Promise<number> {
  const file = await store.open(MODEL_ID, 'experts.pack', 'write');
  const words = Uint32Array.from(promptTokens(WRITE_BYTE_LENGTH / 4, 2 ** 24));
  const start = performance.now();
  for (let at = 0; at < byteLength; at += WRITE_BYTE_LENGTH) {
    await file.write(at, new Uint8Array(words.buffer, 0, Math.min(WRITE_BYTE_LENGTH, byteLength - at)));
  }
  await file.flush();
  const seconds = (performance.now() - start) / 1000;
  await file.close();
  return byteLength / seconds / 1e9;
}

/** A file outside of the store, for the ways that go past it. */
async function copyToRaw(store: FileStore, raw: FileSystemFileHandle): Promise<void> {
  const source = await store.open(MODEL_ID, 'experts.pack', 'read');
  const [byteLength, target] = [await source.size(), await raw.createWritable()];
  for (let at = 0; at < byteLength; at += WRITE_BYTE_LENGTH) {
    await target.write(new Uint8Array(await source.read(at, Math.min(WRITE_BYTE_LENGTH, byteLength - at))));
  }
  await target.close();
  await source.close();
}

async function printSizes(ways: readonly Way[], canDrop: boolean, print: Print): Promise<void> {
  const names = READ_BYTE_LENGTHS.map((byteLength) => (byteLength < 2 ** 20 ? `${byteLength / 1024} KiB` : `${byteLength / 2 ** 20} MiB`));
  await print(`\n| way | order | page cache | ${names.join(' | ')} |\n|---|---|---|${names.map(() => '---|').join('')}`);
  for (const way of ways) {
    for (const order of ['in order', 'random'] as const satisfies readonly ReadOrder[]) {
      for (const cold of canDrop && way.canBeCold ? [false, true] : [false]) {
        const cells: string[] = [];
        for (const byteLength of READ_BYTE_LENGTHS) {
          const offsets = readOffsets(way.fileByteLength, byteLength, order);
          cells.push(rateText(await timed(cold, () => measureReads(way.read, offsets, byteLength))));
        }
        await print(`| ${way.name} | ${order} | ${cold ? 'cold' : 'warm'} | ${cells.join(' | ')} |`);
      }
    }
  }
}

/** Where all is to be warm, a run before the timed ones sees to it. */
async function timed(cold: boolean, run: () => Promise<ReadRate>): Promise<ReadRate> {
  if (!cold) await run();
  return fastestOf(TIMED_RUNS, async () => {
    if (cold) await dropPageCache();
    return run();
  });
}

async function printRows(opfs: FileStore, raw: FileSystemFileHandle, fileByteLength: number, canDrop: boolean, print: Print): Promise<void> {
  const stored = await opfs.open(MODEL_ID, 'experts.pack', 'read');
  const [file, crc, row] = [await raw.getFile(), await createCrc32(), new Uint8Array(ROW_BYTE_LENGTH)];
  const withChecksum: ReadRange = async (at, byteLength) => {
    crc.update(await stored.read(at, byteLength, row));
    crc.take();
  };
  const slice: ReadRange = (at, byteLength) => file.slice(at, at + byteLength).arrayBuffer();
  const ways: readonly { readonly name: string; readonly read: ReadRange; readonly lanes?: number }[] = [
    { name: 'opfs.ts, into memory that is used again', read: (at, byteLength) => stored.read(at, byteLength, row) },
    { name: 'opfs.ts, into new memory', read: (at, byteLength) => stored.read(at, byteLength) },
    { name: 'opfs.ts, with a CRC-32 of the row', read: withChecksum },
    { name: 'File.slice().arrayBuffer()', read: slice },
    { name: 'File.slice().arrayBuffer(), 8 at once', read: slice, lanes: 8 },
  ];
  await print(`\nexpert rows of ${ROW_BYTE_LENGTH} bytes, at random\n\n| way | ${canDrop ? 'warm | cold' : 'warm'} |\n|---|---|${canDrop ? '---|' : ''}`);
  const offsets = readOffsets(fileByteLength, ROW_BYTE_LENGTH, 'random');
  const printWay = async (name: string, run: () => Promise<ReadRate>): Promise<void> => {
    const cells = [rateText(await timed(false, run)), ...(canDrop ? [rateText(await timed(true, run))] : [])];
    await print(`| ${name} | ${cells.join(' | ')} |`);
  };
  for (const { name, read, lanes } of ways) await printWay(name, () => measureReads(read, offsets, ROW_BYTE_LENGTH, lanes));
  for (const count of READER_COUNTS) {
    const readers = await Promise.all(Array.from({ length: count }, () => openReader(raw)));
    await printWay(`${count} worker${count === 1 ? '' : 's'}, a sync access handle each`, async () => {
      const start = performance.now();
      await Promise.all(readers.map(({ reader }, i) => reader.readAll(offsets.filter((_, n) => n % count === i))));
      return rateOf(offsets.length, ROW_BYTE_LENGTH, performance.now() - start);
    });
    for (const opened of readers) await closeReader(opened);
  }
  await stored.close();
}

interface OpenReader {
  readonly reader: Remote<RowReader>;
  readonly worker: Worker;
}

/** A worker with the file open. */
async function openReader(file: FileSystemFileHandle): Promise<OpenReader> {
  const worker = new Worker(new URL('./row_reader.ts', import.meta.url), { type: 'module', name: 'row reader' });
  const reader = wrap<RowReader>(worker);
  await reader.open(file, ROW_BYTE_LENGTH);
  return { reader, worker };
}

async function closeReader({ reader, worker }: OpenReader): Promise<void> {
  await reader.close();
  worker.terminate();
}
