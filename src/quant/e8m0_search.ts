/** The scale search that block formats of 32 weights with one E8M0 exponent byte share. */
import { e8m0Value, f32ToBits } from './float.ts';

/** With this exponent byte the largest levels (4 and 6 scales) are still f32 values; with the next they overflow. */
export const LARGEST_EXPONENT = 252;
/** The E8M0 byte that stands for NaN: what a block gets that holds NaN or infinity. */
export const NAN_EXPONENT = 255;

/**
 * The exponent byte with the least squared error of 32 weights, the lower one on a tie; 255 where one isn't finite.
 * @param from,to bytes to try, counted from that of the largest magnitude: each format knows which can win
 * @param squaredError error of the block's best codes under a scale
 */
export function leastSquaresExponent(
  x: Float32Array, xIndex: number, from: number, to: number, squaredError: (scale: number) => number,
): number {
  let largest = 0;
  for (let j = 0; j < 32; j++) {
    const magnitude = Math.abs(x[xIndex + j]);
    if (!Number.isFinite(magnitude)) return NAN_EXPONENT;
    if (magnitude > largest) largest = magnitude;
  }
  const biased = f32ToBits(largest) >>> 23; // floor(log2 largest) + 127; 0 where subnormal
  let best = 0;
  let bestError = Infinity;
  for (let e = Math.max(0, biased + from); e <= Math.min(LARGEST_EXPONENT, Math.max(0, biased + to)); e++) {
    const error = squaredError(e8m0Value(e));
    if (error < bestError) {
      best = e;
      bestError = error;
    }
  }
  return best;
}
