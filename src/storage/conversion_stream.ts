/**
 * Converted experts as byte sources: what is read of them is read from the original, converted, and handed out in the
 * target's file layout. Matrices are cut into pieces of whole blocks; while the importer writes one piece, the next ones
 * are read and converted in the order in which it will ask for them.
 */
import { checkRange } from '../formats/byte_sources.ts';
import { ModelFormatError, type ByteSource } from '../formats/checkpoint.ts';
import type { MatrixSlice } from '../formats/model_plan.ts';
import type { ConvertedRun } from '../quant/convert.ts';
import { addErrorSums, emptyErrorSums, type ErrorSums } from '../quant/error_stats.ts';
import type { WeightFormatName } from '../quant/formats.ts';
import { fileByteLength } from '../quant/pack.ts';
import type { ExpertConverter } from './expert_converter.ts';

export interface ConversionLimits {
  /** Weights of a matrix converted at a time; a multiple of every format's block. */
  readonly pieceElems: number;
  /** Most bytes of originals that are read before they are asked for. */
  readonly readAheadByteLength: number;
}

export const CONVERSION_LIMITS: ConversionLimits = { pieceElems: 1 << 20, readAheadByteLength: 64 * 1024 * 1024 };

/** Weights [elemOffset, elemOffset + elems) of a matrix. */
interface Piece {
  readonly slice: MatrixSlice;
  readonly targets: readonly WeightFormatName[];
  readonly group: number;
  readonly elemOffset: number;
  readonly elems: number;
  /** Set while it is converted, and as long as it is kept for its readers. */
  result: Promise<readonly ConvertedRun[]> | null;
}

/** Converts matrices in the order in which they were added, ahead of whoever reads them. */
export class ConversionStream {
  readonly #converter: ExpertConverter;
  readonly #limits: ConversionLimits;
  readonly #pieces: Piece[] = [];
  /** Index after the last piece of each group. */
  readonly #groupEnds = new Map<number, number>();
  /** Pieces with a result. */
  readonly #kept = new Set<number>();

  constructor(converter: ExpertConverter, limits: ConversionLimits = CONVERSION_LIMITS) {
    this.#converter = converter;
    this.#limits = limits;
  }

  /**
   * Adds the next matrix. Results are kept until a matrix of another group is read.
   * @returns the matrix in each target format; their sources are ConvertedSources
   */
  add(slice: MatrixSlice, targets: readonly WeightFormatName[], group: number): MatrixSlice[] {
    const { pieceElems } = this.#limits;
    const { rows, cols, tensor } = slice;
    const firstPiece = this.#pieces.length;
    for (let elemOffset = 0; elemOffset < rows * cols; elemOffset += pieceElems) {
      const elems = Math.min(pieceElems, rows * cols - elemOffset);
      this.#pieces.push({ slice, targets, group, elemOffset, elems, result: null });
    }
    this.#groupEnds.set(group, this.#pieces.length);
    return targets.map((format, target) => {
      const byteLength = fileByteLength(format, rows, cols);
      const readPiece = async (index: number) => (await this.#read(firstPiece + index))[target];
      const source = new ConvertedSource(slice.source.name, byteLength, fileByteLength(format, 1, pieceElems), readPiece);
      return { format, rows, cols, source, byteOffset: 0, byteLength, tensor };
    });
  }

  #read(index: number): Promise<readonly ConvertedRun[]> {
    const { group } = this.#pieces[index];
    // Groups before this one have been read; what no reading of this one begins was begun for a reader that left.
    const keepEnd = this.#readAheadEnd(this.#groupEnds.get(group)! - 1);
    for (const kept of this.#kept) if (this.#pieces[kept].group < group || kept >= keepEnd) this.#drop(kept);
    const result = this.#begin(index);
    // Whoever read it has heard of the failure; a later read tries again.
    result.catch(() => this.#drop(index));
    for (let next = index + 1, end = this.#readAheadEnd(index); next < end; next++) void this.#begin(next);
    return result;
  }

  /** The first piece after `index` that isn't begun yet while `index` is read. */
  #readAheadEnd(index: number): number {
    let end = index + 1;
    if (this.#converter.workerCount === 0) return end;
    for (let left = this.#limits.readAheadByteLength; end < this.#pieces.length; end++) {
      const { slice, elems } = this.#pieces[end];
      left -= fileByteLength(slice.format, 1, elems);
      if (left < 0) break;
    }
    return end;
  }

  #begin(index: number): Promise<readonly ConvertedRun[]> {
    const piece = this.#pieces[index];
    if (piece.result) return piece.result;
    const result = this.#convert(piece);
    piece.result = result;
    this.#kept.add(index);
    // A failure waits here for whoever reads the piece; one that nobody gets to read is none.
    result.catch(() => undefined);
    return result;
  }

  #drop(index: number): void {
    this.#pieces[index].result = null;
    this.#kept.delete(index);
  }

  async #convert({ slice, targets, elemOffset, elems }: Piece): Promise<readonly ConvertedRun[]> {
    const { format, source, byteOffset, tensorScale = 1 } = slice;
    const bytes = await source.read(byteOffset + fileByteLength(format, 1, elemOffset), fileByteLength(format, 1, elems));
    const results = await this.#converter.convert({ run: { format, bytes, elems, tensorScale }, targets });
    results.forEach(({ sums }, t) => checkFinite(slice, targets[t], sums));
    return results;
  }
}

/** @throws ModelFormatError where a weight was no finite number before or after */
function checkFinite({ source, tensor }: MatrixSlice, target: WeightFormatName, sums: ErrorSums): void {
  if (!Number.isFinite(sums.xx)) {
    throw new ModelFormatError(
      `${source.name}: ${tensor} has weights that are NaN or infinite, so a model converted from it would answer nonsense`);
  }
  if (!Number.isFinite(sums.yy)) {
    throw new ModelFormatError(`${source.name}: ${tensor} has weights that are too large for ${target}; import it as it is`);
  }
}

/** A converted matrix as the bytes of its target's file layout. */
export class ConvertedSource implements ByteSource {
  readonly #pieceByteLength: number;
  readonly #readPiece: (index: number) => Promise<ConvertedRun>;
  readonly #pieceSums = new Map<number, ErrorSums>();

  /** @param pieceByteLength of every piece but the last */
  constructor(
    readonly name: string, readonly byteLength: number, pieceByteLength: number,
    readPiece: (index: number) => Promise<ConvertedRun>,
  ) {
    this.#pieceByteLength = pieceByteLength;
    this.#readPiece = readPiece;
  }

  async read(byteOffset: number, byteLength: number): Promise<Uint8Array> {
    checkRange(this.name, this.byteLength, byteOffset, byteLength);
    const bytes = new Uint8Array(byteLength);
    for (let done = 0; done < byteLength;) {
      const index = Math.floor((byteOffset + done) / this.#pieceByteLength);
      const begin = byteOffset + done - index * this.#pieceByteLength;
      const piece = await this.#readPiece(index);
      this.#pieceSums.set(index, piece.sums);
      const part = piece.bytes.subarray(begin, begin + byteLength - done);
      bytes.set(part, done);
      done += part.byteLength;
    }
    return bytes;
  }

  /** What the conversion lost on the pieces read so far: all of it once the whole matrix was read in order. */
  errorSums(): ErrorSums {
    const total = emptyErrorSums();
    for (const sums of this.#pieceSums.values()) addErrorSums(total, sums);
    return total;
  }
}
