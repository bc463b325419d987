/** The part of FileSystemSyncAccessHandle used here; TypeScript's DOM library has no worker-only interfaces. */
export interface SyncAccessHandle {
  read(buffer: Uint8Array, options: { at: number }): number;
  close(): void;
}

interface SyncFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle(options: { mode: 'read-only' }): Promise<SyncAccessHandle>;
}

/** Several workers may hold a file in this mode. */
export function openForReading(file: FileSystemFileHandle): Promise<SyncAccessHandle> {
  return (file as SyncFileHandle).createSyncAccessHandle({ mode: 'read-only' });
}

/** @throws RangeError where fewer bytes came than the buffer holds */
export function readFully(handle: SyncAccessHandle, into: Uint8Array, at: number): void {
  const count = handle.read(into, { at });
  if (count !== into.byteLength) throw new RangeError(`read ${count} bytes at ${at} instead of ${into.byteLength}`);
}
