/** Model files in IndexedDB, for browsers without OPFS sync access handles: slower, same packs. */
import { createStore, del, get, keys, set } from 'idb-keyval';
import { createChunkedStore, type KeyValueStore } from './chunked_store.ts';
import type { FileStore } from './file_store.ts';

/** Opens (or makes) the database; `kv` stands in for it in tests. */
export function createIdbStore(kv: KeyValueStore = openKeyValueStore('hotset-models')): FileStore {
  return createChunkedStore('indexeddb', kv);
}

export function openKeyValueStore(databaseName: string): KeyValueStore {
  const database = createStore(databaseName, 'files');
  return {
    get: (key) => get(key, database),
    set: (key, value) => set(key, value, database),
    del: (key) => del(key, database),
    keys: () => keys<string>(database),
  };
}
