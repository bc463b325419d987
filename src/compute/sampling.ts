/**
 * The definition of sampling that every back end follows (SamplingParams in ops.ts says the order). This is the
 * scalar form; shaders/ holds a twin that must draw the same token. All of it is free of sorting order, so that a
 * back end may find the cuts by sorting, by histogram or by bisection:
 *
 *  1. penalty: each distinct recent token's logit l becomes l > 0 ? l / penalty : l * penalty;
 *  2. temperature 0 or topK 1: the largest logit, lowest id on a tie. Nothing below runs;
 *  3. topK: a token stays if fewer than topK logits are strictly larger (tokens tied with the k-th all stay);
 *  4. topP: with p the softmax over what stayed (at temperature 1), a token stays if the summed p of the strictly
 *     larger logits is < topP;
 *  5. minP: a token stays if its logit >= largest logit + ln(minP), that is p >= minP * largest p;
 *  6. of the tokens left, the largest logit / temperature + gumbelNoise(seed, position, token) wins, lowest id on
 *     a tie. position is the sequence index the drawn token will have: the sequence's length after the step.
 */
import type { SamplingParams } from './ops.ts';

/**
 * Counter-based random 32 bits: the z component of pcg3d over (seed, position, token), all taken modulo 2^32 and
 * all arithmetic wrapping (Jarzynski & Olano, "Hash Functions for GPU Rendering", JCGT 2020).
 */
export function hashU32(seed: number, position: number, token: number): number {
  let x = (Math.imul(seed, 1664525) + 1013904223) | 0;
  let y = (Math.imul(position, 1664525) + 1013904223) | 0;
  let z = (Math.imul(token, 1664525) + 1013904223) | 0;
  x = (x + Math.imul(y, z)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  x ^= x >>> 16;
  y ^= y >>> 16;
  z ^= z >>> 16;
  x = (x + Math.imul(y, z)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  return z >>> 0;
}

/** Largest f32 below 2^32: keeps w < 1 where f32(h) would round up to 2^32. */
const LARGEST_F32_BELOW_2_32 = 4294967040;
/** Below this w, -ln(1 - w) comes from its series: a GPU's log() has an absolute error of 2^-21 near 1. */
const SERIES_BELOW = 0.0625;

/**
 * Standard Gumbel noise: w = min(f32(h) + 0.5, 2^32 - 256) * 2^-32 with h = hashU32(…); e = -ln(1 - w), an
 * exponential variate, by w * (1 + w/2 + w²/3 + w³/4 + w⁴/5 + w⁵/6) where w < 0.0625 (the winners: small e is large
 * noise, and that is where precision counts); noise = -ln(e). Finite: within -2.9 … 22.9.
 */
export function gumbelNoise(seed: number, position: number, token: number): number {
  const h = Math.fround(hashU32(seed, position, token));
  const w = Math.fround(Math.min(Math.fround(h + 0.5), LARGEST_F32_BELOW_2_32) * 2 ** -32);
  const e = w < SERIES_BELOW
    ? w * (1 + w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w * (1 / 5 + w / 6)))))
    : -Math.log(1 - w);
  return -Math.log(e);
}

/**
 * Draws one token from a row of logits [vocab]; the row is left as it was.
 * @param recentTokens latest last; at most penaltyLastN of them are used.
 * @throws RangeError for parameters out of range; Error where no logit is finite (a broken model or driver).
 */
export function sampleToken(
  logits: Float32Array, params: SamplingParams, recentTokens: readonly number[], position: number,
): number {
  checkSamplingParams(params);
  const scores = penalised(logits, params, recentTokens);
  const best = argmax(scores);
  if (params.temperature === 0 || params.topK === 1) return best;
  const cut = keepThreshold(scores, params, scores[best]);
  let winner = best;
  let winnerScore = -Infinity;
  for (let token = 0; token < scores.length; token++) {
    if (!(scores[token] >= cut)) continue;
    const score = scores[token] / params.temperature + gumbelNoise(params.seed, position, token);
    if (score > winnerScore) {
      winner = token;
      winnerScore = score;
    }
  }
  return winner;
}

/** Index of the largest value, the lowest on a tie. @throws Error where none is finite. */
export function argmax(values: Float32Array): number {
  let best = -1;
  let bestValue = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (values[i] > bestValue) {
      best = i;
      bestValue = values[i];
    }
  }
  if (best < 0 || bestValue === Infinity) {
    throw new Error('the model gave no finite logits: its weights are damaged or the device computed wrongly');
  }
  return best;
}

/** @throws RangeError naming the first parameter out of range. */
export function checkSamplingParams(params: SamplingParams): void {
  const check = (name: keyof SamplingParams, low: number, high: number): void => {
    const value = params[name];
    if (!(value >= low && value <= high)) {
      throw new RangeError(`sampling: ${name} is ${value}, must be between ${low} and ${high}`);
    }
  };
  check('temperature', 0, 100);
  check('topK', 0, 2 ** 31 - 1);
  check('topP', 0, 1);
  check('minP', 0, 1);
  check('repetitionPenalty', 0.01, 100);
  check('penaltyLastN', 0, 2 ** 31 - 1);
  check('seed', 0, 2 ** 32 - 1);
}

function penalised(logits: Float32Array, params: SamplingParams, recentTokens: readonly number[]): Float32Array {
  const scores = Float32Array.from(logits);
  const { repetitionPenalty, penaltyLastN } = params;
  if (repetitionPenalty === 1 || penaltyLastN === 0) return scores;
  for (const token of new Set(recentTokens.slice(-penaltyLastN))) {
    const l = scores[token];
    if (l !== undefined) scores[token] = l > 0 ? l / repetitionPenalty : l * repetitionPenalty;
  }
  return scores;
}

/** The logit at or above which tokens stay after topK, topP and minP. */
function keepThreshold(scores: Float32Array, params: SamplingParams, largest: number): number {
  let cut = -Infinity;
  const limitK = params.topK > 0 && params.topK < scores.length;
  if (limitK || params.topP < 1) {
    const falling = Float32Array.from(scores).sort().reverse();
    if (limitK) cut = falling[params.topK - 1];
    if (params.topP < 1) cut = topPThreshold(falling, cut, params.topP);
  }
  if (params.minP > 0) cut = Math.max(cut, largest + Math.log(params.minP));
  return cut;
}

/** Smallest logit whose strictly larger ones sum up to less than topP of the softmax over those >= cut. */
function topPThreshold(falling: Float32Array, cut: number, topP: number): number {
  let total = 0;
  for (let i = 0; i < falling.length && falling[i] >= cut; i++) total += Math.exp(falling[i] - falling[0]);
  let largerMass = 0;
  let threshold = falling[0];
  for (let i = 0; i < falling.length && falling[i] >= cut;) {
    if (i > 0 && largerMass >= topP * total) break;
    threshold = falling[i];
    const weight = Math.exp(threshold - falling[0]);
    for (; i < falling.length && falling[i] === threshold; i++) largerMass += weight;
  }
  return threshold;
}
