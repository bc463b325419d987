/**
 * ggml's formats with one f16 scale, and some with one f16 offset, per 32 weights. Block layouts: ggml-common.h
 * (block_q8_0, block_q4_0, block_q4_1, block_q5_0, block_q5_1). q·d is exact in f32 and q·d + m in a double, so one
 * rounding on the store gives ggml's f32 results bit for bit.
 */
import { copyBytes, nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import { readF16, writeF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';

/** Block in the file: f16 d, 32 × int8 q. Value q·d. */
export const q8_0: WeightFormat = {
  name: 'Q8_0',
  ggmlType: 8,
  blockElems: 32,
  blockByteLength: 34,
  planes: [{ name: 'codes', blockByteLength: 32 }, { name: 'scales', blockByteLength: 2 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  shader: 'q8_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let j = 0; j < 32; j++) out[outIndex + j] = ((src[at + 2 + j] << 24) >> 24) * d;
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 32, planes[0], block * 32);
    copyBytes(src, at, 2, planes[1], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 32, 32, dst, at + 2);
    copyBytes(planes[1], block * 2, 2, dst, at);
  },
  /** Symmetric, d = max|x| / 127, codes rounded half away from zero, all in f32 as ggml does. */
  encodeBlock(x, xIndex, dst, at) {
    let largest = 0;
    for (let j = 0; j < 32; j++) largest = Math.max(largest, Math.abs(x[xIndex + j]));
    const d = Math.fround(largest / 127);
    const inverse = d === 0 ? 0 : Math.fround(1 / d);
    writeF16(dst, at, d);
    for (let j = 0; j < 32; j++) {
      const scaled = Math.fround(x[xIndex + j] * inverse);
      dst[at + 2 + j] = Math.sign(scaled) * Math.floor(Math.abs(scaled) + 0.5);
    }
  },
};

/** Block in the file: f16 d, 16 bytes with weights 0…15 in the low and 16…31 in the high nibbles. Value (q − 8)·d. */
export const q4_0: WeightFormat = {
  name: 'Q4_0',
  ggmlType: 2,
  blockElems: 32,
  blockByteLength: 18,
  planes: [{ name: 'codes', blockByteLength: 16 }, { name: 'scales', blockByteLength: 2 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  shader: 'q4_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let j = 0; j < 16; j++) {
      const byte = src[at + 2 + j];
      out[outIndex + j] = ((byte & 15) - 8) * d;
      out[outIndex + j + 16] = ((byte >> 4) - 8) * d;
    }
  },
  packBlock(src, at, planes, block) {
    nibblesToNatural(src, at + 2, 16, planes[0], block * 16);
    copyBytes(src, at, 2, planes[1], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    nibblesFromNatural(planes[0], block * 16, 16, dst, at + 2);
    copyBytes(planes[1], block * 2, 2, dst, at);
  },
};

/** Block in the file: f16 d, f16 m, 16 bytes of nibbles as in Q4_0. Value q·d + m. */
export const q4_1: WeightFormat = {
  name: 'Q4_1',
  ggmlType: 3,
  blockElems: 32,
  blockByteLength: 20,
  planes: [{ name: 'codes', blockByteLength: 16 }, { name: 'dm', blockByteLength: 4 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 2 }],
  shader: 'q4_1',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    const m = readF16(src, at + 2);
    for (let j = 0; j < 16; j++) {
      const byte = src[at + 4 + j];
      out[outIndex + j] = (byte & 15) * d + m;
      out[outIndex + j + 16] = (byte >> 4) * d + m;
    }
  },
  packBlock(src, at, planes, block) {
    nibblesToNatural(src, at + 4, 16, planes[0], block * 16);
    copyBytes(src, at, 4, planes[1], block * 4);
  },
  unpackBlock(planes, block, dst, at) {
    nibblesFromNatural(planes[0], block * 16, 16, dst, at + 4);
    copyBytes(planes[1], block * 4, 4, dst, at);
  },
};

/** Block in the file: f16 d, u32 with weight j's fifth bit in bit j, 16 bytes of nibbles as in Q4_0. Value (q − 16)·d. */
export const q5_0: WeightFormat = {
  name: 'Q5_0',
  ggmlType: 6,
  blockElems: 32,
  blockByteLength: 22,
  planes: [
    { name: 'low', blockByteLength: 16 },
    { name: 'high', blockByteLength: 4 },
    { name: 'scales', blockByteLength: 2 },
  ],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 4 }],
  shader: 'q5_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let j = 0; j < 32; j++) out[outIndex + j] = (fiveBits(src, at + 2, j) - 16) * d;
  },
  packBlock(src, at, planes, block) {
    nibblesToNatural(src, at + 6, 16, planes[0], block * 16);
    copyBytes(src, at + 2, 4, planes[1], block * 4);
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    nibblesFromNatural(planes[0], block * 16, 16, dst, at + 6);
    copyBytes(planes[1], block * 4, 4, dst, at + 2);
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};

/** Block in the file: f16 d, f16 m, then as in Q5_0. Value q·d + m. */
export const q5_1: WeightFormat = {
  name: 'Q5_1',
  ggmlType: 7,
  blockElems: 32,
  blockByteLength: 24,
  planes: [
    { name: 'low', blockByteLength: 16 },
    { name: 'high', blockByteLength: 4 },
    { name: 'dm', blockByteLength: 4 },
  ],
  multiByteFields: [
    { byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 2 }, { byteOffset: 4, byteLength: 4 },
  ],
  shader: 'q5_1',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    const m = readF16(src, at + 2);
    for (let j = 0; j < 32; j++) out[outIndex + j] = fiveBits(src, at + 4, j) * d + m;
  },
  packBlock(src, at, planes, block) {
    nibblesToNatural(src, at + 8, 16, planes[0], block * 16);
    copyBytes(src, at + 4, 4, planes[1], block * 4);
    copyBytes(src, at, 4, planes[2], block * 4);
  },
  unpackBlock(planes, block, dst, at) {
    nibblesFromNatural(planes[0], block * 16, 16, dst, at + 8);
    copyBytes(planes[1], block * 4, 4, dst, at + 4);
    copyBytes(planes[2], block * 4, 4, dst, at);
  },
};

/** Code of weight j in Q5_0 and Q5_1: the four bytes at `at` hold the fifth bits, the 16 bytes after them nibbles. */
function fiveBits(src: Uint8Array, at: number, j: number): number {
  const nibble = (src[at + 4 + (j & 15)] >> (j < 16 ? 0 : 4)) & 15;
  return nibble | (((src[at + (j >> 3)] >> (j & 7)) & 1) << 4);
}
