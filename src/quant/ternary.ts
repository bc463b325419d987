/** ggml's ternary formats. Block layouts: ggml-common.h (block_tq1_0, block_tq2_0). */
import { copyBytes, crumbsFromNatural, crumbsToNatural } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';

const POWERS_OF_3 = Uint8Array.of(1, 3, 9, 27, 81);

/**
 * Ternary digit n (0 the most significant) of a byte that is a fraction of 256, rounded up: 0, 1 or 2. Multiplying by
 * 3^n and dropping what is above the byte moves the digit to the front; times 3, it is what overflows.
 */
function ternaryDigit(byte: number, n: number): number {
  return (((byte * POWERS_OF_3[n]) & 255) * 3) >> 8;
}

/** The first `digits` digits of `byteCount` bytes as weights: digit 0 of all of them, then digit 1, … */
function decodeDigits(
  src: Uint8Array, at: number, byteCount: number, digits: number, d: number, out: Float32Array, outIndex: number,
): void {
  for (let n = 0; n < digits; n++) {
    for (let l = 0; l < byteCount; l++) {
      out[outIndex + n * byteCount + l] = (ternaryDigit(src[at + l], n) - 1) * d;
    }
  }
}

/**
 * Block in the file: 32 and 16 bytes of five ternary digits, 4 bytes of four, f16 d. Value (digit − 1)·d. Not every byte
 * comes from five digits, so the packed planes keep the bytes: each group of 16 weights is one digit of 16 bytes, the
 * last group four digits of 4.
 */
export const tq1_0: WeightFormat = {
  name: 'TQ1_0',
  ggmlType: 34,
  blockElems: 256,
  blockByteLength: 54,
  planes: [
    { name: 'fives', blockByteLength: 48 },
    { name: 'fours', blockByteLength: 4 },
    { name: 'scales', blockByteLength: 2 },
  ],
  multiByteFields: [{ byteOffset: 52, byteLength: 2 }],
  shader: 'tq1_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at + 52);
    decodeDigits(src, at, 32, 5, d, out, outIndex);
    decodeDigits(src, at + 32, 16, 5, d, out, outIndex + 160);
    decodeDigits(src, at + 48, 4, 4, d, out, outIndex + 240);
  },
  packBlock(src, at, planes, block) {
    copyBytes(src, at, 48, planes[0], block * 48);
    copyBytes(src, at + 48, 4, planes[1], block * 4);
    copyBytes(src, at + 52, 2, planes[2], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 48, 48, dst, at);
    copyBytes(planes[1], block * 4, 4, dst, at + 48);
    copyBytes(planes[2], block * 2, 2, dst, at + 52);
  },
};

/** Block in the file: 64 bytes of 2-bit codes in Q2_K's order, f16 d. Value (q − 1)·d; ggml writes no code 3. */
export const tq2_0: WeightFormat = {
  name: 'TQ2_0',
  ggmlType: 35,
  blockElems: 256,
  blockByteLength: 66,
  planes: [{ name: 'codes', blockByteLength: 64 }, { name: 'scales', blockByteLength: 2 }],
  multiByteFields: [{ byteOffset: 64, byteLength: 2 }],
  shader: 'tq2_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at + 64);
    for (let j = 0; j < 256; j++) {
      const byte = src[at + ((j >> 7) << 5) + (j & 31)];
      out[outIndex + j] = (((byte >> (2 * ((j >> 5) & 3))) & 3) - 1) * d;
    }
  },
  packBlock(src, at, planes, block) {
    crumbsToNatural(src, at, planes[0], block * 64);
    crumbsToNatural(src, at + 32, planes[0], block * 64 + 32);
    copyBytes(src, at + 64, 2, planes[1], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    crumbsFromNatural(planes[0], block * 64, dst, at);
    crumbsFromNatural(planes[0], block * 64 + 32, dst, at + 32);
    copyBytes(planes[1], block * 2, 2, dst, at + 64);
  },
};
