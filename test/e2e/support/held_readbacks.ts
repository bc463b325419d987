/** Stops the worker's answers in their middle, for as long as a test likes: readbacks wait. */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeWorker, orderWorkers } from './browser.ts';

const CHANNEL = 'test-readbacks';

/** An order is how many readbacks go on before the next ones wait; Infinity lets all go on. */
const HELD_READBACKS = `
  let left = Infinity;
  let goOn = () => undefined;
  let held = null;
  const mapAsync = GPUBuffer.prototype.mapAsync;
  GPUBuffer.prototype.mapAsync = async function (...range) {
    if (left-- <= 0) await (held ??= new Promise((resolve) => { goOn = resolve; }));
    return mapAsync.apply(this, range);
  };
  const orders = new BroadcastChannel('${CHANNEL}');
  orders.onmessage = ({ data }) => {
    // Other workers' receipts come here too.
    if (typeof data !== 'number') return;
    left = data;
    held = null;
    goOn();
    orders.postMessage('heard');
  }`;

/** For the workers of pages that are opened later. */
export function holdable(context: BrowserContext): Promise<void> {
  return beforeWorker(context, HELD_READBACKS);
}

/** Lets so many more readbacks through in all workers that are there. */
export function allowReadbacks(page: Page, count: number): Promise<void> {
  return orderWorkers(page, CHANNEL, count);
}
