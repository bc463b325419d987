/**
 * A tensor that a checkpoint keeps in several stored tensors (codes, scales, zero points), presented as one in the file
 * layout of a weight format. Nothing is converted ahead: a read assembles the rows that it touches.
 */
import { WEIGHT_FORMATS, type WeightFormatName } from '../../quant/formats.ts';
import type { ByteSource, TensorRef } from '../checkpoint.ts';
import type { CodeOrder } from '../code_order.ts';
import { checkRange } from '../byte_sources.ts';
import { tensorError, type StoredTensor } from '../stored_tensor.ts';

/** Most bytes of the derived layout that are assembled at a time, beside what the read returns. */
const CHUNK_BYTE_LENGTH = 8 * 1024 * 1024;

export interface DerivedRows {
  readonly format: WeightFormatName;
  /** As architectures ask for it: [rows, cols] or [expert, rows, cols]. */
  readonly shape: readonly number[];
  readonly tensorScales?: readonly number[];
  /** How the stored tensor arranges the codes that become the format's first plane; by default as they are in it. */
  readonly order?: CodeOrder;
  /**
   * Writes rows [firstRow, firstRow + rowCount) to `out`, which is zero and just as long. Rows of stacked matrices are
   * numbered through.
   * @throws ModelFormatError where the stored values can't be kept exactly
   */
  readonly readRows: (firstRow: number, rowCount: number, out: Uint8Array) => Promise<void>;
}

/**
 * @param name what architectures call the tensor
 * @param codes the stored tensor that it mainly comes from, for its file and for messages
 * @throws ModelFormatError where rows are no multiple of the format's block
 */
export function derivedTensor(name: string, codes: StoredTensor, rows: DerivedRows): TensorRef {
  const { blockElems, blockByteLength } = WEIGHT_FORMATS[rows.format];
  const cols = rows.shape[rows.shape.length - 1];
  if (cols % blockElems !== 0) {
    throw tensorError(codes, `has rows of ${cols} weights, no multiple of the ${rows.format} block of ${blockElems}`);
  }
  const rowByteLength = (cols / blockElems) * blockByteLength;
  const rowCount = rows.shape.slice(0, -1).reduce((product, dim) => product * dim, 1);
  const byteLength = rowCount * rowByteLength;
  const source = rowSource(codes.source.name, byteLength, rowByteLength, rows.readRows);
  const { format, shape, tensorScales, order = 'rows' } = rows;
  return {
    name, format, shape, source, byteOffset: 0, byteLength, ...(tensorScales ? { tensorScales } : {}),
    codes: { source: codes.source, byteOffset: codes.byteOffset, byteLength: codes.byteLength, order },
  };
}

function rowSource(
  name: string, byteLength: number, rowByteLength: number, readRows: DerivedRows['readRows'],
): ByteSource {
  const chunkRows = Math.max(1, Math.floor(CHUNK_BYTE_LENGTH / rowByteLength));
  return {
    name, byteLength,
    async read(byteOffset, length) {
      checkRange(name, byteLength, byteOffset, length);
      const result = new Uint8Array(length);
      const end = byteOffset + length;
      for (let at = byteOffset; at < end;) {
        const firstRow = Math.floor(at / rowByteLength);
        const lastRow = Math.min(firstRow + chunkRows, Math.ceil(end / rowByteLength));
        const begin = firstRow * rowByteLength;
        const chunkEnd = Math.min(end, lastRow * rowByteLength);
        const whole = at === begin && chunkEnd === lastRow * rowByteLength;
        // Whole rows, nearly always, are assembled where they are wanted.
        const rows = whole
          ? result.subarray(at - byteOffset, chunkEnd - byteOffset)
          : new Uint8Array((lastRow - firstRow) * rowByteLength);
        await readRows(firstRow, lastRow - firstRow, rows);
        if (!whole) result.set(rows.subarray(at - begin, chunkEnd - begin), at - byteOffset);
        at = chunkEnd;
      }
      return result;
    },
  };
}
