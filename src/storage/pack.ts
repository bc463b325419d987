/** A stored model, opened: checks its files against its manifest, then serves weights by reads of byte ranges. */
import { checkRange } from '../formats/byte_sources.ts';
import { createCrc32, type Crc32 } from './checksum.ts';
import { DamagedModelError, StorageError, StorageLockedError, type FileStore, type StoredFile } from './file_store.ts';
import { manifestFromJson } from './manifest_check.ts';
import type { Manifest, ModelSource } from './model_source.ts';
import { checkOrigin, type Origin } from './origin.ts';
import { PackCheck, rowName } from './pack_check.ts';
import { expertRow, packFileByteLengths, packFileNames, type ExpertRowKind, type PackFileName } from './pack_items.ts';
import { readRecord } from './records.ts';
import { damaged } from './stored_json.ts';

/** What a stored model says of itself. */
export interface PackDescription {
  readonly manifest: Manifest;
  readonly origin: Origin;
}

/**
 * Reads and checks manifest.json and origin.json. Null where the import never finished.
 * @throws StorageError where they are there but wrong.
 */
export async function readPackDescription(crc: Crc32, store: FileStore, id: string): Promise<PackDescription | null> {
  const stored = await readRecord(crc, store, id, 'manifest.json');
  if (stored === null) return null;
  const manifest = manifestFromJson(stored);
  return { manifest, origin: checkOrigin(await readRecord(crc, store, id, 'origin.json'), manifest) };
}

/**
 * Opens a model's pack files and checks their sizes.
 * @throws StorageError naming the file where one is missing, of the wrong size, or open in another tab.
 */
export async function openPackFiles(
  store: FileStore, id: string, description: PackDescription, names: readonly PackFileName[] = packFileNames(description.manifest),
): Promise<Record<PackFileName, StoredFile>> {
  const expected = packFileByteLengths(description.manifest, description.origin);
  const opened: Partial<Record<PackFileName, StoredFile>> = {};
  try {
    for (const name of names) {
      const file = await store.open(id, name, 'read');
      opened[name] = file;
      const size = await file.size();
      if (size !== expected[name]) {
        throw damaged(`${name} of "${description.manifest.name}" has ${size} bytes instead of ${expected[name]}`);
      }
    }
    // All of `names` are there now; callers use only those they asked for.
    return opened as Record<PackFileName, StoredFile>;
  } catch (error) {
    await closeFiles(opened);
    throw error;
  }
}

export async function closeFiles(files: Partial<Record<string, StoredFile>>): Promise<void> {
  for (const file of Object.values(files)) await file?.close();
}

/**
 * Opens a stored model. What is read for the first time is compared with its checksum.
 * @throws StorageError where it isn't there, its import never finished, or its files don't fit its manifest; a read
 *   throws one, too, that names the tensor or the layer and expert
 */
export async function openPack(store: FileStore, id: string): Promise<ModelSource> {
  const description = await readPackDescription(await createCrc32(), store, id);
  if (!description) {
    throw new StorageError('This model was not imported to the end; drop the same files again to resume, or delete it.');
  }
  const { manifest, origin } = description;
  const files = await openPackFiles(store, id, description);
  await files['extra.pack'].close();
  const check = await PackCheck.open(store, id, manifest, origin).catch(async (error: unknown) => {
    await closeFiles({ ...files, 'extra.pack': undefined });
    throw error;
  });
  const denseIndex = new Map(manifest.dense.map((entry, index) => [entry.name, index]));
  const layerIndex = new Map(manifest.expertLayers.map((entry, index) => [entry.layer, index]));

  const reopening = new Map<PackFileName, Promise<void>>();
  const reopen = (name: PackFileName): Promise<void> => {
    const running = reopening.get(name) ?? (async () => {
      await files[name].close().catch(() => undefined);
      Object.assign(files, await openPackFiles(store, id, description, [name]));
    })().finally(() => reopening.delete(name));
    reopening.set(name, running);
    return running;
  };
  /**
   * Browsers close a handle under us (cleared site data, a suspended tab): it is opened again once.
   * @param what what is read, as people call it
   */
  const read = async (
    name: PackFileName, what: string, byteOffset: number, byteLength: number, into?: Uint8Array,
  ): Promise<Uint8Array> => {
    try {
      return await files[name].read(byteOffset, byteLength, into);
    } catch {
      try {
        await reopen(name);
        return await files[name].read(byteOffset, byteLength, into);
      } catch (error) {
        throw unreadable(what, name, error);
      }
    }
  };
  const readRow = async (kind: ExpertRowKind, layer: number, expert: number, into?: Uint8Array): Promise<Uint8Array> => {
    const index = layerIndex.get(layer);
    if (index === undefined || !Number.isInteger(expert) || expert < 0 || expert >= manifest.expertCount) {
      throw new RangeError(`${manifest.name} has no expert ${expert} in layer ${layer}`);
    }
    const row = expertRow(manifest, kind, index, expert);
    const bytes = await read(row.file, rowName(manifest, kind, index, expert), row.byteOffset, row.byteLength, into);
    check.row(kind, index, expert, bytes);
    return bytes;
  };
  return {
    manifest,
    async readDense(name, byteOffset = 0, byteLength, into) {
      const index = denseIndex.get(name);
      if (index === undefined) throw new RangeError(`${manifest.name} has no tensor ${name}`);
      const entry = manifest.dense[index];
      const length = byteLength ?? entry.byteLength - byteOffset;
      checkRange(name, entry.byteLength, byteOffset, length);
      const bytes = await read('dense.pack', name, entry.byteOffset + byteOffset, length, into);
      check.dense(index, byteOffset, bytes);
      return bytes;
    },
    readExpertRow: (layer, expert, into) => readRow('expert', layer, expert, into),
    readTierRow: (layer, expert, into) => readRow('tier', layer, expert, into),
    close: () => closeFiles({ ...files, 'extra.pack': undefined }),
  };
}

function unreadable(what: string, file: PackFileName, error: unknown): StorageError {
  if (error instanceof StorageLockedError) return error;
  if (error instanceof DamagedModelError) return damaged(`${what} can't be read: ${error.what}`);
  const reason = error instanceof Error ? error.message : String(error);
  return new StorageError(`${what} can't be read: ${file} was taken away by the browser (${reason}); close other tabs of this page, then open the model again.`);
}
