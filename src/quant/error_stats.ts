/**
 * How far decoded weights are from their originals, as sums that grow with each piece of a tensor. The sums are plain
 * numbers: they cross from a worker, and those of an expert's matrices add up to the expert's.
 */

/** Start from emptyErrorSums(). Of originals x and decoded y; all sums are f64. */
export interface ErrorSums {
  elems: number;
  /** Σ x², Σ y², Σ x·y */
  xx: number;
  yy: number;
  xy: number;
  /** Σ (y − x)² and Σ (y − x) */
  squaredError: number;
  error: number;
  /** Σ sign(x) and Σ sign(y): a zero counts for neither side. */
  xSigns: number;
  ySigns: number;
}

export interface ErrorStats {
  readonly elems: number;
  /** √(Σ (y − x)² / Σ x²); 0 where nothing was lost of zeros, infinite where zeros became something. */
  readonly relativeRms: number;
  /** Σ x·y / √(Σ x² · Σ y²); 1 where both are all zero, 0 where only one is. */
  readonly cosine: number;
  /**
   * (count of y > 0 − count of y < 0) / n less the same of x: the share by which a format turns weights towards one
   * sign. A codebook that is symmetric keeps it near 0.
   */
  readonly signBias: number;
  /** Mean of y − x, relative to the root mean square of x: the bias in value rather than in sign. */
  readonly meanError: number;
}

export function emptyErrorSums(): ErrorSums {
  return { elems: 0, xx: 0, yy: 0, xy: 0, squaredError: 0, error: 0, xSigns: 0, ySigns: 0 };
}

/**
 * Adds a piece of a tensor. A value that isn't finite makes the statistics NaN: what damages a tensor must show.
 * @throws RangeError where the lengths differ
 */
export function addErrors(sums: ErrorSums, original: Float32Array, decoded: Float32Array): void {
  if (original.length !== decoded.length) {
    throw new RangeError(`${original.length} weights can't be compared with ${decoded.length}`);
  }
  const xBits = new Int32Array(original.buffer, original.byteOffset, original.length);
  const yBits = new Int32Array(decoded.buffer, decoded.byteOffset, decoded.length);
  let [xx, yy, xy, squaredError, error, xSigns, ySigns] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < original.length; i++) {
    const x = original[i];
    const y = decoded[i];
    const difference = y - x;
    xx += x * x;
    yy += y * y;
    xy += x * y;
    squaredError += difference * difference;
    error += difference;
    xSigns += signOf(xBits[i]);
    ySigns += signOf(yBits[i]);
  }
  addErrorSums(sums, { elems: original.length, xx, yy, xy, squaredError, error, xSigns, ySigns });
}

/** Sign of the f32 with these bits, by arithmetic: signs of weights are random, so a branch would stall at every other. */
function signOf(bits: number): number {
  return ((bits >> 31) | 1) & (-(bits & 0x7fffffff) >> 31);
}

/** Adds the sums of another piece, so that a matrix's count for its expert and an expert's for its model. */
export function addErrorSums(sums: ErrorSums, piece: Readonly<ErrorSums>): void {
  sums.elems += piece.elems;
  sums.xx += piece.xx;
  sums.yy += piece.yy;
  sums.xy += piece.xy;
  sums.squaredError += piece.squaredError;
  sums.error += piece.error;
  sums.xSigns += piece.xSigns;
  sums.ySigns += piece.ySigns;
}

/** Statistics of what was added; those of no weights at all are the ones of a lossless format. */
export function errorStatsOf(sums: Readonly<ErrorSums>): ErrorStats {
  const { elems, xx, yy, xy, squaredError, error, xSigns, ySigns } = sums;
  const count = Math.max(1, elems);
  return {
    elems,
    relativeRms: Math.sqrt(ratio(squaredError, xx)),
    cosine: xx === 0 && yy === 0 ? 1 : xx === 0 || yy === 0 ? 0 : xy / Math.sqrt(xx) / Math.sqrt(yy),
    signBias: (ySigns - xSigns) / count,
    meanError: ratio(error / count, Math.sqrt(xx / count)),
  };
}

function ratio(part: number, whole: number): number {
  return part === 0 && whole === 0 ? 0 : part / whole;
}
