/**
 * Reordering of sub-byte fields between the order of ggml's blocks and the natural order of the packed planes
 * (weight j's field directly above weight j - 1's, little endian). All functions are exact permutations of bits.
 */

/**
 * ggml keeps the first half of 2·n weights in the low nibbles of n bytes and the second half in the high
 * nibbles. Writes the same weights in natural order: weight j in bits 4·(j % 2) of byte j >> 1. n is even.
 */
export function nibblesToNatural(src: Uint8Array, srcAt: number, n: number, dst: Uint8Array, dstAt: number): void {
  const half = n >> 1;
  for (let k = 0; k < half; k++) {
    const a = src[srcAt + 2 * k];
    const b = src[srcAt + 2 * k + 1];
    dst[dstAt + k] = (a & 15) | ((b & 15) << 4);
    dst[dstAt + half + k] = (a >> 4) | (b & 0xf0);
  }
}

/** Inverse of nibblesToNatural. */
export function nibblesFromNatural(src: Uint8Array, srcAt: number, n: number, dst: Uint8Array, dstAt: number): void {
  const half = n >> 1;
  for (let k = 0; k < half; k++) {
    const low = src[srcAt + k];
    const high = src[srcAt + half + k];
    dst[dstAt + 2 * k] = (low & 15) | ((high & 15) << 4);
    dst[dstAt + 2 * k + 1] = (low >> 4) | (high & 0xf0);
  }
}

/**
 * ggml keeps four two-bit fields a byte as quarters: of 4·n fields in n bytes, field n·q + l in bits 2·q of byte l.
 * Writes them in natural order: field j in bits 2·(j % 4) of byte j >> 2. n is a multiple of 4; 32 for weights.
 */
export function crumbsToNatural(src: Uint8Array, srcAt: number, dst: Uint8Array, dstAt: number, n = 32): void {
  const quarter = n >> 2;
  for (let i = 0; i < quarter; i++) {
    const s = srcAt + 4 * i;
    const a = src[s], b = src[s + 1], c = src[s + 2], d = src[s + 3];
    for (let q = 0; q < 4; q++) {
      const shift = 2 * q;
      dst[dstAt + quarter * q + i] =
        ((a >> shift) & 3) | (((b >> shift) & 3) << 2) | (((c >> shift) & 3) << 4) | (((d >> shift) & 3) << 6);
    }
  }
}

/** Inverse of crumbsToNatural. */
export function crumbsFromNatural(src: Uint8Array, srcAt: number, dst: Uint8Array, dstAt: number, n = 32): void {
  const quarter = n >> 2;
  for (let i = 0; i < quarter; i++) {
    const s = srcAt + i;
    const a = src[s], b = src[s + quarter], c = src[s + 2 * quarter], d = src[s + 3 * quarter];
    for (let t = 0; t < 4; t++) {
      const shift = 2 * t;
      dst[dstAt + 4 * i + t] =
        ((a >> shift) & 3) | (((b >> shift) & 3) << 2) | (((c >> shift) & 3) << 4) | (((d >> shift) & 3) << 6);
    }
  }
}

/**
 * ggml keeps one bit of each of 256 weights in 32 bytes: weight 32·k + l in bit k of byte l. Writes them in natural
 * order: weight j in bit j % 8 of byte j >> 3.
 */
export function bitsToNatural(src: Uint8Array, srcAt: number, dst: Uint8Array, dstAt: number): void {
  for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 8; k++) {
      let byte = 0;
      for (let t = 0; t < 8; t++) byte |= ((src[srcAt + 8 * i + t] >> k) & 1) << t;
      dst[dstAt + 4 * k + i] = byte;
    }
  }
}

/** Inverse of bitsToNatural. */
export function bitsFromNatural(src: Uint8Array, srcAt: number, dst: Uint8Array, dstAt: number): void {
  for (let i = 0; i < 4; i++) {
    for (let t = 0; t < 8; t++) {
      let byte = 0;
      for (let k = 0; k < 8; k++) byte |= ((src[srcAt + 4 * k + i] >> t) & 1) << k;
      dst[dstAt + 8 * i + t] = byte;
    }
  }
}

/** Copies `byteLength` bytes; for the short runs of a block a plain loop beats subarray + set. */
export function copyBytes(src: Uint8Array, srcAt: number, byteLength: number, dst: Uint8Array, dstAt: number): void {
  for (let i = 0; i < byteLength; i++) dst[dstAt + i] = src[srcAt + i];
}
