/**
 * Weights written the ways quantising libraries write them, with the values that those libraries' formulas give: computed
 * from the codes and scales while they are chosen, apart from the code that reads such files.
 */
import { f16ToF32, f32ToBf16, f32ToF16, f32FromBits } from '../../src/quant/float.ts';
import type { SafetensorsTensor } from './safetensors_writer.ts';

export interface Quantised {
  readonly tensors: readonly SafetensorsTensor[];
  /** What the stored weights stand for, [.., rows, cols] as given. */
  readonly values: Float32Array;
}

export interface Matrix {
  /** '….weight', or the name of stacked experts. */
  readonly name: string;
  /** [rows, cols] or [expert, rows, cols]. */
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const elements = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
const sizes = ({ shape }: Matrix) => ({ rows: elements(shape.slice(0, -1)), cols: shape[shape.length - 1] });

export const floats = (name: string, shape: readonly number[], values: ArrayLike<number>): SafetensorsTensor =>
  ({ name, dtype: 'F32', shape, data: bytesOf(Float32Array.from(values)) });
export const words = (name: string, shape: readonly number[], values: Uint32Array): SafetensorsTensor =>
  ({ name, dtype: 'I32', shape, data: bytesOf(values) });
export const bytes = (name: string, dtype: string, shape: readonly number[], data: Uint8Array): SafetensorsTensor =>
  ({ name, dtype, shape, data });

/** Scales in one of three dtypes, and the values that are left of them. */
export function scaleTensor(name: string, dtype: 'F32' | 'F16' | 'BF16', shape: readonly number[], wanted: ArrayLike<number>) {
  if (dtype === 'F32') return { tensor: floats(name, shape, wanted), values: Float32Array.from(wanted) };
  const half = Uint16Array.from(wanted, dtype === 'F16' ? f32ToF16 : f32ToBf16);
  const values = Float32Array.from(half, (bits) => (dtype === 'F16' ? f16ToF32(bits) : f32FromBits(bits << 16)));
  return { tensor: { name, dtype, shape, data: bytesOf(half) }, values };
}

/** OCP FP8: sign · 2^(e − bias) · (1 + m / 2^mantissaBits), subnormals without the 1. */
export function fp8Value(byte: number, dtype: string): number {
  const [mantissaBits, bias] = dtype === 'F8_E4M3' ? [3, 7] : [2, 15];
  const exponent = (byte & 127) >> mantissaBits;
  const fraction = (byte & (2 ** mantissaBits - 1)) / 2 ** mantissaBits;
  if (dtype === 'F8_E4M3' && (byte & 127) === 127) return NaN;
  if (dtype === 'F8_E5M2' && exponent === 31) return fraction > 0 ? NaN : byte > 127 ? -Infinity : Infinity;
  const magnitude = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  return byte > 127 ? -magnitude : magnitude;
}

const FP4_LEVELS = [0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6];

function nearest(levels: readonly number[], x: number): number {
  let best = 0;
  levels.forEach((level, code) => {
    if (Math.abs(level - x) < Math.abs(levels[best] - x)) best = code;
  });
  return best;
}

function largest(values: Float32Array, rowBegin: number, rowEnd: number, cols: number, colBegin: number, colEnd: number): number {
  let most = 0;
  for (let row = rowBegin; row < rowEnd; row++) {
    for (let col = colBegin; col < colEnd; col++) most = Math.max(most, Math.abs(values[row * cols + col]));
  }
  return most;
}

export interface Fp8Options {
  readonly dtype?: 'F8_E4M3' | 'F8_E5M2';
  /** Rows and columns under one scale. */
  readonly tile: readonly [number, number];
  readonly suffix?: string;
  readonly scaleDtype?: 'F32' | 'BF16';
  /** Shape of the scale tensor; by default its grid. */
  readonly scaleShape?: readonly number[];
}

/** One matrix; value = code · scale. */
export function fp8(m: Matrix, { dtype = 'F8_E4M3', tile, suffix = '_scale_inv', scaleDtype = 'F32', scaleShape }: Fp8Options): Quantised {
  const { rows, cols } = sizes(m);
  const [tileRows, tileCols] = tile;
  const grid = [Math.ceil(rows / tileRows), Math.ceil(cols / tileCols)];
  const levels = Array.from({ length: 256 }, (_, byte) => fp8Value(byte, dtype)).map((v) => (Number.isFinite(v) ? v : 1e9));
  const wanted = Array.from({ length: grid[0] * grid[1] }, (_, i) => {
    const row = Math.floor(i / grid[1]) * tileRows;
    const col = (i % grid[1]) * tileCols;
    return largest(m.values, row, Math.min(rows, row + tileRows), cols, col, Math.min(cols, col + tileCols)) / 100 || 1;
  });
  const scales = scaleTensor(m.name + suffix, scaleDtype, scaleShape ?? grid, wanted);
  const codes = new Uint8Array(rows * cols);
  const values = m.values.map((x, i) => {
    const scale = scales.values[Math.floor(i / cols / tileRows) * grid[1] + Math.floor((i % cols) / tileCols)];
    codes[i] = nearest(levels, x / scale);
    return fp8Value(codes[i], dtype) * scale;
  });
  return { tensors: [bytes(m.name, dtype, m.shape, codes), scales.tensor], values };
}

/** Codes of E2M1, two a byte, low nibble first. */
function fp4Bytes(codes: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: codes.length / 2 }, (_, i) => codes[2 * i] | (codes[2 * i + 1] << 4));
}

/** value = code · 2^(e − 127), e for each 32. */
export function mxfp4(m: Matrix, form: 'gpt-oss' | 'compressed-tensors'): Quantised {
  const { cols } = sizes(m);
  const exponents = new Uint8Array(m.values.length / 32);
  for (let b = 0; b < exponents.length; b++) {
    exponents[b] = Math.floor(Math.log2(largest(m.values, b, b + 1, 32, 0, 32) || 1)) - 2 + 127;
  }
  const codes = new Uint8Array(m.values.length);
  const values = m.values.map((x, i) => {
    const scale = 2 ** (exponents[i >> 5] - 127);
    codes[i] = nearest(FP4_LEVELS, x / scale);
    return FP4_LEVELS[codes[i]] * scale;
  });
  const lead = m.shape.slice(0, -1);
  return {
    values,
    tensors: form === 'gpt-oss'
      ? [bytes(`${m.name}_blocks`, 'U8', [...lead, cols / 32, 16], fp4Bytes(codes)), bytes(`${m.name}_scales`, 'U8', [...lead, cols / 32], exponents)]
      : [bytes(`${m.name}_packed`, 'U8', [...lead, cols / 2], fp4Bytes(codes)), bytes(`${m.name}_scale`, 'U8', [...lead, cols / 32], exponents)],
  };
}

/** value = (code · scale) · factor; an E4M3 scale for each 16, a factor for the tensor or for each stacked matrix. */
export function nvfp4(m: Matrix, form: 'modelopt' | 'compressed-tensors'): Quantised {
  const { cols } = sizes(m);
  const stacked = m.shape.length === 3 ? m.shape[0] : 1;
  const perMatrix = m.values.length / stacked;
  // compressed-tensors stores reciprocals: powers of two keep them exact.
  const factors = Float32Array.from({ length: stacked }, (_, e) => (form === 'modelopt' ? 0.0013 * (e + 1) : 2 ** -(e + 9)));
  const positive = Array.from({ length: 127 }, (_, byte) => fp8Value(byte, 'F8_E4M3'));
  const scaleBytes = Uint8Array.from({ length: m.values.length / 16 }, (_, b) =>
    nearest(positive, largest(m.values, b, b + 1, 16, 0, 16) / 6 / factors[Math.floor(b * 16 / perMatrix)]));
  const codes = new Uint8Array(m.values.length);
  const values = m.values.map((x, i) => {
    const scale = positive[scaleBytes[i >> 4]];
    const factor = factors[Math.floor(i / perMatrix)];
    codes[i] = scale === 0 ? 0 : nearest(FP4_LEVELS, x / scale / factor);
    return FP4_LEVELS[codes[i]] * scale * factor;
  });
  const lead = m.shape.slice(0, -1);
  const scaleName = m.name.endsWith('weight') ? `${m.name}_scale` : `${m.name}_weight_scale`;
  const scales = bytes(scaleName, 'F8_E4M3', [...lead, cols / 16], scaleBytes);
  const factorShape = stacked > 1 ? [stacked] : form === 'modelopt' ? [] : [1];
  return {
    values,
    tensors: form === 'modelopt'
      ? [bytes(m.name, 'U8', [...lead, cols / 2], fp4Bytes(codes)), scales, floats(`${scaleName}_2`, factorShape, factors)]
      : [bytes(`${m.name}_packed`, 'U8', [...lead, cols / 2], fp4Bytes(codes)), scales, floats(`${m.name}_global_scale`, factorShape, factors.map((f) => 1 / f))],
  };
}

interface Int4Codes {
  /** [rows, cols], 0…15 */
  readonly codes: Uint8Array;
  /** [rows, groups] */
  readonly scales: Float32Array;
  readonly zeros: Uint8Array;
  readonly groups: number;
}

/** Codes around a zero point for each group of columns; scales that fit f16 and bf16. */
function int4Codes(m: Matrix, groupSize: number, symmetric: boolean): Int4Codes & { readonly values: Float32Array } {
  const { rows, cols } = sizes(m);
  const groups = Math.ceil(cols / groupSize);
  const scales = new Float32Array(rows * groups);
  const zeros = new Uint8Array(rows * groups);
  for (let i = 0; i < scales.length; i++) {
    const row = Math.floor(i / groups);
    const begin = (i % groups) * groupSize;
    const exact = largest(m.values, row, row + 1, cols, begin, Math.min(cols, begin + groupSize)) / 7 || 1;
    scales[i] = f32FromBits(f32ToBf16(exact) << 16);
    zeros[i] = symmetric ? 8 : 6 + ((row + i) % 4);
  }
  const codes = new Uint8Array(rows * cols);
  const values = m.values.map((x, i) => {
    const group = Math.floor(i / cols) * groups + Math.floor((i % cols) / groupSize);
    codes[i] = Math.min(15, Math.max(0, Math.round(x / scales[group]) + zeros[group]));
    return (codes[i] - zeros[group]) * scales[group];
  });
  return { codes, scales, zeros, groups, values };
}

/** Eight nibbles a word along the last axis; order[j] is the nibble of element j. */
function packWords(nibbles: Uint8Array, order: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7]): Uint32Array {
  const packed = new Uint32Array(nibbles.length / 8);
  nibbles.forEach((value, i) => { packed[i >> 3] |= value << (4 * order[i & 7]); });
  return packed;
}

function transposed(values: Uint8Array, rows: number, cols: number): Uint8Array {
  return Uint8Array.from({ length: values.length }, (_, i) => values[(i % rows) * cols + Math.floor(i / rows)]);
}

const base = (name: string): string => name.slice(0, -'.weight'.length);
const AWQ_ORDER = [0, 4, 1, 5, 2, 6, 3, 7];

/** Scales [groups, rows] and words of zero points [groups, rows / 8]. */
function columnParts(m: Matrix, q: Int4Codes, zeros: Uint8Array, order?: readonly number[]): SafetensorsTensor[] {
  const { rows } = sizes(m);
  const flipped = Array.from({ length: q.scales.length }, (_, i) => q.scales[(i % rows) * q.groups + Math.floor(i / rows)]);
  return [
    scaleTensor(`${base(m.name)}.scales`, 'F16', [q.groups, rows], flipped).tensor,
    words(`${base(m.name)}.qzeros`, [q.groups, rows / 8], packWords(transposed(zeros, rows, q.groups), order)),
  ];
}

/** Words of eight inputs each, [cols / 8, rows]. */
export function gptq(m: Matrix, groupSize: number, version: 1 | 2, symmetric: boolean): Quantised {
  const { rows, cols } = sizes(m);
  const q = int4Codes(m, groupSize, symmetric);
  const wordsByRow = packWords(q.codes);
  const flipped = Uint32Array.from({ length: wordsByRow.length }, (_, i) => wordsByRow[(i % rows) * (cols / 8) + Math.floor(i / rows)]);
  const order = Uint32Array.from({ length: cols }, (_, i) => Math.floor(i / groupSize));
  return {
    values: q.values,
    tensors: [
      words(`${base(m.name)}.qweight`, [cols / 8, rows], flipped), words(`${base(m.name)}.g_idx`, [cols], order),
      ...columnParts(m, q, version === 1 ? q.zeros.map((z) => z - 1) : q.zeros),
    ],
  };
}

/** Words of eight outputs each, [cols, rows / 8]. */
export function awq(m: Matrix, groupSize: number): Quantised {
  const { rows, cols } = sizes(m);
  const q = int4Codes(m, groupSize, false);
  return {
    values: q.values,
    tensors: [
      words(`${base(m.name)}.qweight`, [cols, rows / 8], packWords(transposed(q.codes, rows, cols), AWQ_ORDER)),
      ...columnParts(m, q, q.zeros, AWQ_ORDER),
    ],
  };
}

/** compressed-tensors' pack-quantized. */
export function packedInt4(m: Matrix, groupSize: number, symmetric: boolean): Quantised {
  const { rows, cols } = sizes(m);
  const q = int4Codes(m, groupSize, symmetric);
  const zeroRows = Math.ceil(rows / 8);
  const zeroWords = new Uint32Array(zeroRows * q.groups);
  q.zeros.forEach((zero, i) => {
    const row = Math.floor(i / q.groups);
    zeroWords[(row >> 3) * q.groups + (i % q.groups)] |= zero << (4 * (row & 7));
  });
  return {
    values: q.values,
    tensors: [
      words(`${m.name}_packed`, [rows, cols / 8], packWords(q.codes)),
      scaleTensor(`${m.name}_scale`, 'BF16', [rows, q.groups], q.scales).tensor,
      bytes(`${m.name}_shape`, 'I64', [2], new Uint8Array(new BigInt64Array([BigInt(rows), BigInt(cols)]).buffer)),
      ...(symmetric ? [] : [words(`${m.name}_zero_point`, [zeroRows, q.groups], zeroWords)]),
    ],
  };
}
