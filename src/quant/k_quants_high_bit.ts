/**
 * The k-quants whose codes have one bit in a place of its own: Q3_K and Q5_K. Block layouts: ggml-common.h
 * (block_q3_K, block_q5_K). Exact in f32 as in k_quants.ts.
 */
import {
  bitsFromNatural, bitsToNatural, copyBytes, crumbsFromNatural, crumbsToNatural, nibblesFromNatural, nibblesToNatural,
} from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';
import { subMin, subScale } from './k_quants.ts';

/**
 * Block in the file: 32 bytes of high bits, 64 bytes of 2-bit codes, 12 bytes holding sixteen 6-bit scales (one per 16
 * weights), f16 d. Value d·(scale − 32)·(q − 4).
 * The scales' low nibbles are the 16 of bytes 0…7 (0…7 low, 8…15 high), their upper bits the quarters of bytes 8…11; the
 * packed plane has both in natural order.
 */
export const q3_k: WeightFormat = {
  name: 'Q3_K',
  ggmlType: 11,
  blockElems: 256,
  blockByteLength: 110,
  planes: [
    { name: 'low', blockByteLength: 64 },
    { name: 'high', blockByteLength: 32 },
    { name: 'scales', blockByteLength: 12 },
    { name: 'd', blockByteLength: 2 },
  ],
  multiByteFields: [{ byteOffset: 108, byteLength: 2 }],
  shader: 'q3_k',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at + 108);
    const scales = at + 96;
    for (let group = 0; group < 16; group++) {
      const low = (src[scales + (group & 7)] >> (group < 8 ? 0 : 4)) & 15;
      const high = (src[scales + 8 + (group & 3)] >> (2 * (group >> 2))) & 3;
      const scale = d * ((low | (high << 4)) - 32);
      // 128 weights share 32 bytes of codes, all 256 the 32 bytes of high bits.
      const codes = at + 32 + (group >> 3) * 32 + (group & 1) * 16;
      const shift = group & 6;
      const mask = at + (group & 1) * 16;
      const bit = group >> 1;
      const first = outIndex + group * 16;
      for (let l = 0; l < 16; l++) {
        const q = ((src[codes + l] >> shift) & 3) | (((src[mask + l] >> bit) & 1) << 2);
        out[first + l] = scale * (q - 4);
      }
    }
  },
  packBlock(src, at, planes, block) {
    crumbsToNatural(src, at + 32, planes[0], block * 64);
    crumbsToNatural(src, at + 64, planes[0], block * 64 + 32);
    bitsToNatural(src, at, planes[1], block * 32);
    nibblesToNatural(src, at + 96, 8, planes[2], block * 12);
    crumbsToNatural(src, at + 104, planes[2], block * 12 + 8, 4);
    copyBytes(src, at + 108, 2, planes[3], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    crumbsFromNatural(planes[0], block * 64, dst, at + 32);
    crumbsFromNatural(planes[0], block * 64 + 32, dst, at + 64);
    bitsFromNatural(planes[1], block * 32, dst, at);
    nibblesFromNatural(planes[2], block * 12, 8, dst, at + 96);
    crumbsFromNatural(planes[2], block * 12 + 8, dst, at + 104, 4);
    copyBytes(planes[3], block * 2, 2, dst, at + 108);
  },
};

/**
 * Block in the file: f16 d, f16 dmin, 12 bytes of scales and mins as in Q4_K (one of each per 32 weights), 32 bytes of
 * high bits, 128 bytes of nibbles. Value d·scale·q − dmin·min.
 */
export const q5_k: WeightFormat = {
  name: 'Q5_K',
  ggmlType: 13,
  blockElems: 256,
  blockByteLength: 176,
  planes: [
    { name: 'low', blockByteLength: 128 },
    { name: 'high', blockByteLength: 32 },
    { name: 'scales', blockByteLength: 16 },
  ],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 2 }],
  shader: 'q5_k',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    const dmin = readF16(src, at + 2);
    for (let group = 0; group < 8; group++) {
      const step = d * subScale(src, at + 4, group);
      const floor = dmin * subMin(src, at + 4, group);
      const codes = at + 48 + (group >> 1) * 32;
      const shift = (group & 1) * 4;
      const first = outIndex + group * 32;
      for (let l = 0; l < 32; l++) {
        const q = ((src[codes + l] >> shift) & 15) | (((src[at + 16 + l] >> group) & 1) << 4);
        out[first + l] = step * q - floor;
      }
    }
  },
  packBlock(src, at, planes, block) {
    for (let chunk = 0; chunk < 4; chunk++) {
      nibblesToNatural(src, at + 48 + chunk * 32, 32, planes[0], block * 128 + chunk * 32);
    }
    bitsToNatural(src, at + 16, planes[1], block * 32);
    copyBytes(src, at, 16, planes[2], block * 16);
  },
  unpackBlock(planes, block, dst, at) {
    for (let chunk = 0; chunk < 4; chunk++) {
      nibblesFromNatural(planes[0], block * 128 + chunk * 32, 32, dst, at + 48 + chunk * 32);
    }
    bitsFromNatural(planes[1], block * 32, dst, at + 16);
    copyBytes(planes[2], block * 16, 16, dst, at);
  },
};
