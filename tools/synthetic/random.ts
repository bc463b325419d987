/** Seeded random numbers: the same weights on every machine and run. */

/** Uniform numbers in (0, 1): xorshift with the shifts 13, 17, 5 (Marsaglia, "Xorshift RNGs", 2003), period 2^32 - 1. */
export function uniformRandom(seed: number): () => number {
  // Spread the seed's bits, since small states stay small for some steps; zero is the one state it can't leave.
  let state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** `count` normally distributed numbers of mean 0 (Box-Muller transform). */
export function normalValues(random: () => number, count: number, standardDeviation: number): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    values[i] = standardDeviation * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  }
  return values;
}
