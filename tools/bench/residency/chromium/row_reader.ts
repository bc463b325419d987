/** A worker that reads rows when told to: several of them read at once, each with a handle of its own. */
import { expose } from 'comlink';
import { openForReading, readFully, type SyncAccessHandle } from './sync_handle.ts';

let handle: SyncAccessHandle | null = null;
let row = new Uint8Array(0);

const reader = {
  async open(file: FileSystemFileHandle, byteLength: number): Promise<void> {
    handle = await openForReading(file);
    row = new Uint8Array(byteLength);
  },
  readAll(offsets: readonly number[]): void {
    if (!handle) throw new Error('the reader has no file');
    for (const offset of offsets) readFully(handle, row, offset);
  },
  close(): void {
    handle?.close();
  },
};

export type RowReader = typeof reader;

expose(reader);
