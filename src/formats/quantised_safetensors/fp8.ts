/**
 * FP8 matrices: one byte a weight, value = code · scale in f32. The scale is DeepSeek-V3's weight_scale_inv (a factor,
 * despite its name) for tiles of weight_block_size, or weight_scale of compressed-tensors and modelopt for the tensor,
 * for each row or for tiles.
 */
import type { WeightFormatName } from '../../quant/formats.ts';
import type { TensorRef } from '../checkpoint.ts';
import { readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { derivedTensor } from './derived_tensor.ts';
import { blocksFit, matrixShape, readGridRows, scaleGrid, type ScaleGrid } from './scales.ts';

/** dtype → its formats, the largest block first. */
const FORMATS: ReadonlyMap<string, readonly { readonly format: WeightFormatName; readonly blockElems: number }[]> = new Map([
  ['F8_E4M3', [{ format: 'F8_E4M3', blockElems: 128 }, { format: 'F8_E4M3_32', blockElems: 32 }]],
  ['F8_E5M2', [{ format: 'F8_E5M2', blockElems: 128 }, { format: 'F8_E5M2_32', blockElems: 32 }]],
]);

export function isFp8(tensor: StoredTensor): boolean {
  return FORMATS.has(tensor.dtype);
}

/** Whether an unscaled FP8 tensor can be presented: whole blocks in a row. */
export function fitsFp8(tensor: StoredTensor): boolean {
  return tensor.shape.length >= 2 && tensor.shape[tensor.shape.length - 1] % 32 === 0;
}

/**
 * @param scales null for plain codes, which are their own values
 * @param tile rows and columns that one scale covers where there are several in a row
 * @throws ModelFormatError where the scales don't fit, or rows are no multiple of 32
 */
export function fp8Tensor(
  name: string, codes: StoredTensor, scales: StoredTensor | null, tile: { readonly rows: number; readonly cols: number },
): TensorRef {
  const matrix = matrixShape(codes, codes.shape[codes.shape.length - 1]);
  const grid = scales && scaleGrid(codes, matrix, scales, tile);
  const { cols } = matrix;
  const colsPerScale = grid?.colsPerScale ?? cols;
  const choice = FORMATS.get(codes.dtype)!.find(({ blockElems }) => blocksFit(blockElems, cols, colsPerScale));
  if (!choice) {
    throw tensorError(codes,
      `has rows of ${cols} weights with a scale for each ${colsPerScale}; both must be multiples of 32 to be supported`);
  }
  const { format, blockElems } = choice;
  return derivedTensor(name, codes, {
    format, shape: codes.shape,
    readRows: (firstRow, rowCount, out) => assemble(codes, grid, cols, blockElems, firstRow, rowCount, out),
  });
}

async function assemble(
  codes: StoredTensor, grid: ScaleGrid | null, cols: number, blockElems: number,
  firstRow: number, rowCount: number, out: Uint8Array,
): Promise<void> {
  const bytes = await readStored(codes, firstRow * cols, rowCount * cols);
  const scales = grid && await readGridRows(grid, firstRow, rowCount);
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  for (let row = 0, at = 0, from = 0; row < rowCount; row++) {
    const rowStart = scales?.rowStart(firstRow + row) ?? 0;
    for (let col = 0; col < cols; col += blockElems, from += blockElems) {
      out.set(bytes.subarray(from, from + blockElems), at);
      const scale = scales && grid ? scales.values[rowStart + Math.floor(col / grid.colsPerScale)] : 1;
      view.setFloat32(at + blockElems, scale, true);
      at += blockElems + 4;
    }
  }
}
