/** ggml's formats with one f16 scale per 32 weights. Block layouts: ggml-common.h (block_q8_0, block_q4_0). */
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
