/**
 * NVFP4 matrices: E2M1 codes two to a byte (the first in the low nibble), an E4M3 scale for each 16 weights and an f32
 * factor of the tensor. modelopt stores the factor (weight_scale_2), compressed-tensors its reciprocal
 * (weight_global_scale).
 */
import { nibblesFromNatural } from '../../quant/bit_order.ts';
import type { TensorRef } from '../checkpoint.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { derivedTensor } from './derived_tensor.ts';
import { elementCount } from './scales.ts';

const BLOCK_ELEMS = 64;
const SUB_BLOCKS = 4;
const SCALE_ELEMS = 16;
const BLOCK_BYTE_LENGTH = 36;
/** E4M3 NaN, which GGUF's unsigned E4M3 doesn't have; what lies above is negative, and −0. */
const NAN_BYTE = 0x7f;
const MINUS_ZERO = 0x80;

/**
 * @param tensorScales one factor, or one for each matrix of a stack
 * @throws ModelFormatError where shapes don't fit or rows are no multiple of 64
 */
export function nvfp4Tensor(
  name: string, codes: StoredTensor, scales: StoredTensor, tensorScales: readonly number[],
): TensorRef {
  const cols = codes.shape[codes.shape.length - 1] * 2;
  const shape = [...codes.shape.slice(0, -1), cols];
  const fits = codes.dtype === 'U8' && codes.shape.length >= 2 && scales.dtype === 'F8_E4M3'
    && scales.shape[scales.shape.length - 1] * SCALE_ELEMS === cols
    && elementCount(scales.shape) * SCALE_ELEMS === elementCount(shape);
  if (!fits) {
    throw tensorError(scales,
      `is ${described(scales)}, which doesn't fit ${codes.name}, ${described(codes)}: NVFP4 has an F8_E4M3 for each 16 weights`);
  }
  const leading = elementCount(shape.slice(0, -2));
  if (tensorScales.length !== 1 && tensorScales.length !== leading) {
    throw tensorError(codes, `has ${tensorScales.length} scales of the whole tensor for ${leading} matrices`);
  }
  const scalesPerRow = cols / SCALE_ELEMS;
  return derivedTensor(name, codes, {
    format: 'NVFP4', shape, tensorScales,
    async readRows(firstRow, rowCount, out) {
      const scaleBytes = await readStored(scales, firstRow * scalesPerRow, rowCount * scalesPerRow);
      checkScales(scales, scaleBytes);
      const nibbles = await readStored(codes, firstRow * (cols / 2), rowCount * (cols / 2));
      const blocks = rowCount * (cols / BLOCK_ELEMS);
      for (let block = 0, at = 0; block < blocks; block++, at += BLOCK_BYTE_LENGTH) {
        for (let s = 0; s < SUB_BLOCKS; s++) {
          out[at + s] = scaleBytes[block * SUB_BLOCKS + s] & 0x7f;
          nibblesFromNatural(nibbles, block * 32 + 8 * s, 8, out, at + SUB_BLOCKS + 8 * s);
        }
      }
    },
  });
}

function checkScales(tensor: StoredTensor, bytes: Uint8Array): void {
  for (const byte of bytes) {
    if (byte >= NAN_BYTE && byte !== MINUS_ZERO) {
      throw tensorError(tensor, `holds a scale that is ${byte === NAN_BYTE || byte === 0xff ? 'no number' : 'negative'}; ` +
        'NVFP4 scales must be positive');
    }
  }
}
