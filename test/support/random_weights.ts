/** Random weight matrices in every format, with their values by the scalar decoder. */
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { f16ToF32, f32ToF16 } from '../../src/quant/float.ts';
import { packRows } from '../../src/quant/pack.ts';
import { writeIq1mScale } from '../../tools/synthetic/iq1m_scale.ts';

export interface TestMatrix {
  readonly format: WeightFormatName;
  readonly rows: number;
  readonly cols: number;
  readonly file: Uint8Array;
  readonly packed: Uint8Array;
  /** Factor of all weights, in formats that have one; else 1. */
  readonly tensorScale: number;
  /** [rows, cols] by the scalar decoder. */
  readonly values: Float32Array;
}

/** Deterministic uniform numbers in [0, 1): Marsaglia's xorshift32. */
export function randomStream(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Roughly normal values. */
export function randomFloats(length: number, random: () => number): Float32Array {
  return Float32Array.from({ length }, () => random() + random() + random() + random() - 2);
}

/** f16 scales of extreme blocks: zeros, subnormals, the largest finite magnitudes. */
const EXTREME_F16 = [0x0000, 0x8000, 0x0001, 0x83ff, 0x7bff, 0xfbff, 0x0400, 0x3c00];
const EXTREME_CODES = [0x00, 0xff, 0x80, 0x7f, 0x0f, 0xf0];

/** Where a block has its E8M0 exponent. */
const EXPONENT_BYTE: Partial<Record<WeightFormatName, number>> = { W2: 8, MXFP4: 0 };

/** Where a block has its E4M3 scale. */
const E4M3_BYTE: Partial<Record<WeightFormatName, number>> = { W3: 12 };

/** Where the f16 scale is, in formats that have other fields of several bytes too. */
const F16_BYTE: Partial<Record<WeightFormatName, number>> = { Q5_0: 0, IQ4_XS: 0, IQ1_S: 0, IQ2_XXS: 0, IQ2_XS: 0, IQ3_XXS: 0 };

/** Where the f32 scale is. */
const F32_BYTE: Partial<Record<WeightFormatName, number>> = {
  F8_E4M3: 128, F8_E4M3_32: 32, F8_E5M2: 128, F8_E5M2_32: 32, INT4: 0, INT4_32: 0,
};
/** NVFP4's E4M3 scales: zeros, the two NaN bytes, subnormals, the largest. */
const EXTREME_E4M3 = [0x00, 0x80, 0x7f, 0xff, 0x01, 0x87, 0x08, 0x7e];
/** A factor of the whole tensor for formats that have one, unlike that of the next matrix. */
function tensorScaleFor(format: WeightFormatName, file: Uint8Array): number {
  if (WEIGHT_FORMATS[format].constants?.kind !== 'tensor scale') return 1;
  return Math.fround(0.3721 * (1 + file[file.byteLength - 1] / 256));
}

/** Random codes of 8-bit floats without the upper half of the exponents, which has NaN and infinity. */
function tameFloatCodes(format: WeightFormatName, block: Uint8Array): void {
  const codes = format.startsWith('F8_') ? WEIGHT_FORMATS[format].blockElems : format === 'NVFP4' ? 4 : 0;
  for (let i = 0; i < codes; i++) block[i] &= 0xbf;
}

/** Fields of a block that random bytes must not fill: they would be huge or NaN. Everything else is codes. */
function writeScales(
  format: WeightFormatName, block: Uint8Array, pick: (field: number) => { f16: number; exponent: number; e4m3: number },
): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const exponentByte = EXPONENT_BYTE[format];
  if (exponentByte !== undefined) {
    block[exponentByte] = pick(0).exponent;
    return;
  }
  const e4m3Byte = E4M3_BYTE[format];
  if (e4m3Byte !== undefined) {
    block[e4m3Byte] = pick(0).e4m3;
    return;
  }
  if (format === 'IQ1_M') {
    writeIq1mScale(block, 0, pick(0).f16);
    return;
  }
  const f16Byte = F16_BYTE[format];
  if (f16Byte !== undefined) {
    view.setUint16(f16Byte, pick(0).f16, true);
    return;
  }
  const f32Byte = F32_BYTE[format];
  if (f32Byte !== undefined) {
    const zeroPoint = block[f32Byte] % 17;
    view.setFloat32(f32Byte, f16ToF32(pick(0).f16), true);
    if (format.startsWith('INT4')) block[f32Byte] = zeroPoint;
    return;
  }
  const fields = WEIGHT_FORMATS[format].multiByteFields.filter(({ byteLength }) => byteLength === 2);
  fields.forEach(({ byteOffset }, field) => view.setUint16(byteOffset, pick(field).f16, true));
}

/** Blocks in file layout with their values. */
export function matrixFrom(format: WeightFormatName, rows: number, cols: number, file: Uint8Array): TestMatrix {
  const spec = WEIGHT_FORMATS[format];
  const values = new Float32Array(rows * cols);
  for (let block = 0; block < rows * cols / spec.blockElems; block++) {
    spec.decodeBlock(file, block * spec.blockByteLength, values, block * spec.blockElems);
  }
  const tensorScale = tensorScaleFor(format, file);
  return {
    format, rows, cols, file, tensorScale,
    packed: packRows(format, file, rows, cols, tensorScale), values: values.map((v) => v * tensorScale),
  };
}

/** Every block random, with scales of an ordinary size. */
export function randomMatrix(format: WeightFormatName, rows: number, cols: number, random: () => number): TestMatrix {
  const spec = WEIGHT_FORMATS[format];
  const file = new Uint8Array(rows * cols / spec.blockElems * spec.blockByteLength);
  for (let at = 0; at < file.length; at += spec.blockByteLength) {
    const block = file.subarray(at, at + spec.blockByteLength);
    if (spec.blockElems === 1) {
      spec.encodeBlock!(randomFloats(1, random), 0, block, 0);
    } else {
      for (let i = 0; i < block.length; i++) block[i] = Math.floor(random() * 256);
      tameFloatCodes(format, block);
      writeScales(format, block, () => ({
        f16: f32ToF16(0.002 + 0.02 * random()), exponent: 121 + Math.floor(random() * 4), e4m3: 0x20 + Math.floor(random() * 8),
      }));
    }
  }
  return matrixFrom(format, rows, cols, file);
}

/** Blocks with extreme scales and codes: block b takes the b-th combination. */
export function extremeMatrix(format: WeightFormatName, rows: number, cols: number): TestMatrix {
  const spec = WEIGHT_FORMATS[format];
  const file = new Uint8Array(rows * cols / spec.blockElems * spec.blockByteLength);
  const exponents = [0, 1, 2, 127, 128, 252, 253, 254, 255];
  const e4m3s = [0, 1, 7, 8, 0x38, 0x7e, 0x7f, 0x81, 0xfe];
  const view = new DataView(file.buffer);
  for (let b = 0, at = 0; at < file.length; b++, at += spec.blockByteLength) {
    const block = file.subarray(at, at + spec.blockByteLength);
    block.fill(EXTREME_CODES[b % EXTREME_CODES.length]);
    const scale = Math.floor(b / EXTREME_CODES.length);
    if (format === 'F16') view.setUint16(at, [...EXTREME_F16, 0x7c00, 0xfc00, 0x7e00][b % (EXTREME_F16.length + 3)], true);
    else if (format === 'BF16') view.setUint16(at, [0, 0x8000, 0x7f7f, 0xff7f, 0x0080, 0x3f80, 0x7f80, 0x7fc0][b % 8], true);
    else if (format === 'F32') view.setFloat32(at, [0, -0, 3.4e38, -3.4e38, 2 ** -126, 1, Infinity, NaN][b % 8], true);
    else if (format === 'NVFP4') block.fill(EXTREME_E4M3[scale % EXTREME_E4M3.length], 0, 4);
    else {
      writeScales(format, block, (field) => ({
        f16: EXTREME_F16[(scale + 3 * field) % EXTREME_F16.length], exponent: exponents[scale % exponents.length],
        e4m3: e4m3s[scale % e4m3s.length],
      }));
    }
  }
  return matrixFrom(format, rows, cols, file);
}

/** Rows [firstRow, firstRow + rows) packed on their own. */
export function packedPart(matrix: TestMatrix, firstRow: number, rows: number): Uint8Array {
  const rowByteLength = matrix.file.byteLength / matrix.rows;
  const file = matrix.file.subarray(firstRow * rowByteLength, (firstRow + rows) * rowByteLength);
  return packRows(matrix.format, file, rows, matrix.cols, matrix.tensorScale);
}
