/**
 * ggml's formats of one and two bits with one f16 scale a block; codes are stored in natural order. Block layouts:
 * ggml-common.h (block_q1_0, block_q2_0). Forks use the same type ids for other block sizes.
 */
import { copyBytes } from './bit_order.ts';
import { readF16 } from './float.ts';
import type { WeightFormat } from './formats.ts';

/** Both have blocks of f16 d and 16 code bytes. */
const small = {
  blockByteLength: 18,
  planes: [{ name: 'codes', blockByteLength: 16 }, { name: 'scales', blockByteLength: 2 }],
  multiByteFields: [{ byteOffset: 0, byteLength: 2 }],
  packBlock(src, at, planes, block) {
    copyBytes(src, at + 2, 16, planes[0], block * 16);
    copyBytes(src, at, 2, planes[1], block * 2);
  },
  unpackBlock(planes, block, dst, at) {
    copyBytes(planes[0], block * 16, 16, dst, at + 2);
    copyBytes(planes[1], block * 2, 2, dst, at);
  },
} satisfies Partial<WeightFormat>;

/** Weight j is bit j % 8 of code byte j >> 3: value d where it is set, −d where not. */
export const q1_0: WeightFormat = {
  ...small,
  name: 'Q1_0',
  ggmlType: 41,
  blockElems: 128,
  shader: 'q1_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let j = 0; j < 128; j++) out[outIndex + j] = (src[at + 2 + (j >> 3)] >> (j & 7)) & 1 ? d : -d;
  },
};

/** Weight j is bits 2·(j % 4) of code byte j >> 2: value (q − 1)·d. */
export const q2_0: WeightFormat = {
  ...small,
  name: 'Q2_0',
  ggmlType: 42,
  blockElems: 64,
  shader: 'q2_0',
  decodeBlock(src, at, out, outIndex) {
    const d = readF16(src, at);
    for (let j = 0; j < 64; j++) {
      out[outIndex + j] = (((src[at + 2 + (j >> 2)] >> (2 * (j & 3))) & 3) - 1) * d;
    }
  },
};
