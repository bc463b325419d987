/**
 * MXFP4 matrices with E8M0 exponents in a tensor of their own: gpt-oss's *_blocks [expert, rows, cols / 32, 16] and
 * *_scales, and compressed-tensors' weight_packed [rows, cols / 2] and weight_scale. A byte holds two weights that follow
 * each other, the first in its low nibble.
 */
import { nibblesFromNatural } from '../../quant/bit_order.ts';
import type { TensorRef } from '../checkpoint.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { derivedTensor } from './derived_tensor.ts';
import { elementCount } from './scales.ts';

const BLOCK_ELEMS = 32;
const CODES_BYTE_LENGTH = 16;

/**
 * @param shape [.., rows, cols] of the weights
 * @throws ModelFormatError where there isn't one exponent byte for each 32 weights
 */
export function mxfp4Tensor(name: string, codes: StoredTensor, scales: StoredTensor, shape: readonly number[]): TensorRef {
  const cols = shape[shape.length - 1];
  const blocksPerRow = cols / BLOCK_ELEMS;
  const fits = codes.dtype === 'U8' && (scales.dtype === 'U8' || scales.dtype === 'F8_E8M0')
    && scales.shape[scales.shape.length - 1] === blocksPerRow
    && elementCount(scales.shape) * BLOCK_ELEMS === elementCount(shape);
  if (!fits) {
    throw tensorError(scales,
      `is ${described(scales)}, which doesn't fit ${codes.name}, ${described(codes)}: MXFP4 has a byte for each 32 weights`);
  }
  return derivedTensor(name, codes, {
    format: 'MXFP4', shape,
    async readRows(firstRow, rowCount, out) {
      const firstBlock = firstRow * blocksPerRow;
      const blocks = rowCount * blocksPerRow;
      const exponents = await readStored(scales, firstBlock, blocks);
      const nibbles = await readStored(codes, firstBlock * CODES_BYTE_LENGTH, blocks * CODES_BYTE_LENGTH);
      for (let block = 0, at = 0; block < blocks; block++, at += 1 + CODES_BYTE_LENGTH) {
        out[at] = exponents[block];
        nibblesFromNatural(nibbles, block * CODES_BYTE_LENGTH, CODES_BYTE_LENGTH, out, at + 1);
      }
    },
  });
}
