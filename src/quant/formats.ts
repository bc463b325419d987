/**
 * The one table of weight formats. A format is one entry here, one scalar decoder file beside it and one
 * shader in `shaders/quant/`. Nothing else in the project switches on a format's name.
 *
 * Two byte layouts exist for each format:
 *  - *file layout*: blocks exactly as GGUF or safetensors store them, row after row;
 *  - *packed layout*: the same bits moved (losslessly) into word-aligned planes, so that a kernel loads whole
 *    32-bit words. Plane p of a matrix holds `planes[p].blockByteLength` bytes for each block, in block order
 *    (block index = row * blocksPerRow + block in row).
 */
import { w2 } from './w2.ts';
import { bf16, f16, f32 } from './float.ts';
import { mxfp4 } from './mxfp4.ts';
import { q4_0, q4_1, q5_0, q5_1, q8_0 } from './q_legacy.ts';
import { q2_k, q4_k, q6_k } from './k_quants.ts';
import { q3_k, q5_k } from './k_quants_high_bit.ts';
import { iq4_nl, iq4_xs } from './iq4.ts';
import { tq1_0, tq2_0 } from './ternary.ts';
import { q1_0, q2_0 } from './q_small.ts';
import { w3 } from './w3.ts';
import { iq1_m, iq1_s } from './iq1.ts';
import { iq2_s, iq2_xs, iq2_xxs } from './iq2.ts';
import { iq3_s, iq3_xxs } from './iq3.ts';
import { f8_e4m3, f8_e4m3_32, f8_e5m2, f8_e5m2_32 } from './fp8.ts';
import { int4, int4_32 } from './int4.ts';
import { nvfp4 } from './nvfp4.ts';

export interface PlaneSpec {
  /** What the plane holds, for error messages and debugging: 'codes', 'scales', … */
  readonly name: string;
  /** Bytes that one block contributes to this plane. */
  readonly blockByteLength: number;
}

export interface WeightFormat {
  /** Name as shown to people, as in GGUF: 'Q4_K'. */
  readonly name: WeightFormatName;
  /** ggml type id in GGUF files; null where GGUF has none (W2, W3). */
  readonly ggmlType: number | null;
  /** Weights in one block. */
  readonly blockElems: number;
  /** Bytes of one block in the file layout. */
  readonly blockByteLength: number;
  /**
   * Planes of the packed layout; their blockByteLength sum up to the file's blockByteLength. At most four, with the
   * constants.
   */
  readonly planes: readonly PlaneSpec[];
  /** Fields of a block that span bytes: what has to be swapped in a big-endian file. */
  readonly multiByteFields: readonly { readonly byteOffset: number; readonly byteLength: 2 | 4 }[];
  /**
   * What the packed layout has once a matrix, after its planes, for formats whose values aren't in their blocks alone:
   * a codebook (the same bytes in every matrix, kept beside the codes because a shader reads a storage buffer faster
   * than it indexes a constant array), or the f32 scale of the whole tensor.
   */
  readonly constants?: { readonly kind: 'codebook'; readonly bytes: Uint8Array } | { readonly kind: 'tensor scale' };
  /** Module in shaders/quant/ that decodes the packed layout: 'q4_k'. */
  readonly shader: string;
  /**
   * Decodes one block in file layout to `blockElems` f32 values. The scalar reference of the format; a tensor's scale
   * is applied by whoever knows it.
   */
  decodeBlock(src: Uint8Array, srcByteOffset: number, out: Float32Array, outIndex: number): void;
  /** Moves one block from the file layout into the planes (planes[p] is plane p's bytes, block 0 at byte 0). */
  packBlock(src: Uint8Array, srcByteOffset: number, planes: readonly Uint8Array[], blockIndex: number): void;
  /** Exact inverse of packBlock. */
  unpackBlock(planes: readonly Uint8Array[], blockIndex: number, dst: Uint8Array, dstByteOffset: number): void;
  /** Encodes `blockElems` values into one block of the file layout, where we have an encoder. */
  encodeBlock?(x: Float32Array, xIndex: number, dst: Uint8Array, dstByteOffset: number): void;
  /** The same for `blocks` blocks that follow each other, where that is much faster than one by one. */
  decodeBlocks?(src: Uint8Array, srcByteOffset: number, blocks: number, out: Float32Array, outIndex: number): void;
  encodeBlocks?(x: Float32Array, xIndex: number, blocks: number, dst: Uint8Array, dstByteOffset: number): void;
}

export type WeightFormatName =
  'F32' | 'F16' | 'BF16' | 'Q8_0' | 'Q4_0' | 'Q4_K' | 'Q6_K' | 'Q2_K' | 'MXFP4' | 'W2'
  | 'Q4_1' | 'Q5_0' | 'Q5_1' | 'Q3_K' | 'Q5_K' | 'IQ4_NL' | 'IQ4_XS' | 'TQ1_0' | 'TQ2_0' | 'Q1_0' | 'Q2_0' | 'W3'
  | 'IQ1_S' | 'IQ1_M' | 'IQ2_XXS' | 'IQ2_XS' | 'IQ2_S' | 'IQ3_XXS' | 'IQ3_S'
  | 'NVFP4' | 'F8_E4M3' | 'F8_E4M3_32' | 'F8_E5M2' | 'F8_E5M2_32' | 'INT4' | 'INT4_32';

export const WEIGHT_FORMATS: Readonly<Record<WeightFormatName, WeightFormat>> = {
  F32: f32, F16: f16, BF16: bf16, Q8_0: q8_0, Q4_0: q4_0, Q4_K: q4_k, Q6_K: q6_k, Q2_K: q2_k, MXFP4: mxfp4, W2: w2,
  Q4_1: q4_1, Q5_0: q5_0, Q5_1: q5_1, Q3_K: q3_k, Q5_K: q5_k, IQ4_NL: iq4_nl, IQ4_XS: iq4_xs, TQ1_0: tq1_0, TQ2_0: tq2_0,
  Q1_0: q1_0, Q2_0: q2_0, W3: w3,
  IQ1_S: iq1_s, IQ1_M: iq1_m, IQ2_XXS: iq2_xxs, IQ2_XS: iq2_xs, IQ2_S: iq2_s, IQ3_XXS: iq3_xxs, IQ3_S: iq3_s,
  NVFP4: nvfp4, F8_E4M3: f8_e4m3, F8_E4M3_32: f8_e4m3_32, F8_E5M2: f8_e5m2, F8_E5M2_32: f8_e5m2_32,
  INT4: int4, INT4_32: int4_32,
};
