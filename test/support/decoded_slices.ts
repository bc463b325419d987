/** Matrices with their weights decoded: what a model of rounded weights is compared with. */
import { bytesSource } from '../../src/formats/byte_sources.ts';
import type { MatrixSlice } from '../../src/formats/model_plan.ts';
import { decodeRows, encodeRows } from '../../src/quant/pack.ts';

/** The same values, stored as F32. */
export async function asF32(slice: MatrixSlice): Promise<MatrixSlice> {
  const { format, rows, cols } = slice;
  const values = decodeRows(format, await slice.source.read(slice.byteOffset, slice.byteLength), rows, cols);
  const bytes = encodeRows('F32', values, rows, cols);
  return { ...slice, format: 'F32', source: bytesSource(slice.tensor, bytes), byteOffset: 0, byteLength: bytes.byteLength };
}
