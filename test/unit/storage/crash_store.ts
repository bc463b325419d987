/**
 * A store that fails on purpose. Each write operation counts; the one numbered `failAt` and, with `crash`, all after
 * it throw. A crash loses what was not flushed, except for a part of it that happened to reach the disk.
 */
import type { FileStore, StoredFile } from '../../../src/storage/file_store.ts';

export interface CrashStore extends FileStore {
  /** Write operations so far. */
  operations(): number;
}

export class InjectedFault extends Error {}

interface Plan {
  readonly failAt: number;
  readonly mode: 'crash' | 'fail once';
  /** Unflushed writes survive a crash when their number is a multiple of this; 0: none does. */
  readonly survivingEvery: number;
}

export function createCrashStore(inner: FileStore, plan: Plan): CrashStore {
  let count = 0;
  let crashed = false;

  function step(): void {
    if (crashed) throw new InjectedFault('after the crash');
    if (++count !== plan.failAt) return;
    crashed = plan.mode === 'crash';
    throw new InjectedFault(`operation ${count}`);
  }

  function wrap(file: StoredFile): StoredFile {
    // Changes wait here until they are flushed, as they would in a page cache.
    let pending: (() => Promise<void>)[] = [];
    let size: number | null = null;
    const sizeNow = async () => size ?? await file.size();
    const settle = async () => {
      for (const change of pending) await change();
      pending = [];
    };
    const crash = async () => {
      if (plan.survivingEvery === 0) return;
      for (let i = 0; i < pending.length; i++) if (i % plan.survivingEvery === 0) await pending[i]();
    };
    const guarded = async (use: () => Promise<void>) => {
      try {
        step();
      } catch (error) {
        if (crashed) await crash();
        pending = [];
        await file.flush();
        throw error;
      }
      await use();
    };
    return {
      size: sizeNow,
      async read(...range) {
        await settle();
        return file.read(...range);
      },
      write: (byteOffset, bytes) => guarded(async () => {
        const copy = bytes.slice();
        size = Math.max(await sizeNow(), byteOffset + copy.byteLength);
        pending.push(() => file.write(byteOffset, copy));
      }),
      truncate: (byteLength) => guarded(async () => {
        size = byteLength;
        pending.push(() => file.truncate(byteLength));
      }),
      flush: () => guarded(async () => {
        await settle();
        await file.flush();
      }),
      async close() {
        if (!crashed) await settle();
        await file.close();
      },
    };
  }

  return {
    kind: inner.kind,
    operations: () => count,
    listModels: () => inner.listModels(),
    readWhole: (id, name, max) => inner.readWhole(id, name, max),
    async open(id, name, mode) {
      if (mode === 'read') return inner.open(id, name, mode);
      step();
      return wrap(await inner.open(id, name, mode));
    },
    async rename(id, from, to) {
      step();
      await inner.rename(id, from, to);
    },
    async removeFile(id, name) {
      step();
      await inner.removeFile(id, name);
    },
    async removeModel(id) {
      step();
      await inner.removeModel(id);
    },
  };
}
