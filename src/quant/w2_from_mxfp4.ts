/**
 * MXFP4 to W2 without a search: the scale stays, each weight goes to the nearer of ±1 and ±4 scales. Of MXFP4's
 * magnitudes (in scales) 0.5, 1, 1.5 and 2 become 1, and 3, 4 and 6 become 4; zeros take alternating signs, by position,
 * as the encoder's do. Both formats have one E8M0 byte per 32 weights, so the byte is copied.
 */
const OUTER_FROM_CODE = 5; // E2M1's magnitudes by code: 0 0.5 1 1.5 2 3 4 6

/** W2's code by E2M1's code (sign in bit 3) and, in bit 4, the parity of the weight's position. */
const W2_CODES = Uint8Array.from({ length: 32 }, (_, index) => {
  const magnitude = index & 7;
  const negative = magnitude === 0 ? index >> 4 : (index >> 3) & 1;
  const outer = magnitude >= OUTER_FROM_CODE;
  return negative ? (outer ? 0 : 1) : (outer ? 3 : 2);
});

const MXFP4_BYTE_LENGTH = 17;
const W2_BYTE_LENGTH = 9;

/** Blocks in MXFP4's file layout to as many in W2's. */
export function w2FromMxfp4(src: Uint8Array, blocks: number): Uint8Array {
  const dst = new Uint8Array(blocks * W2_BYTE_LENGTH);
  for (let block = 0, from = 0, to = 0; block < blocks; block++, from += MXFP4_BYTE_LENGTH, to += W2_BYTE_LENGTH) {
    // Byte j of the codes holds weight j in its low and weight j + 16 in its high half.
    for (let group = 0, at = from + 1; group < 4; group++, at += 4) {
      let low = 0;
      let high = 0;
      for (let t = 0; t < 4; t++) {
        const byte = src[at + t];
        const parity = (t & 1) << 4;
        low |= W2_CODES[parity | (byte & 15)] << (2 * t);
        high |= W2_CODES[parity | (byte >> 4)] << (2 * t);
      }
      dst[to + group] = low;
      dst[to + 4 + group] = high;
    }
    dst[to + 8] = src[from];
  }
  return dst;
}
