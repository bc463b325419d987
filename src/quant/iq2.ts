/**
 * ggml's IQ2 formats: the magnitudes of eight weights at a time from a codebook of {8, 25, 43}⁸, their signs beside it.
 * Block layouts: ggml-common.h (block_iq2_xxs, block_iq2_xs, block_iq2_s). All products are exact in f32. A big-endian
 * file has those fields swapped that ggml reads as 16-bit or 32-bit numbers.
 */
import { copyBytes } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';
import { codebookValues, IQ2_S_CODEBOOK, IQ2_XS_CODEBOOK, IQ2_XXS_CODEBOOK, signByte } from './iq_grids.ts';

const LEVELS = [8, 25, 43];
const XXS_VALUES = codebookValues(IQ2_XXS_CODEBOOK, LEVELS);
const XS_VALUES = codebookValues(IQ2_XS_CODEBOOK, LEVELS);
const S_VALUES = codebookValues(IQ2_S_CODEBOOK, LEVELS);

/** Eight weights: scale · entry `index` of the codebook with these signs. */
function decodeEight(
  values: Float32Array, index: number, signs: number, scale: number, out: Float32Array, outIndex: number,
): void {
  for (let j = 0; j < 8; j++) {
    const value = values[index * 8 + j];
    out[outIndex + j] = scale * ((signs >> j) & 1 ? -value : value);
  }
}

/** What a 4-bit scale and d make of a level. */
const scaleOf = (d: number, scale: number): number => d * (0.5 + scale) * 0.25;

/**
 * Block in the file: f16 d, then for each 32 weights four index bytes (one per 8 weights) and a 32-bit word: four times
 * 7 bits of signs and 4 bits of scale. Value d·(scale + 1/2)/4·±entry.
 */
export const iq2_xxs: WeightFormat = {
  name: 'IQ2_XXS',
  ggmlType: 16,
  blockElems: 256,
  blockByteLength: 66,
  planes: [{ name: 'codes', blockByteLength: 64 }, { name: 'd', blockByteLength: 2 }],
  constants: { kind: 'codebook', bytes: IQ2_XXS_CODEBOOK },
  multiByteFields: [
    { byteOffset: 0, byteLength: 2 },
    ...Array.from({ length: 8 }, (_, group) => ({ byteOffset: 6 + 8 * group, byteLength: 4 as const })),
  ],
  shader: 'iq2_xxs',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let group = 0; group < 8; group++) {
      const codes = at + 2 + 8 * group;
      const word = src[codes + 4] | (src[codes + 5] << 8) | (src[codes + 6] << 16) | (src[codes + 7] << 24);
      const scale = scaleOf(d, word >>> 28);
      for (let eight = 0; eight < 4; eight++) {
        const signs = signByte((word >> (7 * eight)) & 127);
        decodeEight(XXS_VALUES, src[codes + eight], signs, scale, out, outIndex + 32 * group + 8 * eight);
      }
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 64, planes[0], block * 64);
    copyBytes(src, at, 2, planes[1], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 64, 64, dst, at + 2);
    copyBytes(planes[1], block * 2, 2, dst, at);
  },
};

/**
 * Block in the file: f16 d, 32 × 16 bits (9 bits of index and 7 of signs per 8 weights), 8 bytes of 4-bit scales (one
 * per 16 weights). Value d·(scale + 1/2)/4·±entry.
 */
export const iq2_xs: WeightFormat = {
  name: 'IQ2_XS',
  ggmlType: 17,
  blockElems: 256,
  blockByteLength: 74,
  planes: [
    { name: 'codes', blockByteLength: 64 },
    { name: 'scales', blockByteLength: 8 },
    { name: 'd', blockByteLength: 2 },
  ],
  constants: { kind: 'codebook', bytes: IQ2_XS_CODEBOOK },
  multiByteFields: Array.from({ length: 33 }, (_, i) => ({ byteOffset: 2 * i, byteLength: 2 })),
  shader: 'iq2_xs',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let eight = 0; eight < 32; eight++) {
      const codes = at + 2 + 2 * eight;
      const index = src[codes] | ((src[codes + 1] & 1) << 8);
      const scale = scaleOf(d, (src[at + 66 + (eight >> 2)] >> (2 * (eight & 2))) & 15);
      decodeEight(XS_VALUES, index, signByte(src[codes + 1] >> 1), scale, out, outIndex + 8 * eight);
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 64, planes[0], block * 64);
    copyBytes(src, at + 66, 8, planes[1], block * 8);
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 64, 64, dst, at + 2);
    copyBytes(planes[1], block * 8, 8, dst, at + 66);
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};

/**
 * Block in the file: f16 d, 32 bytes (the low 8 bits of an index per 8 weights), 32 bytes of signs, 8 bytes with the
 * upper 2 bits of the indices, 8 bytes of 4-bit scales (one per 16 weights). Value d·(scale + 1/2)/4·±entry.
 * Packed, each 16 weights have a word (two index bytes, two sign bytes) and a byte (scale, then two upper bits twice).
 */
export const iq2_s: WeightFormat = {
  name: 'IQ2_S',
  ggmlType: 22,
  blockElems: 256,
  blockByteLength: 82,
  planes: [
    { name: 'codes', blockByteLength: 64 },
    { name: 'high and scales', blockByteLength: 16 },
    { name: 'd', blockByteLength: 2 },
  ],
  constants: { kind: 'codebook', bytes: IQ2_S_CODEBOOK },
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  shader: 'iq2_s',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let eight = 0; eight < 32; eight++) {
      const high = (src[at + 66 + (eight >> 2)] >> (2 * (eight & 3))) & 3;
      const scale = scaleOf(d, (src[at + 74 + (eight >> 2)] >> (2 * (eight & 2))) & 15);
      decodeEight(S_VALUES, src[at + 2 + eight] | (high << 8), src[at + 34 + eight], scale, out, outIndex + 8 * eight);
    }
  },
  packBlock(src, at, planes, block) {
    for (let group = 0; group < 16; group++) {
      copyBytes(src, at + 2 + 2 * group, 2, planes[0], block * 64 + 4 * group);
      copyBytes(src, at + 34 + 2 * group, 2, planes[0], block * 64 + 4 * group + 2);
      const shift = 4 * (group & 1);
      const high = (src[at + 66 + (group >> 1)] >> shift) & 15;
      planes[1][block * 16 + group] = ((src[at + 74 + (group >> 1)] >> shift) & 15) | (high << 4);
    }
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    for (let group = 0; group < 16; group++) {
      copyBytes(planes[0], block * 64 + 4 * group, 2, dst, at + 2 + 2 * group);
      copyBytes(planes[0], block * 64 + 4 * group + 2, 2, dst, at + 34 + 2 * group);
    }
    for (let pair = 0; pair < 8; pair++) {
      const first = planes[1][block * 16 + 2 * pair];
      const second = planes[1][block * 16 + 2 * pair + 1];
      dst[at + 66 + pair] = (first >> 4) | (second & 0xf0);
      dst[at + 74 + pair] = (first & 15) | ((second & 15) << 4);
    }
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};
