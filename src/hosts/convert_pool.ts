/** Conversions on several threads: a pool of dedicated workers behind the importer's ExpertConverter. */
import type { ConvertedRun } from '../quant/convert.ts';
import { createInThreadConverter, type ExpertConverter } from '../storage/expert_converter.ts';
import type { ConvertReply, ConvertRequest } from './convert_protocol.ts';

/** The part of Worker used here. */
export interface ConvertWorker {
  addEventListener(type: 'message', listener: (event: { readonly data: ConvertReply }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message: string }) => void): void;
  postMessage(request: ConvertRequest, transfer: Transferable[]): void;
  terminate(): void;
}

/** More would only wait for the disk. */
const MAX_WORKERS = 8;

/** Starts one of the browser's workers. @throws where a worker can't start workers (Safari before 15.5) */
export function spawnConvertWorker(): ConvertWorker {
  return new Worker(new URL('./convert_worker.ts', import.meta.url), { type: 'module', name: 'hotset-convert' });
}

/** How many workers a machine of so many threads gets: one thread is left to the importer. */
export function convertWorkerCount(hardwareConcurrency: number | undefined): number {
  return Math.max(1, Math.min(MAX_WORKERS, (hardwareConcurrency ?? 1) - 1));
}

/**
 * Opens a converter on so many workers; on the caller's own thread where they don't start.
 * @param log told why there are no workers
 */
export async function openConvertPool(
  workerCount: number, spawn: () => ConvertWorker, log: (sentence: string) => void,
): Promise<ExpertConverter> {
  const workers: ConvertWorker[] = [];
  try {
    for (let i = 0; i < workerCount; i++) workers.push(spawn());
    await Promise.all(workers.map(untilReady));
  } catch (error) {
    for (const worker of workers) worker.terminate();
    log(`Converting on one thread, since workers don't start here: ${error instanceof Error ? error.message : String(error)}`);
    return createInThreadConverter();
  }
  return new ConvertPool(workers);
}

function untilReady(worker: ConvertWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', () => resolve());
    worker.addEventListener('error', ({ message }) => reject(new Error(message || 'the script could not be loaded')));
  });
}

interface Waiting {
  resolve(results: readonly ConvertedRun[]): void;
  reject(error: Error): void;
}

class ConvertPool implements ExpertConverter {
  readonly workerCount: number;
  /** Conversions begun and not ended, by worker and id. */
  readonly #waiting: ReadonlyMap<ConvertWorker, Map<number, Waiting>>;
  #nextId = 0;
  /** Why nothing more is converted. */
  #ended: Error | null = null;

  constructor(workers: readonly ConvertWorker[]) {
    this.workerCount = workers.length;
    this.#waiting = new Map(workers.map((worker) => [worker, new Map<number, Waiting>()]));
    for (const [worker, waiting] of this.#waiting) {
      worker.addEventListener('message', ({ data }) => settle(waiting, data));
      worker.addEventListener('error', ({ message }) => {
        this.#end(new Error(`A worker that converts weights failed: ${message || 'no reason given'}.`));
      });
    }
  }

  convert({ run, targets }: Parameters<ExpertConverter['convert']>[0]): Promise<readonly ConvertedRun[]> {
    if (this.#ended) return Promise.reject(this.#ended);
    const [worker, waiting] = [...this.#waiting].reduce((least, entry) => entry[1].size < least[1].size ? entry : least);
    const id = this.#nextId++;
    // A copy: what a source hands out may be a view of something that it keeps.
    const bytes = run.bytes.slice();
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, job: { run: { ...run, bytes }, targets } }, [bytes.buffer]);
    });
  }

  close(): void {
    this.#end(new Error('The conversion was stopped.'));
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const [worker, waiting] of this.#waiting) {
      worker.terminate();
      for (const { reject } of waiting.values()) reject(this.#ended);
      waiting.clear();
    }
  }
}

function settle(waiting: Map<number, Waiting>, reply: ConvertReply): void {
  if (reply.kind === 'ready') return;
  const conversion = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (reply.kind === 'done') conversion?.resolve(reply.results);
  else conversion?.reject(new Error(`The weights could not be converted: ${reply.message}.`));
}
