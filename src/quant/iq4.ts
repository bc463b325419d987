/**
 * ggml's 4-bit formats with unevenly spaced levels. Block layouts: ggml-common.h (block_iq4_nl, block_iq4_xs). Products
 * have at most 24 bits, so they are exact in f32.
 */
import { copyBytes, nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';
import { q4_0 } from './q_legacy.ts';

/** What the 16 codes stand for (kvalues_iq4nl of ggml-common.h). */
const LEVELS = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

/** Decodes 16 bytes of nibbles: weights 0…15 low, 16…31 high. */
function decodeLevels(src: Uint8Array, at: number, scale: number, out: Float32Array, outIndex: number): void {
  for (let j = 0; j < 16; j++) {
    out[outIndex + j] = LEVELS[src[at + j] & 15] * scale;
    out[outIndex + j + 16] = LEVELS[src[at + j] >> 4] * scale;
  }
}

/** Block in the file: f16 d, 16 bytes of nibbles as in Q4_0. Value level(q)·d. */
export const iq4_nl: WeightFormat = {
  name: 'IQ4_NL',
  ggmlType: 20,
  blockElems: 32,
  blockByteLength: 18,
  planes: q4_0.planes,
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  shader: 'iq4_nl',
  decodeBlock(src, at, out, outIndex) {
    decodeLevels(src, at + 2, readF16(src, at), out, outIndex);
  },
  packBlock: q4_0.packBlock,
  unpackBlock: q4_0.unpackBlock,
};

/**
 * Block in the file: f16 d, u16 with the upper two bits of eight 6-bit scales, 4 bytes with their low nibbles (both in
 * natural order), 128 bytes of nibbles, 16 for each 32 weights. Value level(q)·d·(scale − 32).
 */
export const iq4_xs: WeightFormat = {
  name: 'IQ4_XS',
  ggmlType: 23,
  blockElems: 256,
  blockByteLength: 136,
  planes: [{ name: 'codes', blockByteLength: 128 }, { name: 'scales', blockByteLength: 8 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, { byteOffset: 2, byteLength: 2 }],
  shader: 'iq4_xs',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let group = 0; group < 8; group++) {
      const low = (src[at + 4 + (group >> 1)] >> (4 * (group & 1))) & 15;
      const high = (src[at + 2 + (group >> 2)] >> (2 * (group & 3))) & 3;
      decodeLevels(src, at + 8 + group * 16, d * ((low | (high << 4)) - 32), out, outIndex + group * 32);
    }
  },
  packBlock(src, at, planes, block) {
    for (let group = 0; group < 8; group++) {
      nibblesToNatural(src, at + 8 + group * 16, 16, planes[0], block * 128 + group * 16);
    }
    copyBytes(src, at, 8, planes[1], block * 8);
  },
  unpackBlock(planes, block, dst, at) {
    for (let group = 0; group < 8; group++) {
      nibblesFromNatural(planes[0], block * 128 + group * 16, 16, dst, at + 8 + group * 16);
    }
    copyBytes(planes[1], block * 8, 8, dst, at);
  },
};
