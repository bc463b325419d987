/** Gives an imported model back as the files it came from, byte for byte, a bounded piece at a time. */
import { storedCodes, type CodeOrder } from '../formats/code_order.ts';
import { planeRowRange } from '../quant/pack.ts';
import { packedLayout } from '../quant/packed.ts';
import { StorageError, type FileStore, type StoredFile } from './file_store.ts';
import type { ExpertMatrixEntry } from './model_source.ts';
import type { OriginSegment } from './origin.ts';
import { closeFiles, openPackFiles, type PackDescription } from './pack.ts';
import { expertRowByteOffset, type PackFileName } from './pack_items.ts';
import { RUN_BYTE_LENGTH, unpackMatrix } from './packed_io.ts';

export interface ExportedFile {
  /** Path as it was dropped: 'model/config.json'. */
  readonly name: string;
  readonly byteLength: number;
  /** The file's bytes in order, in pieces of at most 16 MiB. Holds the pack open until it ends or is returned. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
}

/** @throws StorageError for a converted model, which holds its experts' original weights no more */
export function exportedFiles(store: FileStore, id: string, description: PackDescription): ExportedFile[] {
  const { name, conversion } = description.manifest;
  if (conversion !== 'keep') {
    throw new StorageError(`"${name}" was converted while it was imported, so its original files can't be given back.`);
  }
  return description.origin.files.map(({ name, byteLength, segments }) => ({
    name,
    byteLength,
    async *chunks() {
      const files = await openPackFiles(store, id, description);
      try {
        for (const segment of segments) yield* segmentChunks(description, files, segment);
      } finally {
        await closeFiles(files);
      }
    },
  }));
}

async function* segmentChunks(
  { manifest }: PackDescription, files: Record<PackFileName, StoredFile>, segment: OriginSegment,
): AsyncGenerator<Uint8Array> {
  switch (segment.kind) {
    case 'extra':
      for (let at = 0; at < segment.byteLength; at += RUN_BYTE_LENGTH) {
        const byteLength = Math.min(RUN_BYTE_LENGTH, segment.byteLength - at);
        yield await files['extra.pack'].read(segment.byteOffset + at, byteLength);
      }
      return;
    case 'dense':
      yield* storedMatrix(files['dense.pack'], manifest.dense[segment.index], 0, segment.codes);
      return;
    case 'experts': {
      const matrix = manifest.expertLayers[segment.layerIndex][segment.matrix];
      for (let expert = segment.first; expert < segment.first + segment.count; expert++) {
        const rowByteOffset = expertRowByteOffset(manifest, segment.layerIndex, expert);
        yield* storedMatrix(files['experts.pack'], matrix, rowByteOffset, segment.codes);
      }
    }
  }
}

function storedMatrix(
  file: StoredFile, matrix: ExpertMatrixEntry, byteOffset: number, codes: CodeOrder | undefined,
): AsyncGenerator<Uint8Array> {
  const read = (at: number, byteLength: number) => file.read(byteOffset + matrix.byteOffset + at, byteLength);
  if (codes === undefined) return unpackMatrix(matrix, read);
  const { rows, cols } = matrix;
  const { byteOffset: planeOffset, byteLength } = planeRowRange(packedLayout(matrix.format, rows, cols), 0, 0, rows);
  return storedCodes(codes, rows, byteLength, (at, length) => read(planeOffset + at, length), RUN_BYTE_LENGTH);
}
