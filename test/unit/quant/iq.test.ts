/** The codebook formats on blocks made by hand; golden blocks are in decode_golden.test.ts. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { swapBlockFields } from '../../../src/formats/big_endian.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import {
  codebookValues, IQ1_CODEBOOK, IQ2_S_CODEBOOK, IQ2_XS_CODEBOOK, IQ2_XXS_CODEBOOK, IQ3_S_CODEBOOK, IQ3_XXS_CODEBOOK,
  signByte,
} from '../../../src/quant/iq_grids.ts';
import { decodeRows, packRows } from '../../../src/quant/pack.ts';
import { packedLayout } from '../../../src/quant/packed.ts';

const IQ2_LEVELS = [8, 25, 43];
const IQ3_S_LEVELS = [1, 3, 5, 7, 9, 11, 13, 15];
const IQ3_XXS_LEVELS = [4, 12, 20, 28, 36, 44, 52, 62];

/** A block of `format` whose bytes are zero but for those given. */
function blockOf(format: WeightFormatName, bytes: readonly (readonly [at: number, byte: number])[]): Uint8Array {
  const block = new Uint8Array(WEIGHT_FORMATS[format].blockByteLength);
  for (const [at, byte] of bytes) block[at] = byte;
  return block;
}

const decode = (format: WeightFormatName, block: Uint8Array): number[] => [...decodeRows(format, block, 1, 256)];

describe('codebooks', () => {
  // SHA-256 over the tables of ggml-common.h, a byte for a level (int8 for IQ1).
  it.each([
    ['iq1s_grid', IQ1_CODEBOOK, [-1, 0, 1], 2048, '07540ffc1aeaf6ad'],
    ['iq2xxs_grid', IQ2_XXS_CODEBOOK, IQ2_LEVELS, 256, '05826b5d3e472a3a'],
    ['iq2xs_grid', IQ2_XS_CODEBOOK, IQ2_LEVELS, 512, '06e47aaca60b4dc1'],
    ['iq2s_grid', IQ2_S_CODEBOOK, IQ2_LEVELS, 1024, 'e1aa1473412b0552'],
    ['iq3xxs_grid', IQ3_XXS_CODEBOOK, IQ3_XXS_LEVELS, 256, '46e35f5a997efdee'],
    ['iq3s_grid', IQ3_S_CODEBOOK, IQ3_S_LEVELS, 512, 'bd1af4945a1717c6'],
  ])('%s has the bytes of ggml', (_, codebook, levels, entries, sha256) => {
    expect(codebook.byteLength).toBe(2 * entries);
    const bytes = Int8Array.from(codebookValues(codebook, levels));
    expect(createHash('sha256').update(bytes).digest('hex').slice(0, 16)).toBe(sha256);
  });

  it.each(['IQ1_S', 'IQ1_M', 'IQ2_XXS', 'IQ2_XS', 'IQ2_S', 'IQ3_XXS', 'IQ3_S'] as const)(
    '%s matrices carry theirs behind at most three planes', (format) => {
      const { planes, constants, blockByteLength } = WEIGHT_FORMATS[format];
      const layout = packedLayout(format, 3, 256);
      const packed = packRows(format, new Uint8Array(3 * blockByteLength), 3, 256);
      const { byteOffset, byteLength } = layout.constants!;
      expect(planes.length).toBeLessThanOrEqual(3);
      expect(constants).toEqual({ kind: 'codebook', bytes: packed.subarray(byteOffset, byteOffset + byteLength) });
    });
});

it('the eighth sign makes the number of minus signs even', () => {
  for (let stored = 0; stored < 128; stored++) {
    const signs = signByte(stored).toString(2).padStart(8, '0');
    expect(signs.slice(1)).toBe(stored.toString(2).padStart(7, '0'));
    expect([...signs].filter((bit) => bit === '1').length % 2).toBe(0);
  }
});

describe('blocks by hand', () => {
  it('IQ1_M gathers d from four upper nibbles; scales, upper index bits and deltas are by 16 and by 8 weights', () => {
    // d = 0x3c00 = 1. Scale of weights 16 … 31 is 2 (factor 5); weights 8 … 15 have entry 2047 and a negative delta.
    const block = blockOf('IQ1_M', [[48, 2 << 3], [53, 0xc0], [55, 0x30], [1, 255], [32, 0xf0]]);
    const values = decode('IQ1_M', block);
    const entry = (i: number) => [...codebookValues(IQ1_CODEBOOK, [-1, 0, 1]).subarray(8 * i, 8 * i + 8)];
    expect(entry(0)).toEqual(Array(8).fill(-1));
    expect(entry(2047)).toEqual(Array(8).fill(1));
    expect(values.slice(0, 8)).toEqual(Array(8).fill(-0.875));
    expect(values.slice(8, 16)).toEqual(Array(8).fill(0.875));
    expect(values.slice(16, 32)).toEqual(Array(16).fill(5 * -0.875));
    expect(values.slice(32)).toEqual(Array(224).fill(-0.875));
  });

  it('IQ2_XXS puts signs and scale of 32 weights into one word', () => {
    // d = 1; the second 32 weights have scale 15 and in their last 8 weights a minus on the first.
    const block = blockOf('IQ2_XXS', [[1, 0x3c], [2 + 8 + 4 + 2, 1 << 5], [2 + 8 + 7, 0xf0]]);
    const values = decode('IQ2_XXS', block);
    expect(values.slice(0, 32)).toEqual(Array(32).fill(1));
    expect(values.slice(32, 56)).toEqual(Array(24).fill(31));
    expect(values.slice(56, 64)).toEqual([-31, 31, 31, 31, 31, 31, 31, -31]);
  });

  it.each([
    [0x7c00, Infinity], [0x7e00, NaN], [0x0000, 0], [0x0001, 2 ** -24], [0x7bff, 65504],
  ])('a scale of f16 bits %i goes through the products', (bits, d) => {
    for (const [format, first] of [['IQ1_S', -0.875], ['IQ2_XS', 1], ['IQ2_S', 1], ['IQ3_XXS', 1], ['IQ3_S', 1]] as const) {
      const block = blockOf(format, [[0, bits & 255], [1, bits >> 8]]);
      // + 0: the sign of a zero isn't what this looks at.
      expect(decode(format, block)[0] + 0, format).toEqual(d * first + 0);
    }
  });
});

it.each([
  ['IQ1_S', [[0, 2], [34, 2]]], ['IQ1_M', [[48, 2], [54, 2]]], ['IQ2_XXS', [[0, 2], [6, 4], [62, 4]]],
  ['IQ2_XS', [[0, 2], [2, 2], [64, 2]]], ['IQ3_XXS', [[0, 2], [66, 4], [94, 4]]], ['IQ3_S', [[0, 2]]],
] as const)('%s in a big-endian file has its 16-bit and 32-bit fields the other way round', (format, fields) => {
  const spec = WEIGHT_FORMATS[format];
  const block = Uint8Array.from({ length: spec.blockByteLength }, (_, i) => i);
  const swapped = block.slice();
  swapBlockFields(spec, swapped);
  for (const [at, length] of fields) {
    expect([...swapped.subarray(at, at + length)]).toEqual([...block.subarray(at, at + length)].toReversed());
  }
  swapBlockFields(spec, swapped);
  expect(swapped).toEqual(block);
});
