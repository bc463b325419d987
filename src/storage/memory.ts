/** Model files in memory: tests, and private windows that have no other storage. Gone when the page is. */
import { createChunkedStore, type KeyValueStore } from './chunked_store.ts';
import type { FileStore } from './file_store.ts';

export function createMemoryStore(chunkByteLength?: number): FileStore {
  return createChunkedStore('memory', createMapKeyValueStore(new Map()), chunkByteLength);
}

/** Key-value store over a Map, with IndexedDB's copying. */
export function createMapKeyValueStore(map: Map<string, Uint8Array | number>): KeyValueStore {
  const copy = (value: Uint8Array | number | undefined) => value instanceof Uint8Array ? value.slice() : value;
  return {
    get: async (key) => copy(map.get(key)),
    set: async (key, value) => { map.set(key, copy(value)!); },
    del: async (key) => { map.delete(key); },
    keys: async () => [...map.keys()],
  };
}
