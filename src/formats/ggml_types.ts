/** The tensor types of ggml: what a GGUF file may name, whether we decode it or not. */
import { WEIGHT_FORMATS, type WeightFormat } from '../quant/formats.ts';

interface GgmlType {
  readonly name: string;
  /** Bytes of one block of `blockElems` values. */
  readonly blockByteLength: number;
  readonly blockElems: number;
}

const type = (name: string, blockByteLength: number, blockElems: number): GgmlType => ({ name, blockByteLength, blockElems });

/** By type id, as in ggml.h. Ids that ggml has retired are not listed. */
export const GGML_TYPES: ReadonlyMap<number, GgmlType> = new Map([
  [0, type('F32', 4, 1)], [1, type('F16', 2, 1)], [2, type('Q4_0', 18, 32)], [3, type('Q4_1', 20, 32)],
  [6, type('Q5_0', 22, 32)], [7, type('Q5_1', 24, 32)], [8, type('Q8_0', 34, 32)], [9, type('Q8_1', 36, 32)],
  [10, type('Q2_K', 84, 256)], [11, type('Q3_K', 110, 256)], [12, type('Q4_K', 144, 256)],
  [13, type('Q5_K', 176, 256)], [14, type('Q6_K', 210, 256)], [15, type('Q8_K', 292, 256)],
  [16, type('IQ2_XXS', 66, 256)], [17, type('IQ2_XS', 74, 256)], [18, type('IQ3_XXS', 98, 256)],
  [19, type('IQ1_S', 50, 256)], [20, type('IQ4_NL', 18, 32)], [21, type('IQ3_S', 110, 256)],
  [22, type('IQ2_S', 82, 256)], [23, type('IQ4_XS', 136, 256)], [24, type('I8', 1, 1)], [25, type('I16', 2, 1)],
  [26, type('I32', 4, 1)], [27, type('I64', 8, 1)], [28, type('F64', 8, 1)], [29, type('IQ1_M', 56, 256)],
  [30, type('BF16', 2, 1)], [34, type('TQ1_0', 54, 256)], [35, type('TQ2_0', 66, 256)], [39, type('MXFP4', 17, 32)],
  [40, type('NVFP4', 36, 64)], [41, type('Q1_0', 18, 128)], [42, type('Q2_0', 18, 64)],
]);

/** Ids of types that ggml has removed; old files may name them. */
export const RETIRED_GGML_TYPES: ReadonlyMap<number, string> = new Map([
  [4, 'Q4_2'], [5, 'Q4_3'], [31, 'Q4_0_4_4'], [32, 'Q4_0_4_8'], [33, 'Q4_0_8_8'], [36, 'IQ4_NL_4_4'],
  [37, 'IQ4_NL_4_8'], [38, 'IQ4_NL_8_8'],
]);

const FORMAT_BY_GGML_TYPE: ReadonlyMap<number, WeightFormat> = new Map(
  Object.values(WEIGHT_FORMATS).flatMap((format) => (format.ggmlType === null ? [] : [[format.ggmlType, format] as const])),
);

/** Our format for a ggml type id; undefined where we have no decoder. */
export function formatOfGgmlType(id: number): WeightFormat | undefined {
  return FORMAT_BY_GGML_TYPE.get(id);
}

/** 'F32, F16, …': the formats that a GGUF file may use, for messages. */
export const SUPPORTED_GGML_TYPES: string = [...FORMAT_BY_GGML_TYPE.values()].map((format) => format.name).join(', ');
