import { describe, expect, it } from 'vitest';
import type { ConvertReply, ConvertRequest } from '../../../src/hosts/convert_protocol.ts';
import { convertWorkerCount, openConvertPool, type ConvertWorker } from '../../../src/hosts/convert_pool.ts';
import { convertRun, type WeightRun } from '../../../src/quant/convert.ts';
import { encodeRows } from '../../../src/quant/pack.ts';

/** A worker without a thread, that answers when the test says so. */
class FakeWorker implements ConvertWorker {
  readonly requests: ConvertRequest[] = [];
  terminated = false;
  readonly #listeners = { message: [] as ((event: never) => void)[], error: [] as ((event: never) => void)[] };

  constructor(readonly start: 'ready' | 'broken' = 'ready') {
    queueMicrotask(() => start === 'ready' ? this.reply({ kind: 'ready' }) : this.fail(''));
  }

  addEventListener(type: 'message' | 'error', listener: (event: never) => void): void {
    this.#listeners[type].push(listener);
  }

  postMessage(request: ConvertRequest, transfer: Transferable[]): void {
    this.requests.push(structuredClone(request, { transfer }));
  }

  terminate(): void {
    this.terminated = true;
  }

  reply(data: ConvertReply): void {
    for (const listener of this.#listeners.message) listener({ data } as never);
  }

  fail(message: string): void {
    for (const listener of this.#listeners.error) listener({ message } as never);
  }

  answerNext(): void {
    const { id, job } = this.requests.shift()!;
    this.reply({ kind: 'done', id, results: convertRun(job.run, job.targets) });
  }
}

const RUN: WeightRun = {
  format: 'F32', elems: 64, tensorScale: 1,
  bytes: encodeRows('F32', Float32Array.from({ length: 64 }, (_, i) => Math.sin(i)), 1, 64),
};

async function openPool(count: number) {
  const workers: FakeWorker[] = [];
  const pool = await openConvertPool(count, () => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  }, () => undefined);
  return { workers, pool };
}

describe('the pool of conversion workers', () => {
  it('gives each conversion to the worker with the least to do, and leaves the caller its bytes', async () => {
    const { workers, pool } = await openPool(2);
    expect(pool.workerCount).toBe(2);
    const conversions = Array.from({ length: 4 }, () => pool.convert({ run: RUN, targets: ['W2', 'MXFP4'] }));
    expect(workers.map((worker) => worker.requests.length)).toEqual([2, 2]);
    workers[1].answerNext();
    workers[1].answerNext();
    await Promise.all([conversions[1], conversions[3]]);
    const fifth = pool.convert({ run: RUN, targets: ['W2'] });
    expect(workers.map((worker) => worker.requests.length)).toEqual([2, 1]);
    for (const worker of workers) while (worker.requests.length > 0) worker.answerNext();
    expect(await conversions[0]).toEqual(convertRun(RUN, ['W2', 'MXFP4']));
    expect(await fifth).toEqual(convertRun(RUN, ['W2']));
  });

  it('passes on what a conversion failed with, and goes on', async () => {
    const { workers, pool } = await openPool(1);
    const failing = pool.convert({ run: RUN, targets: ['W2'] });
    workers[0].reply({ kind: 'failed', id: workers[0].requests.shift()!.id, message: 'no memory' });
    await expect(failing).rejects.toThrow('The weights could not be converted: no memory.');
    const next = pool.convert({ run: RUN, targets: ['W2'] });
    workers[0].answerNext();
    expect(await next).toHaveLength(1);
  });

  it('ends with a worker that dies, and when it is closed', async () => {
    const died = await openPool(2);
    const waiting = [died.pool.convert({ run: RUN, targets: ['W2'] }), died.pool.convert({ run: RUN, targets: ['W2'] })];
    died.workers[1].fail('out of memory');
    for (const conversion of [...waiting, died.pool.convert({ run: RUN, targets: ['W2'] })]) {
      await expect(conversion).rejects.toThrow('A worker that converts weights failed: out of memory.');
    }
    expect(died.workers.every((worker) => worker.terminated)).toBe(true);

    const closed = await openPool(1);
    const left = closed.pool.convert({ run: RUN, targets: ['W2'] });
    closed.pool.close();
    await expect(left).rejects.toThrow('The conversion was stopped.');
    expect(closed.workers[0].terminated).toBe(true);
  });

  it('converts in the caller’s thread where workers don’t start, and says so', async () => {
    const lines: string[] = [];
    const started: FakeWorker[] = [];
    const halfBroken = await openConvertPool(2, () => {
      const worker = new FakeWorker(started.length === 0 ? 'ready' : 'broken');
      started.push(worker);
      return worker;
    }, (line) => lines.push(line));
    const none = await openConvertPool(2, () => {
      throw new ReferenceError('Worker is not defined');
    }, (line) => lines.push(line));
    for (const converter of [halfBroken, none]) {
      expect(converter.workerCount).toBe(0);
      expect(await converter.convert({ run: RUN, targets: ['W2'] })).toEqual(convertRun(RUN, ['W2']));
    }
    expect(started.every((worker) => worker.terminated)).toBe(true);
    expect(lines).toEqual([
      'Converting on one thread, since workers don\'t start here: the script could not be loaded',
      'Converting on one thread, since workers don\'t start here: Worker is not defined',
    ]);
  });

  it('leaves the importer a thread', () => {
    expect([undefined, 1, 2, 8, 64].map(convertWorkerCount)).toEqual([1, 1, 1, 7, 8]);
  });
});
