/** The scales that lie beside a matrix of codes: floats of any dtype, one for a tile of the matrix. */
import { e8m0Value, f16ToF32, f32FromBits } from '../../quant/float.ts';
import { e4m3Value } from '../../quant/float8.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';

interface FloatType {
  readonly byteLength: number;
  readonly at: (view: DataView, byteOffset: number) => number;
}

const FLOAT_TYPES: ReadonlyMap<string, FloatType> = new Map([
  ['F32', { byteLength: 4, at: (view, i) => view.getFloat32(i, true) }],
  ['F16', { byteLength: 2, at: (view, i) => f16ToF32(view.getUint16(i, true)) }],
  ['BF16', { byteLength: 2, at: (view, i) => f32FromBits(view.getUint16(i, true) << 16) }],
  ['F8_E4M3', { byteLength: 1, at: (view, i) => e4m3Value(view.getUint8(i)) }],
  ['F8_E8M0', { byteLength: 1, at: (view, i) => e8m0Value(view.getUint8(i)) }],
]);

function floatTypeOf(tensor: StoredTensor): FloatType {
  const type = FLOAT_TYPES.get(tensor.dtype);
  if (!type) {
    throw tensorError(tensor, `holds scales as ${tensor.dtype}; supported are ${[...FLOAT_TYPES.keys()].join(', ')}`);
  }
  return type;
}

/** Elements [first, first + count) as f32. @throws ModelFormatError where the dtype is no float */
export async function readFloats(tensor: StoredTensor, first: number, count: number): Promise<Float32Array> {
  const type = floatTypeOf(tensor);
  const bytes = await readStored(tensor, first * type.byteLength, count * type.byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: count }, (_, i) => type.at(view, i * type.byteLength));
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

/** A stack of `leading` matrices. */
export interface MatrixShape {
  readonly leading: number;
  readonly rows: number;
  readonly cols: number;
}

/** @throws ModelFormatError for a vector: nothing quantises those */
export function matrixShape(tensor: StoredTensor, cols: number, shape = tensor.shape): MatrixShape {
  if (shape.length < 2) throw tensorError(tensor, `is ${described(tensor)}, but quantised tensors are matrices`);
  return { leading: elementCount(shape.slice(0, -2)), rows: shape[shape.length - 2], cols };
}

/** One scale for each tile of rowsPerScale × colsPerScale weights of each matrix. */
export interface ScaleGrid {
  readonly scales: StoredTensor;
  readonly rowsPerScale: number;
  readonly colsPerScale: number;
  /** Scales of one matrix in a stack; 0 where one scale serves all matrices. */
  readonly perMatrix: number;
  /** Scales of one row of tiles. */
  readonly perRow: number;
  readonly matrix: MatrixShape;
}

/**
 * How `scales` lies over a matrix: one scale for all, for each matrix of a stack, for each row, or for each tile.
 * @param tile rows and columns of a tile; cols null where it follows from the number of scales in a row
 * @throws ModelFormatError where the shape is none of these
 */
export function scaleGrid(
  codes: StoredTensor, matrix: MatrixShape, scales: StoredTensor, tile: { readonly rows: number; readonly cols: number | null },
): ScaleGrid {
  floatTypeOf(scales);
  const { leading, rows, cols } = matrix;
  const count = elementCount(scales.shape);
  const grid = (rowsPerScale: number, colsPerScale: number): ScaleGrid => {
    // A tile without end is one.
    const perRow = Math.max(1, Math.ceil(cols / colsPerScale));
    const perColumn = Math.max(1, Math.ceil(rows / rowsPerScale));
    return { scales, rowsPerScale, colsPerScale, perMatrix: perColumn * perRow, perRow, matrix };
  };
  if (count === 1) return { ...grid(rows, cols), perMatrix: 0 };
  const last = scales.shape[scales.shape.length - 1];
  if (last === 1 && count === leading * rows) return grid(1, cols);
  const tileCols = tile.cols ?? (last > 0 && cols % last === 0 ? cols / last : 0);
  if (tileCols > 0) {
    const tiles = grid(tile.rows, tileCols);
    // modelopt writes [rows, 1, cols, 1] of tiles.
    const lastOfMany = scales.shape.findLast((dim) => dim !== 1);
    if (count === leading * tiles.perMatrix && (tiles.perRow === 1 || lastOfMany === tiles.perRow)) return tiles;
  }
  if (count === leading * rows && scales.shape.length === codes.shape.length - 1) return grid(1, cols);
  if (count === leading) return grid(rows, cols);
  throw tensorError(scales, `is ${described(scales)}, which doesn't fit ${codes.name}, ${described(codes)}`);
}

/** The scales that rows [firstRow, firstRow + rowCount) need; scaleIndex finds a weight's among them. */
export async function readGridRows(
  grid: ScaleGrid, firstRow: number, rowCount: number,
): Promise<{ readonly values: Float32Array; readonly rowStart: (row: number) => number }> {
  const tileRow = (row: number): number => {
    const { rows } = grid.matrix;
    return Math.floor(row / rows) * grid.perMatrix + Math.floor((row % rows) / grid.rowsPerScale) * grid.perRow;
  };
  const first = tileRow(firstRow);
  const end = tileRow(firstRow + rowCount - 1) + grid.perRow;
  const values = await readFloats(grid.scales, first, end - first);
  return { values, rowStart: (row) => tileRow(row) - first };
}

/** Whether blocks of `blockElems` weights never lie over two scales. */
export function blocksFit(blockElems: number, cols: number, colsPerScale: number): boolean {
  return cols % blockElems === 0 && (colsPerScale >= cols || colsPerScale % blockElems === 0);
}
