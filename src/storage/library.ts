/** The models that a store holds. */
import { createCrc32 } from './checksum.ts';
import type { ConversionReport } from './conversion_report.ts';
import { exportedFiles, type ExportedFile } from './exporter.ts';
import { isModelId, StorageError, type FileStore } from './file_store.ts';
import { importModel, type ImportOptions } from './importer.ts';
import type { Manifest, ModelSource } from './model_source.ts';
import { openPack, readPackDescription, type PackDescription } from './pack.ts';
import { hasRecord, readRecord, writeRecord } from './records.ts';
import { readReport } from './report_store.ts';
import { checkSummary, type StoredModelSummary } from './summary.ts';
import { verifyPack } from './verifier.ts';

export interface ModelLibrary {
  /** All models, newest first; imports that were cut off are 'partial'. */
  list(): Promise<readonly StoredModelSummary[]>;
  /** One model, null where there is none of this id. */
  find(id: string): Promise<StoredModelSummary | null>;
  /** importModel with this library's store and clock. */
  import(options: Omit<ImportOptions, 'store' | 'now'>): Promise<Manifest>;
  /** @throws StorageError with a sentence where the model isn't whole. */
  open(id: string): Promise<ModelSource>;
  /** Deletes a model, or what an import left. */
  remove(id: string): Promise<void>;
  /** The files that were imported, byte for byte, each streamed on demand. */
  exportFiles(id: string): Promise<readonly ExportedFile[]>;
  /**
   * What the import's conversion lost; null for a model stored as it was.
   * @throws StorageError where the model isn't whole.
   */
  conversionReport(id: string): Promise<ConversionReport | null>;
  /** What saveHeat() stored, unchecked; null where there is nothing that can be read. */
  heat(id: string): Promise<unknown>;
  /** Keeps the heat of a model's experts (experts/heat.ts) beside it. @throws where the store refuses */
  saveHeat(id: string, heat: unknown): Promise<void>;
  /** Reads the whole model against its checksums. @throws StorageError naming the first part that changed. */
  verify(id: string, onProgress?: (done: number, total: number) => void, signal?: AbortSignal): Promise<void>;
}

/** @param now milliseconds since 1970 */
export function createLibrary(store: FileStore, now: () => number): ModelLibrary {
  async function find(id: string): Promise<StoredModelSummary> {
    const crc = await createCrc32();
    const summary = await readRecord(crc, store, id, 'summary.json');
    // The import begins with the summary: without it a folder holds nothing of use, but room that can be freed.
    if (summary === null) return unnamed(id);
    const ready = await hasRecord(crc, store, id, 'manifest.json');
    try {
      return { id, ...checkSummary(summary), state: ready ? 'ready' : 'partial' };
    } catch (error) {
      if (error instanceof StorageError) return unnamed(id);
      throw error;
    }
  }

  async function describe(id: string): Promise<PackDescription> {
    const description = await readPackDescription(await createCrc32(), store, id);
    if (!description) throw new StorageError('This model was not imported to the end, so there is nothing to give back.');
    return description;
  }

  return {
    async list() {
      const found = await Promise.all((await store.listModels()).filter(isModelId).map(find));
      return found.sort((a, b) => b.importedAt - a.importedAt);
    },
    find: async (id) => (await store.listModels()).includes(id) ? find(id) : null,
    import: (options) => importModel({ ...options, store, now }),
    open: (id) => openPack(store, id),
    remove: (id) => store.removeModel(id),
    exportFiles: async (id) => exportedFiles(store, id, await describe(id)),
    conversionReport: async (id) => readReport(await createCrc32(), store, id, (await describe(id)).manifest),
    // Nobody misses a heat that another tab holds or a crash tore.
    heat: async (id) => readRecord(await createCrc32(), store, id, 'heat.json').catch(() => null),
    saveHeat: async (id, heat) => writeRecord(await createCrc32(), store, id, 'heat.json', heat),
    verify: async (id, onProgress, signal) => verifyPack(store, id, await describe(id), onProgress, signal),
  };
}

function unnamed(id: string): StoredModelSummary {
  return {
    id, name: 'Unfinished import', architecture: '', formats: [], byteLength: 0, container: 'gguf', importedAt: 0,
    sourceFiles: [], conversion: 'keep', state: 'partial',
  };
}
