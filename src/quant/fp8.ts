/**
 * 8-bit floats with an f32 scale for each block: our own file layout of what safetensors keeps as a matrix of codes
 * beside a matrix of scales (DeepSeek's weight_scale_inv, compressed-tensors' weight_scale). Value: f32(code · scale),
 * NaN where the code or the scale is. The scale lies in every block, though a checkpoint has one for 128 × 128 weights
 * or for a row, so that a run of rows needs nothing else; that is 0.25 bits a weight, or 1 in the small blocks, which
 * only rows or scales need that are no multiple of 128.
 */
import { copyBytes } from './bit_order.ts';
import { f32FromBits } from './float.ts';
import { e4m3Value, e5m2Value } from './float8.ts';
import type { WeightFormat, WeightFormatName } from './formats.ts';

function readF32(src: Uint8Array, at: number): number {
  return f32FromBits(src[at] | (src[at + 1] << 8) | (src[at + 2] << 16) | (src[at + 3] << 24));
}

/** Block in the file: the codes, then the f32 scale. */
function fp8(name: WeightFormatName, shader: string, blockElems: number, valueOf: (byte: number) => number): WeightFormat {
  return {
    name, ggmlType: null, blockElems, shader,
    blockByteLength: blockElems + 4,
    planes: [{ name: 'codes', blockByteLength: blockElems }, { name: 'scales', blockByteLength: 4 }],
    multiByteFields: [{ byteOffset: blockElems, byteLength: 4 }],
    decodeBlock(src, at, out, outIndex) {
      const scale = readF32(src, at + blockElems);
      for (let j = 0; j < blockElems; j++) out[outIndex + j] = valueOf(src[at + j]) * scale;
    },
    packBlock(src, at, planes, block) {
      planes[0].set(src.subarray(at, at + blockElems), block * blockElems);
      copyBytes(src, at + blockElems, 4, planes[1], block * 4);
    },
    unpackBlock(planes, block, dst, at) {
      dst.set(planes[0].subarray(block * blockElems, (block + 1) * blockElems), at);
      copyBytes(planes[1], block * 4, 4, dst, at + blockElems);
    },
  };
}

export const f8_e4m3 = fp8('F8_E4M3', 'f8_e4m3', 128, e4m3Value);
export const f8_e4m3_32 = fp8('F8_E4M3_32', 'f8_e4m3_32', 32, e4m3Value);
export const f8_e5m2 = fp8('F8_E5M2', 'f8_e5m2', 128, e5m2Value);
export const f8_e5m2_32 = fp8('F8_E5M2_32', 'f8_e5m2_32', 32, e5m2Value);
