import { proxy, wrap, type Remote } from 'comlink';
import { askForPersistence } from '../storage/detect.ts';
import type { HostApi } from './api.ts';

export interface BrowserWorkerConnection {
  readonly host: HostApi;
  /** Resolves with a sentence if the worker can't be loaded or dies. */
  readonly failed: Promise<string>;
}

/** Starts the dedicated worker in which engine and back end run, and speaks HostApi to it. */
export function connectBrowserWorker(): BrowserWorkerConnection {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'hotset' });
  const failed = new Promise<string>((resolve) => {
    worker.addEventListener('error', (event) => {
      resolve(`The worker that runs the model failed: ${event.message || 'it could not be loaded'}.`);
    });
  });
  return { host: hostOver(wrap<HostApi>(worker)), failed };
}

/** HostApi over a comlink remote: callbacks cross as proxies, everything else as clones. */
export function hostOver(remote: Remote<HostApi>): HostApi {
  return {
    environment: () => remote.environment(),
    listModels: () => remote.listModels(),
    previewImport: (files) => remote.previewImport(files),
    async importFiles(files, conversion, onProgress) {
      // persist() exists in windows only; a refusal is no reason not to import.
      await askForPersistence(navigator);
      return remote.importFiles(files, conversion, proxy(onProgress));
    },
    conversionReport: (id) => remote.conversionReport(id),
    cancelImport: (discard) => remote.cancelImport(discard),
    deleteModel: (id) => remote.deleteModel(id),
    exportModel: (id, onProgress) => remote.exportModel(id, proxy(onProgress)),
    openModel: (id, options, onProgress) => remote.openModel(id, options, proxy(onProgress)),
    closeModel: () => remote.closeModel(),
    setExpertRam: (byteLength) => remote.setExpertRam(byteLength),
    setExpertGpu: (gpu, onProgress) => remote.setExpertGpu(gpu, proxy(onProgress)),
    generate: (request, onEvent) => remote.generate(request, proxy(onEvent)),
    evaluateText: (request, onProgress) => remote.evaluateText(request, proxy(onProgress)),
    stop: (conversation) => remote.stop(conversation),
    watch: (onNews) => remote.watch(proxy(onNews)),
    setProfiling: (options) => remote.setProfiling(options),
    profile: (since) => remote.profile(since),
    exportProfile: (form) => remote.exportProfile(form),
    countTokens: (messages) => remote.countTokens(messages),
  };
}
