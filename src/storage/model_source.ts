/**
 * Where an opened model's weights come from. Two implementations: a stored pack (OPFS, IndexedDB, Node files)
 * and a checkpoint served directly (command line, tests). All bytes are in the packed layout (quant/packed.ts).
 */
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { TokenizerSource } from '../formats/checkpoint.ts';
import type { WeightFormatName } from '../quant/formats.ts';
import type { RowTier } from '../profile/trace.ts';
import type { ExpertConversion } from './conversion_report.ts';

export interface DenseEntry {
  readonly name: string;
  readonly format: WeightFormatName;
  /** Vectors are [1, n]. */
  readonly rows: number;
  readonly cols: number;
  /** Offset in dense.pack, a multiple of 256; length is that of packedLayout(format, rows, cols). */
  readonly byteOffset: number;
  readonly byteLength: number;
}

export interface ExpertMatrixEntry {
  readonly format: WeightFormatName;
  readonly rows: number;
  readonly cols: number;
  /** Offset inside the expert's row, a multiple of 16. */
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** Layout of one layer's expert rows. All experts of a layer share it; layers may differ in format. */
export interface ExpertLayerEntry {
  readonly layer: number;
  readonly gate: ExpertMatrixEntry;
  readonly up: ExpertMatrixEntry;
  readonly down: ExpertMatrixEntry;
}

/** The experts once more in another format, as rows of experts_fp4.pack: for those that deserve more bits. */
export interface ExpertTier {
  /** One for each of Manifest.expertLayers, in the same order. */
  readonly layers: readonly ExpertLayerEntry[];
  /** Bytes of one (layer, expert) row, a multiple of 4096. */
  readonly strideByteLength: number;
}

export interface Manifest {
  readonly formatVersion: 1;
  readonly name: string;
  readonly architecture: string;
  readonly container: 'gguf' | 'safetensors';
  readonly hyperparameters: Hyperparameters;
  readonly tokenizer: TokenizerSource | null;
  readonly chatTemplate: string | null;
  readonly sourceFiles: readonly { readonly name: string; readonly byteLength: number }[];
  /** How the experts were changed on their way in. */
  readonly conversion: ExpertConversion;
  readonly dense: readonly DenseEntry[];
  readonly denseByteLength: number;
  readonly expertCount: number;
  readonly expertLayers: readonly ExpertLayerEntry[];
  /** Bytes of one (layer, expert) row in experts.pack, a multiple of 4096; 0 where the model has no experts. */
  readonly expertStrideByteLength: number;
  readonly tier: ExpertTier | null;
}

/**
 * A read may be given `into`, a buffer at least as long as the bytes wanted: a source that can reads into its front
 * and returns a view of it. Uploads that reuse one buffer are many times faster than those that allocate.
 */
export interface ModelSource {
  readonly manifest: Manifest;
  /** Bytes [byteOffset, byteOffset + byteLength) of a dense tensor's packed matrix. Whole tensor by default. */
  readDense(name: string, byteOffset?: number, byteLength?: number, into?: Uint8Array): Promise<Uint8Array>;
  /** One expert's row: gate, up and down as the layer's ExpertLayerEntry says. */
  readExpertRow(layer: number, expert: number, into?: Uint8Array): Promise<Uint8Array>;
  /** The same of the second tier, as manifest.tier says. @throws RangeError where the model has none. */
  readTierRow(layer: number, expert: number, into?: Uint8Array): Promise<Uint8Array>;
  /** Where a row would be read from now; storage where a source doesn't tell. */
  rowTier?(layer: number, expert: number): RowTier;
  close(): Promise<void>;
}
