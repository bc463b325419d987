/**
 * Small JSON files that say of themselves whether they are whole: '<crc32 hex> <json>\n' a line. A file holds one
 * record, or is a journal whose last whole record counts. A write that a crash tore is found here, so even a store
 * without an atomic rename never shows a half-written manifest as a model.
 */
import type { Crc32 } from './checksum.ts';
import { StorageError, type FileStore, type StoredFile, type StoredFileName } from './file_store.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NEWLINE = 10;
const CRC_DIGITS = 8;
/** Longest record file read: the largest vocabularies known take a few tens of MiB. */
export const MAX_RECORD_BYTE_LENGTH = 256 * 1024 * 1024;

/** @throws StorageError where the record would be too long to be read back. */
export function encodeRecord(crc: Crc32, value: unknown): Uint8Array {
  const json = encoder.encode(JSON.stringify(value));
  if (json.byteLength > MAX_RECORD_BYTE_LENGTH / 2) {
    throw new StorageError(`The model's metadata takes ${json.byteLength} bytes, which is too much to store.`);
  }
  crc.update(json);
  const line = new Uint8Array(CRC_DIGITS + 1 + json.byteLength + 1);
  line.set(encoder.encode(`${crc.take().toString(16).padStart(CRC_DIGITS, '0')} `));
  line.set(json, CRC_DIGITS + 1);
  line[line.byteLength - 1] = NEWLINE;
  return line;
}

export interface DecodedRecords {
  /** The values of the whole records, in order. */
  readonly values: readonly unknown[];
  /** Where the first record that isn't whole begins: the place to go on writing. */
  readonly byteLength: number;
}

/** Records up to the first that is torn. */
export function decodeRecords(crc: Crc32, bytes: Uint8Array): DecodedRecords {
  const values: unknown[] = [];
  let byteLength = 0;
  for (const record of wholeRecords(crc, bytes)) {
    values.push(JSON.parse(decoder.decode(record.json)));
    byteLength = record.end;
  }
  return { values, byteLength };
}

function* wholeRecords(crc: Crc32, bytes: Uint8Array): Generator<{ json: Uint8Array; end: number }> {
  for (let begin = 0;;) {
    const end = bytes.indexOf(NEWLINE, begin);
    if (end < begin + CRC_DIGITS + 1) return;
    const json = bytes.subarray(begin + CRC_DIGITS + 1, end);
    crc.update(json);
    if (Number.parseInt(decoder.decode(bytes.subarray(begin, begin + CRC_DIGITS)), 16) !== crc.take()) return;
    yield { json, end: end + 1 };
    begin = end + 1;
  }
}

/** The one record of a file; null where the file is missing or its record is torn. */
export async function readRecord(
  crc: Crc32, store: FileStore, modelId: string, name: StoredFileName,
): Promise<unknown> {
  const bytes = await store.readWhole(modelId, name, MAX_RECORD_BYTE_LENGTH);
  return bytes ? decodeRecords(crc, bytes).values[0] ?? null : null;
}

/** Whether readRecord would find a record, without parsing it. */
export async function hasRecord(
  crc: Crc32, store: FileStore, modelId: string, name: StoredFileName,
): Promise<boolean> {
  const bytes = await store.readWhole(modelId, name, MAX_RECORD_BYTE_LENGTH);
  return bytes !== null && !wholeRecords(crc, bytes).next().done;
}

/** Writes and flushes a one-record file. */
export async function writeRecord(
  crc: Crc32, store: FileStore, modelId: string, name: StoredFileName, value: unknown,
): Promise<void> {
  await withFile(store, modelId, name, 'write', async (file) => {
    await file.truncate(0);
    await file.write(0, encodeRecord(crc, value));
    await file.flush();
  });
}

/** Opens a file for the time of `use`. */
export async function withFile<T>(
  store: FileStore, modelId: string, name: StoredFileName, mode: 'read' | 'write',
  use: (file: StoredFile) => Promise<T>,
): Promise<T> {
  const file = await store.open(modelId, name, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
