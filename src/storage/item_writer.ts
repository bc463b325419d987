/** Writes one pack item after another: the importer's hands. */
import type { MatrixSlice } from '../formats/model_plan.ts';
import { emptyErrorSums } from '../quant/error_stats.ts';
import { WEIGHT_FORMATS } from '../quant/formats.ts';
import { createCrc32, crcOfCrcs } from './checksum.ts';
import { ConvertedSource } from './conversion_stream.ts';
import { encodeSums, sumsByteOffset } from './conversion_sums.ts';
import type { StoragePlan } from './convert_plan.ts';
import type { FileStore, StoredFile, StoredFileName } from './file_store.ts';
import { DENSE_ALIGN_BYTES } from './manifest.ts';
import type { Manifest } from './model_source.ts';
import { EXPERT_MATRICES, type ExtraRun, type Origin } from './origin.ts';
import { packMatrix, type MatrixCrc, type PackedMatrix } from './packed_io.ts';
import {
  expertRow, packFileByteLengths, packFileNames, type ExpertRowKind, type PackFileName, type PackItem,
} from './pack_items.ts';
import { damaged } from './stored_json.ts';

interface WriterInput {
  readonly store: FileStore;
  readonly id: string;
  readonly plan: StoragePlan;
  readonly manifest: Manifest;
  readonly extras: readonly ExtraRun[];
  /** Most bytes held of a matrix, and of an item that is gathered before it is written. */
  readonly runByteLength: number;
}

type OnRun = (byteLength: number) => void;
type WriteRange = (byteOffset: number, bytes: Uint8Array) => Promise<void>;
type OutputName = PackFileName | 'checksums.bin' | 'conversion_sums.bin';

export class ItemWriter {
  private gathered = new Uint8Array(0);

  private constructor(
    private readonly input: WriterInput,
    /** Those that this model has: see outputsOf. */
    private readonly files: Record<OutputName, StoredFile>,
    private readonly crc: MatrixCrc,
  ) {}

  static async open(input: WriterInput): Promise<ItemWriter> {
    const crc = await createMatrixCrc();
    const files: Partial<Record<StoredFileName, StoredFile>> = {};
    try {
      for (const name of outputsOf(input)) {
        files[name] = await input.store.open(input.id, name, 'write');
      }
    } catch (error) {
      for (const file of Object.values(files)) await file.close();
      throw error;
    }
    return new ItemWriter(input, files as Record<OutputName, StoredFile>, crc);
  }

  /** Writes packItems()[itemIndex] and its checksum; `onRun` is told the bytes of each finished run. */
  async write(itemIndex: number, item: PackItem, onRun: OnRun): Promise<void> {
    const checksum = item.kind === 'dense' ? await this.writeDense(item.index, onRun)
      : item.kind === 'extra' ? await this.writeExtra(item.index, onRun)
        : await this.writeExpert(item.kind, item.layerIndex, item.expert, onRun);
    const word = new DataView(new ArrayBuffer(4));
    word.setUint32(0, checksum, true);
    await this.files['checksums.bin'].write(itemIndex * 4, new Uint8Array(word.buffer));
  }

  async flush(): Promise<void> {
    for (const file of Object.values(this.files)) await file.flush();
  }

  /** Brings the files to their whole length (dense.pack may end in padding) and flushes them. */
  async finish(origin: Origin): Promise<void> {
    const lengths = packFileByteLengths(this.input.manifest, origin);
    for (const name of packFileNames(this.input.manifest)) {
      // Padding is all that may be missing: more means that data written before a crash is gone.
      const missing = lengths[name] - await this.files[name].size();
      if (missing >= DENSE_ALIGN_BYTES) throw damaged(`${name} lost ${missing} bytes`);
      await this.files[name].truncate(lengths[name]);
    }
    await this.flush();
  }

  async close(): Promise<void> {
    for (const file of Object.values(this.files)) await file.close();
  }

  private async writeDense(index: number, onRun: OnRun): Promise<number> {
    const entry = this.input.manifest.dense[index];
    return this.inOneWrite('dense.pack', entry.byteOffset, entry.byteLength, (write) =>
      this.pack(entry, this.input.plan.dense[index].slice, write, onRun));
  }

  private async writeExpert(kind: ExpertRowKind, layerIndex: number, expert: number, onRun: OnRun): Promise<number> {
    const { manifest, plan } = this.input;
    const row = expertRow(manifest, kind, layerIndex, expert);
    const slices = (kind === 'expert' ? plan.experts : plan.tier!)[layerIndex];
    const checksum = await this.inOneWrite(row.file, row.byteOffset, row.byteLength, async (write) => {
      const checksums: number[] = [];
      for (const name of EXPERT_MATRICES) {
        const entry = row.layout[name];
        checksums.push(await this.pack(entry, slices[name][expert], (at, bytes) => write(entry.byteOffset + at, bytes), onRun));
      }
      return crcOfCrcs(this.crc.join, checksums);
    });
    if (plan.conversion) {
      const sums = EXPERT_MATRICES.map((name) => {
        const { source } = slices[name][expert];
        return source instanceof ConvertedSource ? source.errorSums() : emptyErrorSums();
      });
      await this.files['conversion_sums.bin'].write(sumsByteOffset(manifest, kind, layerIndex, expert), encodeSums(sums));
    }
    return checksum;
  }

  private async writeExtra(index: number, onRun: OnRun): Promise<number> {
    const run = this.input.extras[index];
    const { runByteLength } = this.input;
    for (let at = 0; at < run.byteLength; at += runByteLength) {
      const bytes = await run.source.read(run.sourceByteOffset + at, Math.min(runByteLength, run.byteLength - at));
      this.crc.join.update(bytes);
      await this.files['extra.pack'].write(run.byteOffset + at, bytes);
      onRun(bytes.byteLength);
    }
    return this.crc.join.take();
  }

  private pack(matrix: PackedMatrix, slice: MatrixSlice, write: WriteRange, onRun: OnRun): Promise<number> {
    const read = (at: number, byteLength: number) => slice.source.read(slice.byteOffset + at, byteLength);
    return packMatrix(matrix, read, write, this.crc, onRun, this.input.runByteLength, slice.tensorScale);
  }

  /** Gathers an item of moderate size in memory, so that its planes go to the file as one write. */
  private async inOneWrite(
    name: PackFileName, byteOffset: number, byteLength: number, fill: (write: WriteRange) => Promise<number>,
  ): Promise<number> {
    const file = this.files[name];
    if (byteLength > this.input.runByteLength) {
      // Extended first, since padding at the end isn't written.
      if (await file.size() < byteOffset + byteLength) await file.truncate(byteOffset + byteLength);
      return fill((at, bytes) => file.write(byteOffset + at, bytes));
    }
    // Kept from item to item: fresh megabytes cost a browser far more than clearing old ones.
    if (this.gathered.byteLength < byteLength) this.gathered = new Uint8Array(byteLength);
    const whole = this.gathered.subarray(0, byteLength).fill(0);
    const checksum = await fill(async (at, bytes) => whole.set(bytes, at));
    await file.write(byteOffset, whole);
    return checksum;
  }
}

function outputsOf({ manifest, plan }: WriterInput): OutputName[] {
  return [...packFileNames(manifest), 'checksums.bin', ...(plan.conversion ? ['conversion_sums.bin' as const] : [])];
}

/** CRCs for matrices of any format. */
export async function createMatrixCrc(): Promise<MatrixCrc> {
  const planeCount = Math.max(...Object.values(WEIGHT_FORMATS).map((format) => format.planes.length));
  const planes = await Promise.all(Array.from({ length: planeCount }, createCrc32));
  return { planes, join: await createCrc32() };
}
