/** Compares a stored model with the checksums taken while it was imported. */
import { crcOfCrcs, type Crc32 } from './checksum.ts';
import type { FileStore, StoredFile } from './file_store.ts';
import { createMatrixCrc } from './item_writer.ts';
import { EXPERT_MATRICES } from './origin.ts';
import { closeFiles, openPackFiles, type PackDescription } from './pack.ts';
import { itemName, readChecksums } from './pack_check.ts';
import { expertRow, packItems, type PackFileName, type PackItem } from './pack_items.ts';
import { matrixChecksum, RUN_BYTE_LENGTH, type MatrixCrc, type PackedMatrix } from './packed_io.ts';
import { damaged } from './stored_json.ts';

/**
 * Reads the whole model.
 * @throws StorageError naming the first tensor, expert or kept part that isn't as it was written.
 */
export async function verifyPack(
  store: FileStore, id: string, description: PackDescription,
  onProgress?: (doneBytes: number, totalBytes: number) => void, signal?: AbortSignal,
): Promise<void> {
  const items = packItems(description.manifest, description.origin);
  const total = items.reduce((sum, item) => sum + item.byteLength, 0);
  const crc = await createMatrixCrc();
  const files = await openPackFiles(store, id, description);
  try {
    const expected = await readChecksums(store, id, items.length);
    let done = 0;
    for (let i = 0; i < items.length; i++) {
      signal?.throwIfAborted();
      if (await itemChecksum(description, files, items[i], crc) !== expected.getUint32(i * 4, true)) {
        throw damaged(`${itemName(description.manifest, items[i])} has changed since the import`);
      }
      onProgress?.(done += items[i].byteLength, total);
    }
  } finally {
    await closeFiles(files);
  }
}

async function itemChecksum(
  { manifest }: PackDescription, files: Record<PackFileName, StoredFile>, item: PackItem, crc: MatrixCrc,
): Promise<number> {
  if (item.kind === 'extra') return runChecksum(files['extra.pack'], item.byteOffset, item.byteLength, crc.join);
  const ofMatrix = (file: StoredFile, matrix: PackedMatrix, byteOffset: number) =>
    matrixChecksum(matrix, (at, byteLength) => file.read(byteOffset + at, byteLength), crc);
  if (item.kind === 'dense') {
    const entry = manifest.dense[item.index];
    return ofMatrix(files['dense.pack'], entry, entry.byteOffset);
  }
  const row = expertRow(manifest, item.kind, item.layerIndex, item.expert);
  const checksums: number[] = [];
  for (const name of EXPERT_MATRICES) {
    const entry = row.layout[name];
    checksums.push(await ofMatrix(files[row.file], entry, row.byteOffset + entry.byteOffset));
  }
  return crcOfCrcs(crc.join, checksums);
}

async function runChecksum(file: StoredFile, byteOffset: number, byteLength: number, crc: Crc32): Promise<number> {
  for (let at = 0; at < byteLength; at += RUN_BYTE_LENGTH) {
    crc.update(await file.read(byteOffset + at, Math.min(RUN_BYTE_LENGTH, byteLength - at)));
  }
  return crc.take();
}
