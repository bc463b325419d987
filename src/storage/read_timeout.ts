/** A model source whose reads end: one that storage never answers becomes an error that names what was read. */
import { StorageError } from './file_store.ts';
import type { ModelSource } from './model_source.ts';

export interface Timers {
  set(run: () => void, millis: number): unknown;
  clear(timer: unknown): void;
}

export interface ReadTimeoutOptions {
  readonly millis?: number;
  readonly timers?: Timers;
}

const DEFAULT_MILLIS = 30_000;
/** The time is waited for in so many parts: of a machine that slept, one part ends at once, not all of them. */
const PARTS = 3;

const SYSTEM_TIMERS: Timers = {
  set: (run, millis) => setTimeout(run, millis),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/**
 * After a read that timed out, all reads fail: it may still be answered, and would then write into a buffer that its
 * caller has given to another read.
 */
export function withReadTimeout(source: ModelSource, { millis = DEFAULT_MILLIS, timers = SYSTEM_TIMERS }: ReadTimeoutOptions = {}): ModelSource {
  let failure: StorageError | null = null;

  const timed = <T>(what: string, read: () => Promise<T>): Promise<T> => {
    if (failure !== null) return Promise.reject(failure);
    return new Promise<T>((resolve, reject) => {
      let timer: unknown;
      const wait = (partsLeft: number): void => {
        timer = timers.set(() => {
          if (partsLeft > 1) {
            wait(partsLeft - 1);
            return;
          }
          failure ??= new StorageError(
            `The browser's storage has not answered for ${Math.round(millis / 1000)} s (${what}). The model and your chats are kept: `
            + 'reload the page to go on.');
          reject(failure);
        }, millis / PARTS);
      };
      wait(PARTS);
      read().then(resolve, reject).finally(() => timers.clear(timer));
    });
  };

  return {
    manifest: source.manifest,
    readDense: (name, ...range) => timed(`reading ${name}`, () => source.readDense(name, ...range)),
    readExpertRow: (layer, expert, into) =>
      timed(`reading expert ${expert} of layer ${layer}`, () => source.readExpertRow(layer, expert, into)),
    readTierRow: (layer, expert, into) =>
      timed(`reading the second tier of expert ${expert} of layer ${layer}`, () => source.readTierRow(layer, expert, into)),
    // A store that doesn't answer must not keep a model from being closed.
    close: () => (failure === null ? source.close() : Promise.resolve(void source.close().catch(() => undefined))),
  };
}
