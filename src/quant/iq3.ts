/**
 * ggml's IQ3 formats: the magnitudes of four weights at a time from a codebook, their signs beside it. Block layouts:
 * ggml-common.h (block_iq3_xxs, block_iq3_s). All products are exact in f32. A big-endian file has those fields swapped
 * that ggml reads as 16-bit or 32-bit numbers.
 */
import { copyBytes } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';
import { codebookValues, IQ3_S_CODEBOOK, IQ3_XXS_CODEBOOK, signByte } from './iq_grids.ts';

const XXS_VALUES = codebookValues(IQ3_XXS_CODEBOOK, [4, 12, 20, 28, 36, 44, 52, 62]);
const S_VALUES = codebookValues(IQ3_S_CODEBOOK, [1, 3, 5, 7, 9, 11, 13, 15]);

/** Four weights: scale · entry `index` of the codebook with the signs of bits 0 … 3. */
function decodeFour(
  values: Float32Array, index: number, signs: number, scale: number, out: Float32Array, outIndex: number,
): void {
  for (let j = 0; j < 4; j++) {
    const value = values[index * 4 + j];
    out[outIndex + j] = scale * ((signs >> j) & 1 ? -value : value);
  }
}

/**
 * Block in the file: f16 d, 64 index bytes (one per 4 weights), 8 × 32 bits (four times 7 bits of signs and 4 bits of
 * scale per 32 weights). Value d·(scale + 1/2)/2·±entry.
 */
export const iq3_xxs: WeightFormat = {
  name: 'IQ3_XXS',
  ggmlType: 18,
  blockElems: 256,
  blockByteLength: 98,
  planes: [
    { name: 'indices', blockByteLength: 64 },
    { name: 'signs and scales', blockByteLength: 32 },
    { name: 'd', blockByteLength: 2 },
  ],
  constants: { kind: 'codebook', bytes: IQ3_XXS_CODEBOOK },
  multiByteFields: [
    { byteOffset: 0, byteLength: 2 },
    ...Array.from({ length: 8 }, (_, group) => ({ byteOffset: 66 + 4 * group, byteLength: 4 as const })),
  ],
  shader: 'iq3_xxs',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let group = 0; group < 8; group++) {
      const word = at + 66 + 4 * group;
      const bits = src[word] | (src[word + 1] << 8) | (src[word + 2] << 16) | (src[word + 3] << 24);
      const scale = d * (0.5 + (bits >>> 28)) * 0.5;
      for (let four = 0; four < 8; four++) {
        const signs = signByte((bits >> (7 * (four >> 1))) & 127) >> (4 * (four & 1));
        decodeFour(XXS_VALUES, src[at + 2 + 8 * group + four], signs, scale, out, outIndex + 32 * group + 4 * four);
      }
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 64, planes[0], block * 64);
    copyBytes(src, at + 66, 32, planes[1], block * 32);
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 64, 64, dst, at + 2);
    copyBytes(planes[1], block * 32, 32, dst, at + 66);
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};

/**
 * Block in the file: f16 d, 64 bytes (the low 8 bits of an index per 4 weights), 8 bytes with the indices' ninth bits,
 * 32 bytes of signs, 4 bytes of 4-bit scales (one per 32 weights). Value d·(2·scale + 1)·±entry.
 * Packed, signs, ninth bits and scales are eleven words in that order.
 */
export const iq3_s: WeightFormat = {
  name: 'IQ3_S',
  ggmlType: 21,
  blockElems: 256,
  blockByteLength: 110,
  planes: [
    { name: 'indices', blockByteLength: 64 },
    { name: 'signs, high and scales', blockByteLength: 44 },
    { name: 'd', blockByteLength: 2 },
  ],
  constants: { kind: 'codebook', bytes: IQ3_S_CODEBOOK },
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  shader: 'iq3_s',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let group = 0; group < 8; group++) {
      const scale = d * (2 * ((src[at + 106 + (group >> 1)] >> (4 * (group & 1))) & 15) + 1);
      for (let four = 0; four < 8; four++) {
        const index = src[at + 2 + 8 * group + four] | (((src[at + 66 + group] >> four) & 1) << 8);
        const signs = src[at + 74 + 4 * group + (four >> 1)] >> (4 * (four & 1));
        decodeFour(S_VALUES, index, signs, scale, out, outIndex + 32 * group + 4 * four);
      }
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 64, planes[0], block * 64);
    copyBytes(src, at + 74, 32, planes[1], block * 44);
    copyBytes(src, at + 66, 8, planes[1], block * 44 + 32);
    copyBytes(src, at + 106, 4, planes[1], block * 44 + 40);
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 64, 64, dst, at + 2);
    copyBytes(planes[1], block * 44, 32, dst, at + 74);
    copyBytes(planes[1], block * 44 + 32, 8, dst, at + 66);
    copyBytes(planes[1], block * 44 + 40, 4, dst, at + 106);
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};
