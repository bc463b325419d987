/** Chooses the best storage that a browser worker has. */
import { openKeyValueStore, createIdbStore } from './idb.ts';
import type { FileStore } from './file_store.ts';
import { createMemoryStore } from './memory.ts';
import { createOpfsStore } from './opfs.ts';

/** The part of navigator.storage used here; a worker of an old browser may have none of it. */
export interface StorageGlobals {
  readonly storage?: Partial<Pick<StorageManager, 'getDirectory' | 'persist' | 'persisted' | 'estimate'>>;
}

export interface DetectedStorage {
  readonly store: FileStore;
  readonly kind: 'opfs' | 'indexeddb' | 'memory';
}

/**
 * OPFS with sync access handles, else IndexedDB, else memory. Each is tried with a real write, since private windows
 * have interfaces that refuse to work. Call it in a dedicated worker: sync access handles exist nowhere else.
 */
export async function detectStorage({ storage }: StorageGlobals): Promise<DetectedStorage> {
  const root = await attempt(async () => {
    const directory = await storage!.getDirectory!();
    await probeOpfs(directory);
    return directory;
  });
  if (root) return { store: await createOpfsStore(root), kind: 'opfs' };
  const kv = await attempt(async () => {
    const opened = openKeyValueStore('hotset-models');
    await opened.set(PROBE_KEY, 1);
    await opened.del(PROBE_KEY);
    return opened;
  });
  if (kv) return { store: createIdbStore(kv), kind: 'indexeddb' };
  return { store: createMemoryStore(), kind: 'memory' };
}

/**
 * Asks the browser not to evict our data. True where it promised. navigator.storage.persist exists in windows only,
 * so the page calls this; in a worker it tells whether the promise was made before.
 */
export async function askForPersistence({ storage }: StorageGlobals): Promise<boolean> {
  const granted = await attempt(async () => {
    if (await storage?.persisted?.()) return true;
    return await storage?.persist?.() ?? false;
  });
  return granted ?? false;
}

/** importModel's quota: what navigator.storage.estimate says, nothing where it can't. */
export async function storageEstimate({ storage }: StorageGlobals): Promise<{ quota?: number; usage?: number }> {
  return await attempt(async () => storage?.estimate?.()) ?? {};
}

const PROBE_KEY = 'probe';

async function probeOpfs(root: FileSystemDirectoryHandle): Promise<void> {
  // A name of its own: two tabs may start at once, and the handle locks.
  const name = `hotset-probe-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const file = await root.getFileHandle(name, { create: true });
  try {
    const handle = await (file as FileSystemFileHandle & {
      createSyncAccessHandle(): Promise<{ write(bytes: Uint8Array): number; close(): void }>;
    }).createSyncAccessHandle();
    try {
      handle.write(new Uint8Array(1));
    } finally {
      handle.close();
    }
  } finally {
    await root.removeEntry(name);
  }
}

/** Null where anything at all is missing or refuses: that is the question. */
async function attempt<T>(use: () => Promise<T>): Promise<T | null> {
  try {
    return await use();
  } catch {
    return null;
  }
}
