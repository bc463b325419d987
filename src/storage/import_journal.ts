/**
 * How far an import got. The first record names the layout being written, each further one the next item; records
 * are appended and flushed after the data they speak of, so what the last whole record says is on disk.
 */
import type { Crc32 } from './checksum.ts';
import type { FileStore, StoredFile } from './file_store.ts';
import { decodeRecords, encodeRecord, MAX_RECORD_BYTE_LENGTH } from './records.ts';

export interface ImportJournal {
  /** Says that all items before `nextItem` are on disk. Call after flushing them. */
  advance(nextItem: number): Promise<void>;
  close(): Promise<void>;
}

interface JournalState {
  readonly layoutCrc: number;
  readonly nextItem: number;
  /** Where the next record goes. */
  readonly byteLength: number;
}

/** State of a journal, null where there is none (or nothing whole in it). */
export async function readJournal(crc: Crc32, store: FileStore, id: string): Promise<JournalState | null> {
  const bytes = await store.readWhole(id, 'import.journal', MAX_RECORD_BYTE_LENGTH);
  if (!bytes) return null;
  const { values, byteLength } = decodeRecords(crc, bytes);
  const [head, ...rest] = values as { layoutCrc?: unknown; nextItem?: unknown }[];
  const nextItem = rest.at(-1)?.nextItem ?? 0;
  if (!Number.isSafeInteger(head?.layoutCrc) || !Number.isSafeInteger(nextItem)) return null;
  return { layoutCrc: head.layoutCrc as number, nextItem: nextItem as number, byteLength };
}

/** Opens the journal to go on after `state`, or anew for a layout. */
export async function openJournal(
  crc: Crc32, store: FileStore, id: string, layoutCrc: number, state: JournalState | null,
): Promise<ImportJournal> {
  const file = await store.open(id, 'import.journal', 'write');
  try {
    await file.truncate(state?.byteLength ?? 0);
    let at = state?.byteLength ?? 0;
    if (!state) at = await append(crc, file, at, { layoutCrc });
    return {
      async advance(nextItem) {
        at = await append(crc, file, at, { nextItem });
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function append(crc: Crc32, file: StoredFile, at: number, value: unknown): Promise<number> {
  const record = encodeRecord(crc, value);
  await file.write(at, record);
  await file.flush();
  return at + record.byteLength;
}
