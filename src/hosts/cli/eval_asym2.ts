/**
 * The control of the quality tables: 2-bit codes with the levels −3, −1, 0.5 and 4 times 2^e and one E8M0 scale per 32
 * weights, so as many bits as W2. On Gaussian weights its error is close to W2's (relative RMS 0.385 and 0.360), but its
 * levels are not symmetric: the share of positive weights less that of negative ones grows by 0.09, and what leans to one
 * side adds up over a layer's inputs and over layers. It exists for measuring that; no file and no kernel has it.
 */
import { leastSquaresExponent } from '../../quant/e8m0_search.ts';
import { e8m0Value } from '../../quant/float.ts';

const LEVELS = Float64Array.of(-3, -1, 0.5, 4);
/** Below the first a value is nearest to −3, and so on. */
const MIDPOINTS = Float64Array.of(-2, -0.25, 2.25);

/** The level nearest to x, which is in units of the scale; the lower one on a tie. */
function nearestLevel(x: number): number {
  let code = 0;
  while (code < 3 && x > MIDPOINTS[code]) code++;
  return LEVELS[code];
}

function squaredError(x: Float32Array, at: number, scale: number): number {
  let sum = 0;
  for (let j = at; j < at + 32; j++) {
    const error = x[j] - nearestLevel(x[j] / scale) * scale;
    sum += error * error;
  }
  return sum;
}

/**
 * Rounds weights, 32 at a time, each block with the exponent of the least squared error.
 * @param x a multiple of 32 weights
 */
export function roundAsym2(x: Float32Array): Float32Array {
  const rounded = new Float32Array(x.length);
  for (let at = 0; at < x.length; at += 32) {
    // 0.5 reaches the largest magnitude with a scale two octaves above; 4 reaches it with one two octaves below, and
    // a few below that are tried as well.
    const scale = e8m0Value(leastSquaresExponent(x, at, -5, 2, (s) => squaredError(x, at, s)));
    for (let j = at; j < at + 32; j++) rounded[j] = nearestLevel(x[j] / scale) * scale;
  }
  return rounded;
}
