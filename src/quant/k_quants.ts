/**
 * ggml's k-quants: super-blocks of 256 weights whose sub-block scales are quantised themselves. Block layouts:
 * ggml-common.h (block_q2_K, block_q4_K, block_q6_K; Q3_K and Q5_K are in k_quants_high_bit.ts). All products below are exact in f32 (at most 24 bits), so
 * computing in doubles and rounding once on the store gives ggml's f32 results bit for bit.
 */
import { copyBytes, crumbsFromNatural, crumbsToNatural, nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';

/**
 * Block in the file: 16 bytes (scale | min << 4, one per 16 weights), 64 bytes of 2-bit codes, f16 d, f16 dmin.
 * Value d·scale·q − dmin·min.
 */
export const q2_k: WeightFormat = {
  name: 'Q2_K',
  ggmlType: 10,
  blockElems: 256,
  blockByteLength: 84,
  planes: [
    { name: 'codes', blockByteLength: 64 },
    { name: 'scales', blockByteLength: 16 },
    { name: 'dm', blockByteLength: 4 },
  ],
  multiByteFields: [{ byteOffset: 80, byteLength: 2 }, { byteOffset: 82, byteLength: 2 }],
  shader: 'q2_k',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at + 80);
    const dmin = readF16(src, at + 82);
    for (let group = 0; group < 16; group++) {
      const scale = d * (src[at + group] & 15);
      const min = dmin * (src[at + group] >> 4);
      // 128 weights share 32 bytes: 32 weights (two groups) for each pair of bits.
      const codes = at + 16 + (group >> 3) * 32 + (group & 1) * 16;
      const shift = group & 6;
      const first = outIndex + group * 16;
      for (let l = 0; l < 16; l++) out[first + l] = scale * ((src[codes + l] >> shift) & 3) - min;
    }
  },
  packBlock(src, at, planes, block) {
    crumbsToNatural(src, at + 16, planes[0], block * 64);
    crumbsToNatural(src, at + 48, planes[0], block * 64 + 32);
    copyBytes(src, at, 16, planes[1], block * 16);
    copyBytes(src, at + 80, 4, planes[2], block * 4);
  },
  unpackBlock(planes, block, dst, at) {
    crumbsFromNatural(planes[0], block * 64, dst, at + 16);
    crumbsFromNatural(planes[0], block * 64 + 32, dst, at + 48);
    copyBytes(planes[1], block * 16, 16, dst, at);
    copyBytes(planes[2], block * 4, 4, dst, at + 80);
  },
};

// Q4_K and Q5_K keep eight 6-bit scales and eight 6-bit mins in 12 bytes. Scales and mins 0…3 lie in the low 6 bits of
// bytes 0…3 and 4…7; the upper 2 bits of those bytes are the upper bits of scales and mins 4…7, whose low nibbles share
// bytes 8…11.

/** Scale of sub-block `group` (0…7) out of the 12 bytes at `packed`. */
export function subScale(src: Uint8Array, packed: number, group: number): number {
  if (group < 4) return src[packed + group] & 63;
  return (src[packed + group + 4] & 15) | ((src[packed + group - 4] >> 6) << 4);
}

/** Min of sub-block `group` (0…7) out of the 12 bytes at `packed`. */
export function subMin(src: Uint8Array, packed: number, group: number): number {
  if (group < 4) return src[packed + group + 4] & 63;
  return (src[packed + group + 4] >> 4) | ((src[packed + group] >> 6) << 4);
}

/**
 * Block in the file: f16 d, f16 dmin, 12 bytes holding eight 6-bit scales and eight 6-bit mins (one per 32
 * weights), 128 bytes of nibbles. Value d·scale·q − dmin·min.
 */
export const q4_k: WeightFormat = {
  name: 'Q4_K',
  ggmlType: 12,
  blockElems: 256,
  blockByteLength: 144,
  planes: [{ name: 'codes', blockByteLength: 128 }, { name: 'scales', blockByteLength: 16 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 2 }],
  shader: 'q4_k',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    const dmin = readF16(src, at + 2);
    const packed = at + 4;
    for (let group = 0; group < 8; group++) {
      const step = d * subScale(src, packed, group);
      const floor = dmin * subMin(src, packed, group);
      const codes = at + 16 + (group >> 1) * 32;
      const shift = (group & 1) * 4;
      const first = outIndex + group * 32;
      for (let l = 0; l < 32; l++) out[first + l] = step * ((src[codes + l] >> shift) & 15) - floor;
    }
  },
  packBlock(src, at, planes, block) {
    for (let chunk = 0; chunk < 4; chunk++) {
      nibblesToNatural(src, at + 16 + chunk * 32, 32, planes[0], block * 128 + chunk * 32);
    }
    copyBytes(src, at, 16, planes[1], block * 16);
  },
  unpackBlock(planes, block, dst, at) {
    for (let chunk = 0; chunk < 4; chunk++) {
      nibblesFromNatural(planes[0], block * 128 + chunk * 32, 32, dst, at + 16 + chunk * 32);
    }
    copyBytes(planes[1], block * 16, 16, dst, at);
  },
};

/**
 * Block in the file: 128 bytes of low nibbles, 64 bytes of upper bit pairs, 16 × int8 scales (one per 16
 * weights), f16 d. Value d·scale·(q − 32).
 */
export const q6_k: WeightFormat = {
  name: 'Q6_K',
  ggmlType: 14,
  blockElems: 256,
  blockByteLength: 210,
  planes: [
    { name: 'low', blockByteLength: 128 },
    { name: 'high', blockByteLength: 64 },
    { name: 'scales', blockByteLength: 16 },
    { name: 'd', blockByteLength: 2 },
  ],
  multiByteFields: [{ byteOffset: 208, byteLength: 2 }],
  shader: 'q6_k',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at + 208);
    for (let group = 0; group < 16; group++) {
      const scale = d * ((src[at + 192 + group] << 24) >> 24);
      // Of each 128 weights, 0…63 are the low and 64…127 the high nibbles of 64 bytes; upper bits as in Q2_K.
      const half = group >> 3;
      const low = at + half * 64 + (group & 3) * 16;
      const lowShift = group & 4;
      const high = at + 128 + half * 32 + (group & 1) * 16;
      const highShift = group & 6;
      const first = outIndex + group * 16;
      for (let l = 0; l < 16; l++) {
        const q = ((src[low + l] >> lowShift) & 15) | (((src[high + l] >> highShift) & 3) << 4);
        out[first + l] = scale * (q - 32);
      }
    }
  },
  packBlock(src, at, planes, block) {
    for (let half = 0; half < 2; half++) {
      nibblesToNatural(src, at + half * 64, 64, planes[0], block * 128 + half * 64);
      crumbsToNatural(src, at + 128 + half * 32, planes[1], block * 64 + half * 32);
    }
    copyBytes(src, at + 192, 16, planes[2], block * 16);
    copyBytes(src, at + 208, 2, planes[3], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    for (let half = 0; half < 2; half++) {
      nibblesFromNatural(planes[0], block * 128 + half * 64, 64, dst, at + half * 64);
      crumbsFromNatural(planes[1], block * 64 + half * 32, dst, at + 128 + half * 32);
    }
    copyBytes(planes[2], block * 16, 16, dst, at + 192);
    copyBytes(planes[3], block * 2, 2, dst, at + 208);
  },
};
