/**
 * ggml's IQ1 formats: eight weights at a time from a codebook of {−1, 0, 1}⁸, all moved up or down by 1/8. Block layouts:
 * ggml-common.h (block_iq1_s, block_iq1_m). All products are exact in f32. A big-endian file has those fields swapped
 * that ggml reads as 16-bit numbers.
 */
import { copyBytes } from './bit_order.ts';
import { f16ToF32, readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';
import { codebookValues, IQ1_CODEBOOK } from './iq_grids.ts';

const VALUES = codebookValues(IQ1_CODEBOOK, [-1, 0, 1]);
const DELTA = 0.125;

const u16At = (src: Uint8Array, at: number): number => src[at] | (src[at + 1] << 8);

function decodeEight(index: number, scale: number, delta: number, out: Float32Array, outIndex: number): void {
  for (let j = 0; j < 8; j++) out[outIndex + j] = scale * (VALUES[index * 8 + j] + delta);
}

const fields16 = (byteOffset: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ byteOffset: byteOffset + 2 * i, byteLength: 2 as const }));

/**
 * Block in the file: f16 d, 32 bytes (the low 8 bits of an index per 8 weights), 8 × 16 bits (one per 32 weights: the
 * upper 3 bits of four indices, 3 bits of scale, the sign of the delta). Value d·(2·scale + 1)·(entry ± 1/8).
 */
export const iq1_s: WeightFormat = {
  name: 'IQ1_S',
  ggmlType: 19,
  blockElems: 256,
  blockByteLength: 50,
  planes: [
    { name: 'indices', blockByteLength: 32 },
    { name: 'high and scales', blockByteLength: 16 },
    { name: 'd', blockByteLength: 2 },
  ],
  constants: { kind: 'codebook', bytes: IQ1_CODEBOOK },
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }, ...fields16(34, 8)],
  shader: 'iq1_s',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let group = 0; group < 8; group++) {
      const high = u16At(src, at + 34 + 2 * group);
      const scale = d * (2 * ((high >> 12) & 7) + 1);
      const delta = high & 0x8000 ? -DELTA : DELTA;
      for (let eight = 0; eight < 4; eight++) {
        const index = src[at + 2 + 4 * group + eight] | (((high >> (3 * eight)) & 7) << 8);
        decodeEight(index, scale, delta, out, outIndex + 32 * group + 8 * eight);
      }
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 32, planes[0], block * 32);
    copyBytes(src, at + 34, 16, planes[1], block * 16);
    copyBytes(src, at, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 32, 32, dst, at + 2);
    copyBytes(planes[1], block * 16, 16, dst, at + 34);
    copyBytes(planes[2], block * 2, 2, dst, at);
  },
};

/**
 * Block in the file: 32 bytes (the low 8 bits of an index per 8 weights), 16 bytes of nibbles (the upper 3 bits of an
 * index and the sign of its delta), 4 × 16 bits (four 3-bit scales each, one per 16 weights, and in the upper nibbles
 * the f16 d, lowest nibble first). Value d·(2·scale + 1)·(entry ± 1/8).
 */
export const iq1_m: WeightFormat = {
  name: 'IQ1_M',
  ggmlType: 29,
  blockElems: 256,
  blockByteLength: 56,
  planes: [
    { name: 'indices', blockByteLength: 32 },
    { name: 'high', blockByteLength: 16 },
    { name: 'scales and d', blockByteLength: 8 },
  ],
  constants: { kind: 'codebook', bytes: IQ1_CODEBOOK },
  multiByteFields: fields16(48, 4),
  shader: 'iq1_m',
  decodeBlock(src, at, out, outIndex) {
    let dBits = 0;
    for (let i = 0; i < 4; i++) dBits |= (src[at + 49 + 2 * i] >> 4) << (4 * i);
    const d = f16ToF32(dBits);
    for (let group = 0; group < 16; group++) {
      const scale = d * (2 * ((u16At(src, at + 48 + 2 * (group >> 2)) >> (3 * (group & 3))) & 7) + 1);
      for (let eight = 0; eight < 2; eight++) {
        const high = (src[at + 32 + group] >> (4 * eight)) & 15;
        const index = src[at + 2 * group + eight] | ((high & 7) << 8);
        decodeEight(index, scale, high & 8 ? -DELTA : DELTA, out, outIndex + 16 * group + 8 * eight);
      }
    }
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at, 32, planes[0], block * 32);
    copyBytes(src, at + 32, 16, planes[1], block * 16);
    copyBytes(src, at + 48, 8, planes[2], block * 8);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 32, 32, dst, at);
    copyBytes(planes[1], block * 16, 16, dst, at + 32);
    copyBytes(planes[2], block * 8, 8, dst, at + 48);
  },
};
