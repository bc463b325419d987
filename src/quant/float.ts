/** Unquantised formats (one weight a block) and the half-precision conversions that the block formats share. */
import { copyBytes } from './bit_order.ts';
import type { WeightFormat, WeightFormatName } from './formats.ts';

// One reinterpretation cell for the whole module: nothing is kept in it between calls.
const cellBits = new Uint32Array(1);
const cellFloat = new Float32Array(cellBits.buffer);

/** The f32 value with these bits. */
export function f32FromBits(bits: number): number {
  cellBits[0] = bits;
  return cellFloat[0];
}

/** Bits of x rounded to f32 (nearest, ties to even). */
export function f32ToBits(x: number): number {
  cellFloat[0] = x;
  return cellBits[0];
}

/** All 65,536 IEEE 754 binary16 values: decoding a block's scale is then one load. */
const F16_VALUES = Float32Array.from({ length: 0x10000 }, (_, bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
});

/** The value of 16 bits of IEEE 754 binary16; exact. */
export function f16ToF32(bits: number): number {
  return F16_VALUES[bits & 0xffff];
}

/** The little-endian binary16 value at a byte offset. */
export function readF16(src: Uint8Array, byteOffset: number): number {
  return F16_VALUES[src[byteOffset] | (src[byteOffset + 1] << 8)];
}

/** Stores x as binary16, rounded to nearest even. */
export function writeF16(dst: Uint8Array, byteOffset: number, x: number): void {
  const bits = f32ToF16(x);
  dst[byteOffset] = bits & 0xff;
  dst[byteOffset + 1] = bits >> 8;
}

/** x (taken as f32) to binary16 bits, nearest with ties to even; overflow gives infinity, NaN a quiet NaN. */
export function f32ToF16(x: number): number {
  const bits = f32ToBits(x);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65520 and above round to infinity
  if (magnitude < 0x38800000) {
    // Below 2^-14 the result is subnormal: a multiple of 2^-24.
    return sign | roundHalfEven(Math.abs(f32FromBits(bits)) * 2 ** 24);
  }
  const rebiased = magnitude - (112 << 23);
  return sign | ((rebiased + 0xfff + ((rebiased >> 13) & 1)) >> 13);
}

/** x (taken as f32) to bfloat16 bits, nearest with ties to even; NaN stays a (quiet) NaN. */
export function f32ToBf16(x: number): number {
  const bits = f32ToBits(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

const E8M0_VALUES = Float64Array.from({ length: 256 }, (_, e) => (e === 255 ? NaN : 2 ** (e - 127)));

/** The value of an E8M0 byte, the scale of the microscaling formats: 2^(e − 127); 255 is NaN. */
export function e8m0Value(e: number): number {
  return E8M0_VALUES[e];
}

function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

type FloatCodec = Pick<WeightFormat, 'decodeBlock' | 'encodeBlock' | 'decodeBlocks'>;

/** A format of one weight a block: the packed layout is the file layout. */
function floatFormat(name: WeightFormatName, ggmlType: number, byteLength: 2 | 4, codec: FloatCodec): WeightFormat {
  return {
    name,
    ggmlType,
    blockElems: 1,
    blockByteLength: byteLength,
    planes: [{ name: 'codes', blockByteLength: byteLength }],
    multiByteFields: [{ byteOffset: 0, byteLength }],
    shader: name.toLowerCase(),
    packBlock(src, srcByteOffset, planes, blockIndex) {
      copyBytes(src, srcByteOffset, byteLength, planes[0], blockIndex * byteLength);
    },
    unpackBlock(planes, blockIndex, dst, dstByteOffset) {
      copyBytes(planes[0], blockIndex * byteLength, byteLength, dst, dstByteOffset);
    },
    ...codec,
  };
}

/** IEEE 754 binary32. */
export const f32: WeightFormat = floatFormat('F32', 0, 4, {
  decodeBlock(src, at, out, outIndex) {
    cellBits[0] = src[at] | (src[at + 1] << 8) | (src[at + 2] << 16) | (src[at + 3] << 24);
    out[outIndex] = cellFloat[0];
  },
  decodeBlocks(src, at, blocks, out, outIndex) {
    const bits = new Int32Array(out.buffer, out.byteOffset + 4 * outIndex, blocks);
    for (let i = 0; i < blocks; i++, at += 4) {
      bits[i] = src[at] | (src[at + 1] << 8) | (src[at + 2] << 16) | (src[at + 3] << 24);
    }
  },
  encodeBlock(x, xIndex, dst, at) {
    const bits = f32ToBits(x[xIndex]);
    dst[at] = bits & 0xff;
    dst[at + 1] = (bits >>> 8) & 0xff;
    dst[at + 2] = (bits >>> 16) & 0xff;
    dst[at + 3] = bits >>> 24;
  },
});

/** IEEE 754 binary16. */
export const f16: WeightFormat = floatFormat('F16', 1, 2, {
  decodeBlock(src, at, out, outIndex) {
    out[outIndex] = F16_VALUES[src[at] | (src[at + 1] << 8)];
  },
  decodeBlocks(src, at, blocks, out, outIndex) {
    for (let i = 0; i < blocks; i++, at += 2) out[outIndex + i] = F16_VALUES[src[at] | (src[at + 1] << 8)];
  },
  encodeBlock(x, xIndex, dst, at) {
    writeF16(dst, at, x[xIndex]);
  },
});

/** bfloat16: the upper half of a binary32. */
export const bf16: WeightFormat = floatFormat('BF16', 30, 2, {
  decodeBlock(src, at, out, outIndex) {
    cellBits[0] = (src[at] << 16) | (src[at + 1] << 24);
    out[outIndex] = cellFloat[0];
  },
  decodeBlocks(src, at, blocks, out, outIndex) {
    const bits = new Int32Array(out.buffer, out.byteOffset + 4 * outIndex, blocks);
    for (let i = 0; i < blocks; i++, at += 2) bits[i] = (src[at] << 16) | (src[at + 1] << 24);
  },
  encodeBlock(x, xIndex, dst, at) {
    const bits = f32ToBf16(x[xIndex]);
    dst[at] = bits & 0xff;
    dst[at + 1] = bits >>> 8;
  },
});
