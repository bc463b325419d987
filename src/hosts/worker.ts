/** Entry of the dedicated worker: the browser host behind comlink. */
import { expose, releaseProxy, type Remote } from 'comlink';
import type { HostApi, Progress } from './api.ts';
import { createBackendProvider } from './browser_backend.ts';
import { createBrowserHost } from './browser_host.ts';
import { convertWorkerCount, openConvertPool, spawnConvertWorker } from './convert_pool.ts';

/** More reports than people can see would only keep the page busy. */
const REPORT_INTERVAL_MILLIS = 50;

const host = createBrowserHost({
  backends: createBackendProvider(navigator.gpu as GPU | undefined),
  openConverter: () => openConvertPool(
    convertWorkerCount(navigator.hardwareConcurrency), spawnConvertWorker, (sentence) => console.warn(sentence)),
  globals: navigator,
  now: () => Date.now(),
});

/** Runs work with a callback of the page, thinned out, and lets the callback's port go afterwards. */
async function withProgress<T>(callback: (p: Progress) => void, work: (report: (p: Progress) => void) => Promise<T>): Promise<T> {
  let stage = '';
  let reportedAt = 0;
  try {
    return await work((progress) => {
      const now = performance.now();
      const news = progress.stage !== stage || progress.done >= progress.total;
      if (!news && now - reportedAt < REPORT_INTERVAL_MILLIS) return;
      stage = progress.stage;
      reportedAt = now;
      callback(progress);
    });
  } finally {
    release(callback);
  }
}

/** A callback that came over comlink holds a message port until it is released. */
function release(callback: unknown): void {
  (callback as Partial<Remote<() => void>>)[releaseProxy]?.();
}

const exposed: HostApi = {
  ...host,
  importFiles: (files, conversion, onProgress) =>
    withProgress(onProgress, (report) => host.importFiles(files, conversion, report)),
  exportModel: (id, onProgress) => withProgress(onProgress, (report) => host.exportModel(id, report)),
  openModel: (id, options, onProgress) => withProgress(onProgress, (report) => host.openModel(id, options, report)),
  async generate(request, onEvent) {
    try {
      return await host.generate(request, onEvent);
    } finally {
      release(onEvent);
    }
  },
  async evaluateText(request, onProgress) {
    try {
      return await host.evaluateText(request, onProgress);
    } finally {
      release(onProgress);
    }
  },
};

expose(exposed);
