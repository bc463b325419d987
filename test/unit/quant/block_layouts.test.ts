/** Blocks written by hand from the published layouts: formats that no file of gguf-py's values covers. */
import { expect, it } from 'vitest';
import { decodeRows } from '../../../src/quant/pack.ts';

// ggml's block_q1_0: f16 d, then one bit a weight, lowest first; set d, clear −d.
it('Q1_0 is d or −d by sign bit', () => {
  const raw = new Uint8Array(18);
  raw.set([0x00, 0x41, 0b1000_0001, 0b0000_0110]); // d = 2.5
  raw[17] = 0b1000_0000;
  const plus = new Set([0, 7, 9, 10, 127]);
  expect([...decodeRows('Q1_0', raw, 1, 128)]).toEqual(Array.from({ length: 128 }, (_, j) => (plus.has(j) ? 2.5 : -2.5)));
});

// ggml's block_q2_0: f16 d, then two bits a weight, lowest first; 0, 1, 2, 3 are −d, 0, d, 2 d.
it('Q2_0 is (code − 1) times d', () => {
  const raw = new Uint8Array(18);
  raw.set([0x00, 0xc1, 0b11_10_01_00, 0b00_00_00_11]); // d = −2.5
  raw[17] = 0b10_01_01_01;
  const x = decodeRows('Q2_0', raw, 1, 64);
  expect([...x.subarray(0, 6)]).toEqual([2.5, -0, -2.5, -5, -5, 2.5]);
  expect([...x.subarray(6, 60)]).toEqual(Array<number>(54).fill(2.5));
  expect([...x.subarray(60)]).toEqual([-0, -0, -0, -2.5]);
});

it('W3 maps codes 0…7 to −8 −5 −3 −1 1 3 5 8 times an E4M3 scale in 64ths', () => {
  const raw = new Uint8Array(13);
  // Codes 0…7, then 23 times 0, then 6: low bits in bytes 0…7, high bits in bytes 8…11.
  raw.set([0b11_10_01_00, 0b11_10_01_00]);
  raw[7] = 0b10_00_00_00;
  raw.set([0b1111_0000, 0, 0, 0b1000_0000], 8);
  raw[12] = 0x68; // 2^6
  const x = decodeRows('W3', raw, 1, 32);
  expect([...x]).toEqual([-8, -5, -3, -1, 1, 3, 5, 8, ...Array<number>(23).fill(-8), 5]);
  raw[12] = 1; // 2^-9
  expect(decodeRows('W3', raw, 1, 32)[5]).toBe(3 * 2 ** -15);
  raw[12] = 0x7f;
  expect(decodeRows('W3', raw, 1, 32).every(Number.isNaN)).toBe(true);
});
