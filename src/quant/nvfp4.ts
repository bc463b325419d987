/**
 * NVFP4 as GGUF stores it (ggml type 40), 4.5 bits a weight: E2M1 codes, one unsigned E4M3 scale per 16 weights, and
 * one f32 factor for the whole tensor, which lies outside the blocks. Value: f32(code · scale) · tensor scale.
 */
import { copyBytes, nibblesFromNatural, nibblesToNatural } from './bit_order.ts';
import type { WeightFormat } from './formats.ts';
import { E2M1_VALUES } from './mxfp4.ts';

const SUB_BLOCKS = 4;
const SUB_BLOCK_ELEMS = 16;

/** ggml's unsigned E4M3: bias 7, the sign bit is ignored; 0x7f is zero, not NaN (but 0xff is 480). */
const UE4M3_VALUES = Float32Array.from({ length: 256 }, (_, byte) => {
  const exponent = (byte >> 3) & 15;
  const fraction = byte & 7;
  if (byte === 0x7f) return 0;
  return exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10);
});

/**
 * Block in the file: 4 scale bytes, then for each 16 weights 8 bytes with weights 0…7 in the low and 8…15 in the high
 * nibbles.
 */
export const nvfp4: WeightFormat = {
  name: 'NVFP4',
  ggmlType: 40,
  blockElems: SUB_BLOCKS * SUB_BLOCK_ELEMS,
  blockByteLength: 36,
  planes: [{ name: 'codes', blockByteLength: 32 }, { name: 'scales', blockByteLength: 4 }],
  multiByteFields: [],
  constants: { kind: 'tensor scale' },
  shader: 'nvfp4',
  decodeBlock(src, at, out, outIndex) {
    for (let s = 0; s < SUB_BLOCKS; s++) {
      const scale = UE4M3_VALUES[src[at + s]];
      const first = outIndex + SUB_BLOCK_ELEMS * s;
      for (let j = 0; j < 8; j++) {
        const byte = src[at + SUB_BLOCKS + 8 * s + j];
        out[first + j] = E2M1_VALUES[byte & 15] * scale;
        out[first + j + 8] = E2M1_VALUES[byte >> 4] * scale;
      }
    }
  },
  packBlock(src, at, planes, block) {
    for (let s = 0; s < SUB_BLOCKS; s++) {
      nibblesToNatural(src, at + SUB_BLOCKS + 8 * s, 8, planes[0], block * 32 + 8 * s);
    }
    copyBytes(src, at, SUB_BLOCKS, planes[1], block * SUB_BLOCKS);
  },
  unpackBlock(planes, block, dst, at) {
    for (let s = 0; s < SUB_BLOCKS; s++) {
      nibblesFromNatural(planes[0], block * 32 + 8 * s, 8, dst, at + SUB_BLOCKS + 8 * s);
    }
    copyBytes(planes[1], block * SUB_BLOCKS, SUB_BLOCKS, dst, at);
  },
};
