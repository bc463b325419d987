import { expect, it } from 'vitest';
import { e4m3Floor, e4m3Value, e5m2Value } from '../../../src/quant/float8.ts';

/** Sign, exponent and fraction by the book: IEEE 754 with `fractionBits` and that bias, infinities and NaN left out. */
function ieee(byte: number, fractionBits: number, bias: number): number {
  const exponent = (byte & 127) >> fractionBits;
  const fraction = (byte & (2 ** fractionBits - 1)) / 2 ** fractionBits;
  const magnitude = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  return byte > 127 ? -magnitude : magnitude;
}

it('E4M3 has 254 finite values up to 448 and two NaNs', () => {
  for (let byte = 0; byte < 256; byte++) {
    expect(e4m3Value(byte)).toBe((byte & 127) === 127 ? NaN : ieee(byte, 3, 7));
  }
  expect([0x01, 0x08, 0x38, 0x7e, 0xfe].map(e4m3Value)).toEqual([2 ** -9, 2 ** -6, 1, 448, -448]);
});

it('E5M2 has infinities and NaNs like binary16', () => {
  for (let byte = 0; byte < 256; byte++) {
    const top = byte & 127;
    const expected = top > 0x7c ? NaN : top === 0x7c ? (byte > 127 ? -Infinity : Infinity) : ieee(byte, 2, 15);
    expect(e5m2Value(byte)).toBe(expected);
  }
  expect([0x01, 0x04, 0x3c, 0x7b].map(e5m2Value)).toEqual([2 ** -16, 2 ** -14, 1, 57344]);
});

it('e4m3Floor gives the largest value that is not above x', () => {
  for (let byte = 0; byte < 0x7e; byte++) {
    const [low, next] = [e4m3Value(byte), e4m3Value(byte + 1)];
    for (const x of [low, (low + next) / 2, next * (1 - 2 ** -52)]) expect(e4m3Floor(x)).toBe(byte);
  }
  expect([448, 449, 1e300].map(e4m3Floor)).toEqual([0x7e, 0x7e, 0x7e]);
});
