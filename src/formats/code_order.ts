/**
 * How the codes of a derived tensor lie in their file. A packed matrix has them in its first plane, row after row; an
 * export makes the file's bytes from that plane again, so that they need not be kept a second time.
 */
import type { ByteSource } from './checkpoint.ts';

/**
 * 'rows': as in the plane. 'gptq': 4-bit codes in words of eight columns of a row, all rows of the first eight columns
 * first. 'awq': 4-bit codes in words of eight rows of a column in the order of AWQ_NIBBLES, column after column.
 */
export type CodeOrder = 'rows' | 'gptq' | 'awq';

export const CODE_ORDERS: readonly CodeOrder[] = ['rows', 'gptq', 'awq'];

/** Bytes of a file that hold just the codes of a tensor or matrix. */
export interface StoredCodes {
  readonly source: ByteSource;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly order: CodeOrder;
}

/** Row 8·w + j is nibble AWQ_NIBBLES[j] of word w. */
export const AWQ_NIBBLES: readonly number[] = [0, 4, 1, 5, 2, 6, 3, 7];

const WEIGHTS_PER_WORD = 8;

/**
 * The stored bytes of a matrix's codes, in order.
 * @param readPlane bytes of the first plane, from 0
 * @param planeByteLength all of them; for orders other than 'rows', 4 bits a weight
 * @param runByteLength most bytes of the plane, and of a piece of the result, held at a time
 */
export async function* storedCodes(
  order: CodeOrder, rows: number, planeByteLength: number,
  readPlane: (byteOffset: number, byteLength: number) => Promise<Uint8Array>, runByteLength: number,
): AsyncGenerator<Uint8Array> {
  if (order === 'rows') {
    for (let at = 0; at < planeByteLength; at += runByteLength) yield await readPlane(at, Math.min(runByteLength, planeByteLength - at));
    return;
  }
  const rowByteLength = planeByteLength / rows;
  // Strips of eight columns, and so of 4 plane bytes a row, however the words of a strip are arranged.
  const strips = rowByteLength / 4;
  const stripByteLength = rows * 4;
  const perPiece = Math.max(1, Math.floor(runByteLength / stripByteLength));
  const rowsPerRead = Math.max(1, Math.floor(runByteLength / rowByteLength));
  for (let firstStrip = 0; firstStrip < strips; firstStrip += perPiece) {
    const count = Math.min(perPiece, strips - firstStrip);
    const piece = new Uint8Array(count * stripByteLength);
    for (let firstRow = 0; firstRow < rows; firstRow += rowsPerRead) {
      const readRows = Math.min(rowsPerRead, rows - firstRow);
      const plane = await readPlane(firstRow * rowByteLength, readRows * rowByteLength);
      for (let row = 0; row < readRows; row++) {
        const from = row * rowByteLength + 4 * firstStrip;
        for (let strip = 0; strip < count; strip++) {
          const source = plane.subarray(from + 4 * strip, from + 4 * strip + 4);
          const at = strip * stripByteLength;
          if (order === 'gptq') piece.set(source, at + 4 * (firstRow + row));
          else placeAwq(source, piece, at, rows, firstRow + row);
        }
      }
    }
    yield piece;
  }
}

/** Puts eight columns of a row into the words of those columns. */
function placeAwq(codes: Uint8Array, piece: Uint8Array, stripAt: number, rows: number, row: number): void {
  const nibble = AWQ_NIBBLES[row % WEIGHTS_PER_WORD];
  const inColumn = 4 * Math.floor(row / WEIGHTS_PER_WORD) + (nibble >> 1);
  for (let column = 0; column < WEIGHTS_PER_WORD; column++) {
    const code = (codes[column >> 1] >> (4 * (column & 1))) & 15;
    piece[stripAt + column * (rows / 2) + inColumn] |= code << (4 * (nibble & 1));
  }
}
