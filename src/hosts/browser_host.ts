/** HostApi of a browser worker: storage, back end and engine put together. Knows nothing of comlink or the page. */
import type { Backend } from '../compute/ops.ts';
import type { Engine } from '../engine/engine.ts';
import { DeviceLostError, NoDeviceError } from '../engine/recovery.ts';
import { SelfTestError } from '../engine/self_test.ts';
import { isExact } from '../experts/approximations.ts';
import type { ExpertBudget } from '../experts/budget.ts';
import type { ExpertConversion } from '../storage/conversion_report.ts';
import { Tracer } from '../profile/trace.ts';
import { askForPersistence, detectStorage, storageEstimate, type StorageGlobals } from '../storage/detect.ts';
import type { ExpertConverter } from '../storage/expert_converter.ts';
import { createLibrary, type ModelLibrary } from '../storage/library.ts';
import type { ApproximationCounts, HostApi, HostNews, LoadProgress, OpenedInfo, OpenOptions, Progress } from './api.ts';
import type { BackendProvider } from './browser_backend.ts';
import { blobsOf } from './browser_export.ts';
import { importDroppedFiles, readDroppedModel } from './browser_import.ts';
import { createQualityMeter } from './browser_quality.ts';
import { previewModel } from './import_preview.ts';
import { createProfiler } from './profiling.ts';
import { openTieredModel, type TieredModel } from './tiered_model.ts';

export interface BrowserHostServices {
  readonly backends: BackendProvider;
  /** Starts what converts experts while they are imported. */
  readonly openConverter: () => Promise<ExpertConverter>;
  /** The worker's navigator. */
  readonly globals: StorageGlobals & {
    /** GiB, as far as the browser tells. */
    readonly deviceMemory?: number;
  };
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface OpenedModel extends TieredModel {
  readonly id: string;
}

const AUTOMATIC: ExpertBudget = { gpu: 'auto', ramByteLength: null };

/** Chromium does so for two minutes, after a second crash of its GPU process in as much time. */
const NO_OTHER_DEVICE = 'The GPU was lost, and the browser gives this page no other one, as browsers do for a while after repeated '
  + 'crashes. Reload the page to go on; where that doesn’t help, restart the browser.';

const LOAD_STAGES: Readonly<Record<LoadProgress['stage'], string>> = {
  'read weights': 'Uploading the weights',
  'compile shaders': 'Compiling shaders',
  'self-test': 'Testing the kernels',
};

const IMPORT_STAGES: Readonly<Record<ExpertConversion, string>> = {
  'keep': 'Importing',
  'w2': 'Converting to 2-bit experts',
  'w2+fp4': 'Converting to 2-bit experts with an FP4 tier',
  'w3': 'Converting to 3-bit experts',
};

export function createBrowserHost({ backends, openConverter, globals, now }: BrowserHostServices): HostApi {
  const storage = detectStorage(globals);
  const library: Promise<ModelLibrary> = storage.then(({ store }) => createLibrary(store, now));
  let opened: OpenedModel | null = null;
  let opening: AbortController | null = null;
  let importing: { readonly abort: AbortController; discard: boolean } | null = null;
  let generating: AbortController | null = null;
  const quality = createQualityMeter(() => performance.now());
  const tracer = new Tracer();
  const profiler = createProfiler(tracer, { performance, console, userAgent: globalThis.navigator?.userAgent ?? '' });
  let tell: (news: HostNews) => void = () => undefined;

  /** An answer goes on without its device where there is another; this is where there is none. */
  const loseModel = async (model: OpenedModel, sentence: string): Promise<void> => {
    if (opened !== model) return;
    opened = null;
    tell({ kind: 'device-lost', sentence });
    // Frees what is left; steps of a lost device may fail in any way.
    await model.engine.dispose().catch(() => undefined);
  };

  const closeModel = async (): Promise<void> => {
    opening?.abort(new Error('The opening was cancelled.'));
    generating?.abort();
    const model = opened;
    opened = null;
    await model?.engine.dispose();
    await model?.heat.save(true);
  };

  const openModel = async (id: string, options: OpenOptions, onProgress: (p: Progress) => void): Promise<OpenedInfo> => {
    await closeModel();
    const abort = new AbortController();
    opening = abort;
    const reopenBackend = async (lost: Backend): Promise<Backend> => {
      const fresh = await backends.get(options.backend).catch(() => null);
      // Another adapter (often a software one, after a crash) is a choice for people, not for an answer under way.
      if (fresh?.info.kind === lost.info.kind && fresh.info.adapter === lost.info.adapter) return fresh;
      throw new NoDeviceError(NO_OTHER_DEVICE);
    };
    try {
      const create = async (backend: Backend): Promise<TieredModel> => openTieredModel({
        library: await library, id, backend, budget: options.experts ?? AUTOMATIC, approximations: options.approximations,
        deviceMemory: globals.deviceMemory, now,
        engine: {
          contextLength: options.contextLength, signal: abort.signal, tracer, reopenBackend,
          onProgress: ({ stage, done, total, unit }) => onProgress({ stage: LOAD_STAGES[stage], done, total, unit }),
        },
      });
      let backend = await backends.get(options.backend);
      const model = await create(backend).catch((error: unknown) => {
        if (!(error instanceof SelfTestError) || options.backend !== 'auto') throw error;
        backend = backends.fallback(error.message);
        return create(backend);
      });
      if (abort.signal.aborted) {
        await model.engine.dispose();
        throw abort.signal.reason;
      }
      opened = { ...model, id };
      return { ...model.engine.info, experts: model.experts, approximations: model.approximations };
    } finally {
      if (opening === abort) opening = null;
    }
  };

  const openEngine = (): Engine => {
    if (opened === null) throw new Error('No model is open: open one from the library first.');
    return opened.engine;
  };

  /** Runs one thing on the open model, that stop() ends. */
  const exclusively = async <T>(work: (engine: Engine, signal: AbortSignal) => Promise<T>): Promise<T> => {
    const engine = openEngine();
    const model = opened!;
    if (generating !== null) throw new Error('The model is busy with an answer or a measurement: stop that first.');
    const abort = new AbortController();
    generating = abort;
    try {
      return await work(engine, abort.signal);
    } catch (error) {
      if (error instanceof DeviceLostError) await loseModel(model, error.message);
      throw error;
    } finally {
      generating = null;
      if (opened === model) void model.heat.save(false);
    }
  };

  return {
    async environment() {
      const [{ kind }, backend, persisted, estimate] = await Promise.all([
        storage, backends.get('auto'), askForPersistence(globals), storageEstimate(globals),
      ]);
      return {
        backend: backend.info, storage: kind, persisted, quotaBytes: estimate.quota ?? null, usedBytes: estimate.usage ?? null,
      };
    },
    listModels: async () => (await library).list(),
    async previewImport(files) {
      const dropped = await readDroppedModel(files);
      const [backend, estimate] = await Promise.all([backends.get('auto'), storageEstimate(globals)]);
      return previewModel(dropped, { library: await library, backend, estimate });
    },
    async importFiles(files, conversion, onProgress) {
      if (importing !== null) throw new Error('Another import is running: wait for it to end or cancel it first.');
      const current = { abort: new AbortController(), discard: false };
      importing = current;
      let id: string | null = null;
      try {
        return await importDroppedFiles({
          library: await library, files, conversion, openConverter, signal: current.abort.signal,
          quota: () => storageEstimate(globals),
          onProgress: (done, total) => onProgress({ stage: IMPORT_STAGES[conversion], done, total, unit: 'bytes' }),
          onIdentified: (found) => {
            id = found;
          },
        });
      } catch (error) {
        if (id !== null && current.discard) await discardPartial(await library, id);
        throw error;
      } finally {
        importing = null;
      }
    },
    conversionReport: async (id) => (await library).conversionReport(id),
    async cancelImport(discard) {
      if (importing === null) return;
      importing.discard = discard;
      importing.abort.abort(new Error('The import was cancelled.'));
    },
    async deleteModel(id) {
      if (opened?.id === id) await closeModel();
      await (await library).remove(id);
    },
    async exportModel(id, onProgress) {
      const files = await (await library).exportFiles(id);
      return blobsOf(files, (done, total) => onProgress({ stage: 'Reading', done, total, unit: 'bytes' }));
    },
    openModel,
    closeModel,
    setExpertRam: async (byteLength) => opened?.setRamBudget(byteLength) ?? null,
    setExpertGpu: (gpu, onProgress) => exclusively(async () => {
      const model = opened!;
      const changed = await model.setGpuBudget(gpu, ({ stage, done, total, unit }) => onProgress({ stage: LOAD_STAGES[stage], done, total, unit }));
      if (changed) Object.assign(model, changed);
      return changed;
    }),
    generate: (request, onEvent) => {
      const isApproximate = opened !== null && !isExact(opened.approximations.applied);
      return exclusively(async (engine, signal) => {
        const counted = isApproximate ? countApproximations(engine) : null;
        const result = await engine.generate(request, onEvent, signal);
        return { ...result, approximation: counted?.() ?? null };
      });
    },
    evaluateText: (request, onProgress) =>
      exclusively((engine, signal) => quality.measure(engine, request, onProgress, signal)),
    stop: async () => generating?.abort(),
    watch: async (onNews) => {
      tell = onNews;
    },
    setProfiling: async (options) => profiler.set(options),
    profile: async (since) => profiler.snapshot(since),
    exportProfile: async (form) => profiler.export(form, opened === null ? {} : {
      model: opened.engine.info.modelName, backend: opened.engine.info.backend.label,
    }),
    countTokens: async (messages) => openEngine().countTokens(messages),
  };
}

/** Begins counting; @returns what was counted since. */
function countApproximations(engine: Engine): () => ApproximationCounts {
  const before = engine.residency;
  const start = { ...before };
  return () => {
    const after = engine.residency;
    // Counters of a model that was loaded again, for a lost device, begin at 0.
    const since = (name: keyof ApproximationCounts): number => (after?.[name] ?? 0) - (after === before ? start[name] ?? 0 : 0);
    return { promotions: since('promotions'), gatedSteps: since('gatedSteps'), toleratedMisses: since('toleratedMisses') };
  };
}

/** Removes what a cancelled import left; a model that was whole before stays. */
async function discardPartial(library: ModelLibrary, id: string): Promise<void> {
  const left = await library.find(id);
  if (left?.state === 'partial') await library.remove(id);
}
