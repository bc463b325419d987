/**
 * 4-bit integers with a scale and a zero point for each block: our own file layout of what GPTQ, AWQ and
 * compressed-tensors keep in tensors beside each other. Value: (code − zero) · scale.
 *
 * Scale and zero point share a 32-bit word: the bits of the f32 scale, whose lowest 8 are the zero point (0…16) instead.
 * Checkpoints have f16 or bf16 scales, which never use those bits. The product of a 16-bit significand and a number
 * below 17 is exact in f32, so there is no rounding to agree on; libraries that multiply in f16 round theirs.
 */
import { copyBytes } from './bit_order.ts';
import { f32FromBits } from './float.ts';
import type { WeightFormat, WeightFormatName } from './formats.ts';

const ZERO_MASK = 0xff;

/** The word of a block. @returns null where the scale needs the bits of the zero point */
export function int4ScaleWord(scaleBits: number, zero: number): number | null {
  return (scaleBits & ZERO_MASK) === 0 ? scaleBits | zero : null;
}

/** Block in the file: the word, then the codes in order, weight j in bits 4·(j % 2) of byte j >> 1. */
function int4Format(name: WeightFormatName, shader: string, blockElems: number): WeightFormat {
  const codesByteLength = blockElems / 2;
  return {
    name, ggmlType: null, blockElems, shader,
    blockByteLength: 4 + codesByteLength,
    planes: [{ name: 'codes', blockByteLength: codesByteLength }, { name: 'scales', blockByteLength: 4 }],
    multiByteFields: [{ byteOffset: 0, byteLength: 4 }],
    decodeBlock(src, at, out, outIndex) {
      const zero = src[at];
      const scale = f32FromBits((src[at + 1] << 8) | (src[at + 2] << 16) | (src[at + 3] << 24));
      for (let j = 0; j < codesByteLength; j++) {
        const byte = src[at + 4 + j];
        out[outIndex + 2 * j] = ((byte & 15) - zero) * scale;
        out[outIndex + 2 * j + 1] = ((byte >> 4) - zero) * scale;
      }
    },
    packBlock(src, at, planes, block) {
      copyBytes(src, at + 4, codesByteLength, planes[0], block * codesByteLength);
      copyBytes(src, at, 4, planes[1], block * 4);
    },
    unpackBlock(planes, block, dst, at) {
      copyBytes(planes[0], block * codesByteLength, codesByteLength, dst, at + 4);
      copyBytes(planes[1], block * 4, 4, dst, at);
    },
  };
}

export const int4 = int4Format('INT4', 'int4', 128);
export const int4_32 = int4Format('INT4_32', 'int4_32', 32);
