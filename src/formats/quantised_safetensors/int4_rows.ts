/**
 * compressed-tensors' pack-quantized 4-bit integers: weight_packed I32 [rows, cols / 8] with eight weights a word, the
 * first in the lowest bits; weight_scale [rows, groups]; zero points, where there are any, packed along the rows
 * ([rows / 8, groups]). Stored numbers are 8 higher than the signed ones, so a symmetric matrix has zero point 8.
 */
import type { TensorRef } from '../checkpoint.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { derivedTensor } from './derived_tensor.ts';
import { int4Layout, scaleWord, wordsOf, writeWord } from './int4_blocks.ts';
import { matrixShape, readGridRows, scaleGrid } from './scales.ts';

const WEIGHTS_PER_WORD = 8;
const SYMMETRIC_ZERO = 8;

/** @throws ModelFormatError where shapes don't fit each other or the groups no block */
export function int4RowsTensor(
  name: string, codes: StoredTensor, scales: StoredTensor, zeros: StoredTensor | null,
): TensorRef {
  const cols = codes.shape[codes.shape.length - 1] * WEIGHTS_PER_WORD;
  const shape = [...codes.shape.slice(0, -1), cols];
  const matrix = matrixShape(codes, cols, shape);
  const grid = scaleGrid(codes, matrix, scales, { rows: 1, cols: null });
  const layout = int4Layout(codes, cols, grid.colsPerScale);
  if (zeros) checkZeros(codes, zeros, matrix.leading, [Math.ceil(matrix.rows / WEIGHTS_PER_WORD), grid.perRow]);
  const { blockElems, blockByteLength, rowByteLength } = layout;
  const codesPerRow = cols / 2;
  return derivedTensor(name, codes, {
    format: layout.format, shape,
    async readRows(firstRow, rowCount, out) {
      const bytes = await readStored(codes, firstRow * codesPerRow, rowCount * codesPerRow);
      const gridRows = await readGridRows(grid, firstRow, rowCount);
      const zeroOf = zeros ? await readZeros(zeros, grid.perRow, firstRow, rowCount) : () => SYMMETRIC_ZERO;
      for (let row = 0; row < rowCount; row++) {
        const rowStart = gridRows.rowStart(firstRow + row);
        for (let col = 0, at = row * rowByteLength; col < cols; col += blockElems, at += blockByteLength) {
          const group = Math.floor(col / grid.colsPerScale);
          writeWord(out, at, scaleWord(scales, gridRows.values[rowStart + group], zeroOf(firstRow + row, group)));
          const from = row * codesPerRow + col / 2;
          out.set(bytes.subarray(from, from + blockElems / 2), at + 4);
        }
      }
    },
  });
}

function checkZeros(codes: StoredTensor, zeros: StoredTensor, leading: number, expected: readonly [number, number]): void {
  const fits = zeros.dtype === 'I32' && leading === 1 && zeros.shape.length === 2
    && zeros.shape[0] === expected[0] && zeros.shape[1] === expected[1];
  if (!fits) {
    throw tensorError(zeros,
      `is ${described(zeros)} where ${codes.name} needs I32 [${expected.join(', ')}]`);
  }
}

async function readZeros(
  zeros: StoredTensor, groups: number, firstRow: number, rowCount: number,
): Promise<(row: number, group: number) => number> {
  const firstWordRow = Math.floor(firstRow / WEIGHTS_PER_WORD);
  const wordRows = Math.ceil((firstRow + rowCount) / WEIGHTS_PER_WORD) - firstWordRow;
  const words = wordsOf(await readStored(zeros, firstWordRow * groups * 4, wordRows * groups * 4));
  return (row, group) => {
    const wordRow = Math.floor(row / WEIGHTS_PER_WORD) - firstWordRow;
    return (words[wordRow * groups + group] >>> (4 * (row % WEIGHTS_PER_WORD))) & 15;
  };
}
