/** What all 4-bit integer schemes share: the block that fits a group size, and words of scale and zero point. */
import { f32ToBits } from '../../quant/float.ts';
import type { WeightFormatName } from '../../quant/formats.ts';
import { int4ScaleWord } from '../../quant/int4.ts';
import { tensorError, type StoredTensor } from '../stored_tensor.ts';
import { blocksFit } from './scales.ts';

export interface Int4Layout {
  readonly format: WeightFormatName;
  readonly blockElems: number;
  readonly blockByteLength: number;
  readonly rowByteLength: number;
  readonly blocksPerRow: number;
}

/** @throws ModelFormatError where no block fits rows and groups */
export function int4Layout(codes: StoredTensor, cols: number, groupElems: number): Int4Layout {
  const choice = ([['INT4', 128], ['INT4_32', 32]] as const).find(([, blockElems]) => blocksFit(blockElems, cols, groupElems));
  if (!choice) {
    throw tensorError(codes,
      `has rows of ${cols} weights in groups of ${groupElems}; both must be multiples of 32 to be supported`);
  }
  const [format, blockElems] = choice;
  const blockByteLength = 4 + blockElems / 2;
  const blocksPerRow = cols / blockElems;
  return { format, blockElems, blockByteLength, rowByteLength: blocksPerRow * blockByteLength, blocksPerRow };
}

/** @throws ModelFormatError where the scale has more bits than an f16 or bf16 */
export function scaleWord(scales: StoredTensor, scale: number, zero: number): number {
  const word = int4ScaleWord(f32ToBits(scale), zero);
  if (word === null) {
    throw tensorError(scales, `holds the scale ${scale} as ${scales.dtype}; supported are scales that fit F16 or BF16`);
  }
  return word;
}

export function writeWord(out: Uint8Array, at: number, word: number): void {
  out[at] = word;
  out[at + 1] = word >> 8;
  out[at + 2] = word >> 16;
  out[at + 3] = word >> 24;
}

/** Little-endian words of bytes that may lie anywhere. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.byteLength / 4);
  new Uint8Array(words.buffer).set(bytes);
  return words;
}
