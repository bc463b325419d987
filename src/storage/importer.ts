/**
 * Writes a checkpoint into a pack: every matrix streamed in bounded runs through the packer, journal after data,
 * manifest last. A model is 'ready' exactly when its manifest is there, so whatever cuts an import off leaves a
 * partial model, which the same files resume.
 */
import { ModelFormatError, type Checkpoint } from '../formats/checkpoint.ts';
import type { NamedSource } from '../formats/open_checkpoint.ts';
import { createCrc32, type Crc32 } from './checksum.ts';
import { reportFromSums, sumsFileByteLength } from './conversion_sums.ts';
import type { StoragePlan } from './convert_plan.ts';
import { StorageError, StorageLockedError, type FileStore } from './file_store.ts';
import { openJournal, readJournal, type ImportJournal } from './import_journal.ts';
import { ItemWriter } from './item_writer.ts';
import { manifestFromPlan } from './manifest.ts';
import { manifestToJson } from './manifest_check.ts';
import type { Manifest } from './model_source.ts';
import { buildOrigin, isKeptFile } from './origin.ts';
import { closeFiles, openPackFiles, readPackDescription } from './pack.ts';
import { packItems, type PackItem } from './pack_items.ts';
import { RUN_BYTE_LENGTH } from './packed_io.ts';
import { checkPlan } from './plan_check.ts';
import { encodeRecord, writeRecord } from './records.ts';
import { summarize } from './summary.ts';

export interface ImportOptions {
  readonly checkpoint: Checkpoint;
  /** The model as it is, or as convertPlan made it. */
  readonly plan: StoragePlan;
  /** The dropped files; those that belong to the model are kept so that it can be exported (if it isn't converted). */
  readonly files: readonly NamedSource[];
  readonly store: FileStore;
  /** From modelId(checkpoint, files, conversion). */
  readonly id: string;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  /** Stops the import between two writes; what was written stays, to be resumed or removed. */
  readonly signal?: AbortSignal;
  /** navigator.storage.estimate(), where there is one. */
  readonly quota?: () => Promise<{ quota?: number; usage?: number }>;
  /** Milliseconds since 1970, for the library's list and the journal's interval. */
  readonly now?: () => number;
  readonly limits?: Partial<ImportLimits>;
}

export interface ImportLimits {
  /** Most bytes of a matrix held at a time. */
  readonly runByteLength: number;
  /** Most data between two journal records: what a cut-off import may have to write again. */
  readonly journalIntervalByteLength: number;
  /** Most time between two journal records, for slow disks and networks. */
  readonly journalIntervalMillis: number;
}

const DEFAULT_LIMITS: ImportLimits = {
  runByteLength: RUN_BYTE_LENGTH,
  journalIntervalByteLength: 64 * 1024 * 1024,
  journalIntervalMillis: 1000,
};
/** Journal, checksums and file system overhead on top of the packs. */
const QUOTA_MARGIN_BYTE_LENGTH = 1024 * 1024;

/**
 * Imports a model, resumes its cut-off import, or returns the manifest at once where the model is there and whole.
 * @throws ModelFormatError where the plan doesn't fit the files, or weights to convert are no numbers (nothing is kept then)
 * @throws StorageError where there is too little room (before anything is written, as far as the browser tells)
 * @throws the signal's reason where it was aborted
 */
export async function importModel(options: ImportOptions): Promise<Manifest> {
  const { plan, store, id, signal, now = Date.now } = options;
  signal?.throwIfAborted();
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const crc = await createCrc32();
  const present = await presentModel(crc, store, id);
  if (present) return present;

  checkPlan(plan);
  const manifest = manifestFromPlan(plan);
  // A converted model can't be exported, so it keeps nothing for that.
  const kept = plan.conversion ? [] : options.files.filter((file) => isKeptFile(file, options.checkpoint));
  const { origin, extras } = buildOrigin(plan, kept);
  const items = packItems(manifest, origin);
  const manifestJson = manifestToJson(manifest);
  const manifestRecord = encodeRecord(crc, manifestJson);
  const originRecord = encodeRecord(crc, origin);
  crc.update(manifestRecord);
  crc.update(originRecord);
  const layoutCrc = crc.take();

  const resumable = await resumableJournal(crc, store, id, layoutCrc);
  if (!resumable) await store.removeModel(id);
  const firstItem = resumable?.nextItem ?? 0;
  const progress = trackProgress(items, firstItem, options);
  const metadataByteLength = 2 * manifestRecord.byteLength + originRecord.byteLength
    + (plan.conversion ? 2 * sumsFileByteLength(manifest) : 0);
  await checkQuota(options, progress.missingBytes() + metadataByteLength);

  try {
    if (!resumable) {
      await writeRecord(crc, store, id, 'summary.json', summarize(manifest, origin, now()));
      await writeRecord(crc, store, id, 'origin.json', origin);
    }
    const journal = await openJournal(crc, store, id, layoutCrc, resumable);
    await closing([journal], async () => {
      const writer = await ItemWriter.open({ store, id, plan, manifest, extras, runByteLength: limits.runByteLength });
      await closing([writer], async () => {
        await writeItems(items, firstItem, writer, journal, progress, limits, now, signal);
        await writer.finish(origin);
        await journal.advance(items.length);
      });
    });
    if (plan.conversion) {
      const sums = await store.readWhole(id, 'conversion_sums.bin', sumsFileByteLength(manifest));
      await writeRecord(crc, store, id, 'report.json', reportFromSums(plan.conversion, manifest, sums));
    }
    await writeRecord(crc, store, id, 'manifest.json.new', manifestJson);
    await store.rename(id, 'manifest.json.new', 'manifest.json');
    await store.removeFile(id, 'import.journal');
    await store.removeFile(id, 'conversion_sums.bin');
    return manifest;
  } catch (error) {
    if (error instanceof ModelFormatError) await store.removeModel(id);
    throw asStorageError(error);
  }
}

async function writeItems(
  items: readonly PackItem[], firstItem: number, writer: ItemWriter, journal: ImportJournal, progress: Progress,
  limits: ImportLimits, now: () => number, signal: AbortSignal | undefined,
): Promise<void> {
  let unflushedBytes = 0;
  let flushedAt = now();
  let next = firstItem;
  const checkpoint = async () => {
    await writer.flush();
    await journal.advance(next);
    unflushedBytes = 0;
    flushedAt = now();
  };
  try {
    for (; next < items.length; next++) {
      const due = unflushedBytes >= limits.journalIntervalByteLength || now() - flushedAt >= limits.journalIntervalMillis;
      if (due && unflushedBytes > 0) await checkpoint();
      signal?.throwIfAborted();
      await writer.write(next, items[next], (byteLength) => {
        signal?.throwIfAborted();
        progress.advance(byteLength);
      });
      progress.finishItem(next);
      unflushedBytes += items[next].byteLength;
    }
  } catch (error) {
    if (signal?.aborted) await checkpoint();
    throw error;
  }
}

interface Progress {
  advance(byteLength: number): void;
  finishItem(index: number): void;
  missingBytes(): number;
}

/** Counts bytes of pack files; within an item, never beyond its end. */
function trackProgress(items: readonly PackItem[], firstItem: number, { onProgress }: ImportOptions): Progress {
  const ends: number[] = [];
  let total = 0;
  for (const item of items) ends.push(total += item.byteLength);
  let itemEnd = ends[firstItem] ?? total;
  let done = firstItem > 0 ? ends[firstItem - 1] : 0;
  onProgress?.(done, total);
  return {
    advance(byteLength) {
      done = Math.min(itemEnd, done + byteLength);
      onProgress?.(done, total);
    },
    finishItem(index) {
      done = ends[index];
      itemEnd = ends[index + 1] ?? total;
    },
    missingBytes: () => total - done,
  };
}

/** Runs `use`, then closes. Where `use` failed, its error is the one to tell, whatever closing says. */
async function closing(resources: readonly { close(): Promise<void> }[], use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    await Promise.allSettled(resources.map((resource) => resource.close()));
    throw error;
  }
  for (const resource of resources) await resource.close();
}

/** The manifest of a model that is there and whole; a damaged one is imported anew. */
async function presentModel(crc: Crc32, store: FileStore, id: string): Promise<Manifest | null> {
  try {
    const description = await readPackDescription(crc, store, id);
    if (!description) return null;
    await closeFiles(await openPackFiles(store, id, description));
    return description.manifest;
  } catch (error) {
    if (error instanceof StorageError && !(error instanceof StorageLockedError)) return null;
    throw error;
  }
}

async function resumableJournal(crc: Crc32, store: FileStore, id: string, layoutCrc: number) {
  const state = await readJournal(crc, store, id);
  return state?.layoutCrc === layoutCrc && await store.readWhole(id, 'summary.json', 2 ** 24) ? state : null;
}

async function checkQuota({ quota, plan, store }: ImportOptions, neededBytes: number): Promise<void> {
  const withMargin = neededBytes + QUOTA_MARGIN_BYTE_LENGTH;
  const estimate = await quota?.();
  const available = estimate?.quota === undefined ? Infinity : Math.max(0, estimate.quota - (estimate.usage ?? 0));
  if (withMargin > available) throw tooLittleRoom(plan, neededBytes, `${gigabytes(available)} are free`);
  // Estimates are padded or made up in some browsers, to keep sites from recognising people by them.
  if (await store.hasRoom?.(withMargin) === false) throw tooLittleRoom(plan, neededBytes, 'the browser has less to give');
}

function tooLittleRoom(plan: StoragePlan, neededBytes: number, found: string): StorageError {
  return new StorageError(
    `"${plan.name}" needs ${gigabytes(neededBytes)} of browser storage and ${found}; ` +
    'delete a model or free disk space, then try again.');
}

/** As people read sizes; rounded up, so that a small need never reads as nothing. */
function gigabytes(byteLength: number): string {
  return `${(Math.ceil(byteLength / 1e7) / 100).toFixed(2)} GB`;
}

function asStorageError(error: unknown): unknown {
  const full = error instanceof Error
    && (error.name === 'QuotaExceededError' || ('code' in error && error.code === 'ENOSPC'));
  if (!full) return error;
  return new StorageError(
    'The storage ran full during the import; free some space and drop the same files again to go on, or discard it in the library.');
}
