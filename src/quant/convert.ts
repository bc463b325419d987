/** Weights from one format to others, with what that loses: the work of an import that shrinks a model's experts. */
import { addErrors, emptyErrorSums, type ErrorSums } from './error_stats.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from './formats.ts';
import { decodeRows, encodeRows, fileByteLength } from './pack.ts';
import { w2FromMxfp4 } from './w2_from_mxfp4.ts';

/** A run of whole blocks in file layout. */
export interface WeightRun {
  readonly format: WeightFormatName;
  readonly bytes: Uint8Array;
  readonly elems: number;
  /** Factor of all its weights. */
  readonly tensorScale: number;
}

/** The run in another format's file layout. */
export interface ConvertedRun {
  readonly bytes: Uint8Array;
  readonly sums: ErrorSums;
}

/** Weights decoded at a time: what the processor's caches hold. A multiple of every block. */
const PIECE_ELEMS = 16 * 1024;

/**
 * Converts a run to each of the target formats. MXFP4 becomes W2 by the exact rule of w2_from_mxfp4.ts, everything else
 * by the target's encoder.
 * @throws RangeError where a target has no encoder, or the run is no whole number of blocks of source or target
 */
export function convertRun(run: WeightRun, targets: readonly WeightFormatName[]): ConvertedRun[] {
  const converted = targets.map((target) => (
    { bytes: new Uint8Array(fileByteLength(target, 1, run.elems)), sums: emptyErrorSums() }));
  const original = new Float32Array(Math.min(PIECE_ELEMS, run.elems));
  const decoded = new Float32Array(original.length);
  for (let at = 0; at < run.elems; at += PIECE_ELEMS) {
    const piece = pieceOf(run, at, Math.min(PIECE_ELEMS, run.elems - at));
    const x = decodeRows(piece.format, piece.bytes, 1, piece.elems, original.subarray(0, piece.elems));
    if (run.tensorScale !== 1) for (let i = 0; i < x.length; i++) x[i] *= run.tensorScale;
    targets.forEach((target, t) => {
      const bytes = encodePiece(piece, x, target);
      converted[t].bytes.set(bytes, fileByteLength(target, 1, at));
      addErrors(converted[t].sums, x, decodeRows(target, bytes, 1, piece.elems, decoded.subarray(0, piece.elems)));
    });
  }
  return converted;
}

function encodePiece(piece: WeightRun, x: Float32Array, target: WeightFormatName): Uint8Array {
  const exact = piece.format === 'MXFP4' && target === 'W2' && piece.tensorScale === 1;
  return exact ? w2FromMxfp4(piece.bytes, piece.elems / WEIGHT_FORMATS.W2.blockElems) : encodeRows(target, x, 1, piece.elems);
}

function pieceOf(run: WeightRun, at: number, elems: number): WeightRun {
  const byteOffset = fileByteLength(run.format, 1, at);
  return { ...run, elems, bytes: run.bytes.subarray(byteOffset, byteOffset + fileByteLength(run.format, 1, elems)) };
}
