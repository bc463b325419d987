/**
 * Model files in the origin private file system, through sync access handles. Those exist in dedicated workers
 * only and lock their file: a file's handle is opened once, shared by all its users here, and closed with the last.
 */
import { checkRange } from '../formats/byte_sources.ts';
import {
  checkModelId, fileTooLong, lockedFile, missingFile, readTarget, StorageLockedError,
  type FileStore, type StoredFile, type StoredFileName,
} from './file_store.ts';

/** The part of FileSystemSyncAccessHandle used here; TypeScript's DOM library has no worker-only interfaces. */
interface SyncAccessHandle {
  read(buffer: Uint8Array, options: { at: number }): number;
  write(buffer: Uint8Array, options: { at: number }): number;
  truncate(byteLength: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

/** Members that not every browser has: move() and the handle mode are newer than sync access handles. */
interface OpfsFileHandle extends FileSystemFileHandle {
  createSyncAccessHandle(options?: { mode: 'read-only' | 'readwrite' }): Promise<SyncAccessHandle>;
  move?(name: string): Promise<void>;
}

interface SharedHandle {
  readonly handle: SyncAccessHandle;
  readonly mode: 'read' | 'write';
  users: number;
}

const FOLDER = 'hotset-models';
/** A file beside the models' folders, grown and removed to find out whether there is room. */
const ROOM_PROBE = 'room-probe';
/** Files that whoever uses a model holds open: an import the journal, a chat the packs. */
const LOCK_PROBES: readonly StoredFileName[] = ['import.journal', 'dense.pack', 'experts.pack', 'extra.pack'];

/** Opens (or makes) the models' folder in the given OPFS root: `await navigator.storage.getDirectory()`. */
export async function createOpfsStore(root: FileSystemDirectoryHandle): Promise<FileStore> {
  const models = await root.getDirectoryHandle(FOLDER, { create: true });
  // What a tab that died while it looked for room left: nothing in it, but it counts against the quota.
  await removeEntry(models, ROOM_PROBE).catch(() => undefined);
  const shared = new Map<string, Promise<SharedHandle>>();

  async function fileHandle(modelId: string, name: StoredFileName, create: boolean): Promise<OpfsFileHandle | null> {
    checkModelId(modelId);
    try {
      const folder = await models.getDirectoryHandle(modelId, { create });
      return await folder.getFileHandle(name, { create }) as OpfsFileHandle;
    } catch (error) {
      if (isNamed(error, 'NotFoundError')) return null;
      throw error;
    }
  }

  async function openHandle(modelId: string, name: StoredFileName, mode: 'read' | 'write'): Promise<SharedHandle> {
    const file = await fileHandle(modelId, name, mode === 'write');
    if (!file) throw missingFile(modelId, name);
    return { handle: await syncHandle(file, mode), mode, users: 0 };
  }

  async function open(modelId: string, name: StoredFileName, mode: 'read' | 'write'): Promise<StoredFile> {
    const path = `${modelId}/${name}`;
    let opening = shared.get(path);
    if (!opening) {
      opening = openHandle(modelId, name, mode);
      shared.set(path, opening);
      opening.catch(() => shared.delete(path));
    }
    const entry = await opening;
    if (mode === 'write' && entry.mode === 'read') throw lockedFile();
    entry.users++;
    return storedFile(path, entry.handle, () => {
      if (--entry.users > 0) return;
      shared.delete(path);
      entry.handle.close();
    });
  }

  /** Removing a folder stops halfway at a locked file, so whether one is locked is found out before. */
  async function checkUnlocked(modelId: string): Promise<void> {
    if ([...shared.keys()].some((path) => path.startsWith(`${modelId}/`))) {
      throw new StorageLockedError('This model is in use; close it, then try again.');
    }
    for (const name of LOCK_PROBES) {
      const file = await fileHandle(modelId, name, false);
      if (file) (await syncHandle(file, 'write')).close();
    }
  }

  async function removeFile(modelId: string, name: StoredFileName): Promise<void> {
    const file = await fileHandle(modelId, name, false);
    if (file) await removeEntry(await models.getDirectoryHandle(modelId), name);
  }

  return {
    kind: 'opfs',
    hasRoom: (byteLength) => canGrow(models, byteLength),
    async listModels() {
      const ids: string[] = [];
      for await (const [name, handle] of models.entries()) if (handle.kind === 'directory') ids.push(name);
      return ids.sort();
    },
    open,
    async readWhole(modelId, name, maxByteLength) {
      const handle = await fileHandle(modelId, name, false);
      if (!handle) return null;
      const file = await handle.getFile();
      if (file.size > maxByteLength) throw fileTooLong(modelId, name, file.size);
      return new Uint8Array(await file.arrayBuffer());
    },
    async rename(modelId, from, to) {
      const source = await fileHandle(modelId, from, false);
      if (!source) throw missingFile(modelId, from);
      if (source.move) return source.move(to);
      const [input, output] = [await open(modelId, from, 'read'), await open(modelId, to, 'write')];
      const bytes = await input.read(0, await input.size());
      await output.truncate(0);
      await output.write(0, bytes);
      await output.flush();
      await output.close();
      await input.close();
      await removeEntry(await models.getDirectoryHandle(modelId), from);
    },
    removeFile,
    async removeModel(modelId) {
      await checkUnlocked(modelId);
      await removeFile(modelId, 'manifest.json');
      await removeEntry(models, modelId);
    },
  };
}

/** @throws StorageLockedError where another tab holds the file. */
async function syncHandle(file: OpfsFileHandle, mode: 'read' | 'write'): Promise<SyncAccessHandle> {
  try {
    // 'read-only' lets several tabs read one model; browsers that don't know the option lock as before.
    return await file.createSyncAccessHandle({ mode: mode === 'read' ? 'read-only' : 'readwrite' });
  } catch (error) {
    if (isNamed(error, 'NoModificationAllowedError')) throw lockedFile();
    throw error;
  }
}

function storedFile(name: string, handle: SyncAccessHandle, release: () => void): StoredFile {
  let closed = false;
  return {
    size: async () => handle.getSize(),
    async read(byteOffset, byteLength, into) {
      checkRange(name, handle.getSize(), byteOffset, byteLength);
      const out = readTarget(byteLength, into);
      for (let done = 0; done < byteLength;) {
        const count = handle.read(out.subarray(done), { at: byteOffset + done });
        if (count === 0) throw new RangeError(`${name}: the file ended at byte ${byteOffset + done}`);
        done += count;
      }
      return out;
    },
    async write(byteOffset, bytes) {
      for (let done = 0; done < bytes.byteLength;) {
        const count = handle.write(bytes.subarray(done), { at: byteOffset + done });
        // The specification returns fewer bytes than asked where the disk or the quota is full.
        if (count === 0) throw new DOMException('no space left for the file', 'QuotaExceededError');
        done += count;
      }
    },
    truncate: async (byteLength) => handle.truncate(byteLength),
    flush: async () => handle.flush(),
    async close() {
      if (closed) return;
      closed = true;
      release();
    },
  };
}

/** Grows a file without writing to it: the browser checks its quota, the disk keeps the space. */
async function canGrow(folder: FileSystemDirectoryHandle, byteLength: number): Promise<boolean> {
  const probe = await folder.getFileHandle(ROOM_PROBE, { create: true });
  try {
    const handle = await syncHandle(probe as OpfsFileHandle, 'write');
    try {
      handle.truncate(byteLength);
    } finally {
      handle.close();
    }
    return true;
  } catch (error) {
    if (isNamed(error, 'QuotaExceededError')) return false;
    // Another tab is looking too: the import itself will tell.
    if (error instanceof StorageLockedError) return true;
    throw error;
  } finally {
    await removeEntry(folder, ROOM_PROBE).catch(() => undefined);
  }
}

async function removeEntry(folder: FileSystemDirectoryHandle, name: string): Promise<void> {
  try {
    await folder.removeEntry(name, { recursive: true });
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return;
    if (isNamed(error, 'NoModificationAllowedError')) throw lockedFile();
    throw error;
  }
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
