/**
 * The two 8-bit floats of the OCP 8-bit Floating Point Specification (and of PyTorch's float8_e4m3fn and float8_e5m2),
 * as tables: decoding a byte is one load. All values are exact in f32.
 */
import { f16ToF32 } from './float.ts';

/** E4M3 "fn": bias 7, no infinities, 0x7f and 0xff are NaN, largest finite value 448. */
const E4M3_VALUES = Float32Array.from({ length: 256 }, (_, byte) => {
  const sign = byte & 0x80 ? -1 : 1;
  const exponent = (byte >> 3) & 15;
  const fraction = byte & 7;
  if (exponent === 15 && fraction === 7) return NaN;
  return exponent === 0 ? sign * fraction * 2 ** -9 : sign * (8 + fraction) * 2 ** (exponent - 10);
});

/** E5M2 is the upper byte of a binary16: infinities and NaNs included. */
const E5M2_VALUES = Float32Array.from({ length: 256 }, (_, byte) => f16ToF32(byte << 8));

/** The value of an E4M3 byte. */
export function e4m3Value(byte: number): number {
  return E4M3_VALUES[byte];
}

/** The value of an E5M2 byte. */
export function e5m2Value(byte: number): number {
  return E5M2_VALUES[byte];
}

// One reinterpretation cell for the whole module: nothing is kept in it between calls.
const cellFloat = new Float64Array(1);
const cellWords = new Uint32Array(cellFloat.buffer);
/** Which of the two words holds the exponent: the second on a little-endian machine. */
const UPPER_WORD = new Uint8Array(Uint16Array.of(1).buffer)[0];

/** The byte of the largest finite E4M3 value that is at most x (≥ 0). */
export function e4m3Floor(x: number): number {
  if (x >= 448) return 0x7e;
  if (x < 2 ** -6) return Math.floor(x * 512); // zero and subnormals: multiples of 2^-9
  // Else the byte is the exponent (bias 7, not 1023) and the top three fraction bits of the double.
  cellFloat[0] = x;
  return (cellWords[UPPER_WORD] >>> 17) - ((1023 - 7) << 3);
}
