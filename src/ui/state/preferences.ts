/** Small settings in localStorage: read synchronously at start, so the page never flashes in the wrong theme. */

export interface PreferenceStore {
  read(key: string): unknown;
  write(key: string, value: unknown): void;
}

/** A store on localStorage; where the browser blocks it (private modes), settings last as long as the page. */
export function createPreferenceStore(prefix: string, storage: () => Storage): PreferenceStore {
  const memory = new Map<string, unknown>();
  return {
    read(key) {
      if (memory.has(key)) return memory.get(key);
      try {
        const text = storage().getItem(prefix + key);
        return text === null ? undefined : JSON.parse(text);
      } catch {
        return undefined;
      }
    },
    write(key, value) {
      memory.set(key, value);
      try {
        storage().setItem(prefix + key, JSON.stringify(value));
      } catch {
        // Kept in memory above; nothing a person could do about a full or blocked localStorage.
      }
    },
  };
}
