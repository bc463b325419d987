import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { STEP_TOKEN_COUNT } from '../../src/compute/webgpu/kernel.ts';
import { embedCalls } from '../../src/compute/webgpu/weight_kernels.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { packedLayout } from '../../src/quant/packed.ts';
import { openRig, TRAITS_BY_REDUCE, type KernelRig } from '../support/kernel_rig.ts';
import { extremeMatrix, matrixFrom, packedPart, randomMatrix, randomStream, type TestMatrix } from '../support/random_weights.ts';

const FORMATS = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];
/** GPUs may flush subnormal numbers, among them the smallest E8M0 scale 2^-127, which stands for values up to 6 · 2^-127. */
const LARGEST_FLUSHED = 6 * 2 ** -127;

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterEach(() => rig.clear());
afterAll(() => rig.destroy());

/** Rows of the matrix as embed.wgsl decodes them, for `capacity` tokens of which tokens.length are in use. */
async function embed(
  matrix: TestMatrix, tokens: number[], splitAt: number | null, scale = 1, capacity = tokens.length,
): Promise<Float32Array> {
  const { format, rows, cols } = matrix;
  const ranges = splitAt === null ? [[0, rows]] : [[0, splitAt], [splitAt, rows]];
  const out = rig.poisoned(capacity * cols);
  await rig.run(embedCalls({
    label: 'embed', traits: TRAITS_BY_REDUCE.serial, rowCapacity: capacity, countIndex: STEP_TOKEN_COUNT, scale, out,
    step: rig.upload(Uint32Array.of(tokens.length, 0, 0)), dummy: rig.upload(new Uint8Array(16)),
    tokens: rig.upload(Uint32Array.from(tokens)),
    weight: ranges.map(([begin, end]) => ({
      view: rig.upload(packedPart(matrix, begin, end - begin)), firstRow: begin,
      layout: packedLayout(format, end - begin, cols),
    })),
  }));
  const result = await rig.readFloats(out);
  expect(result.subarray(tokens.length * cols).every(Number.isNaN)).toBe(true);
  return result.subarray(0, tokens.length * cols);
}

/** Equal bit for bit, except for what a GPU may flush. */
function expectSame(got: Float32Array, want: Float32Array): void {
  const wrong: string[] = [];
  want.forEach((value, i) => {
    const flushed = Math.abs(value) <= LARGEST_FLUSHED && got[i] === 0;
    const same = got[i] === value || (Number.isNaN(got[i]) && Number.isNaN(value));
    if (!flushed && !same) wrong.push(`[${i}] ${got[i]}, not ${value}`);
  });
  expect(wrong.slice(0, 8)).toEqual([]);
}

describe.each(FORMATS)('%s', (format) => {
  const { blockElems } = WEIGHT_FORMATS[format];
  const cols = Math.max(64, 2 * blockElems);

  it('decodes random blocks as the scalar decoder does', async () => {
    const matrix = randomMatrix(format, 5, cols, randomStream(11));
    expectSame(await embed(matrix, [0, 1, 2, 3, 4], null), matrix.values);
  });

  it('decodes extreme scales and codes as the scalar decoder does', async () => {
    const rows = 32;
    const matrix = extremeMatrix(format, rows, cols);
    expectSame(await embed(matrix, Array.from({ length: rows }, (_, i) => i), null), matrix.values);
  });

  it('looks rows up in any order, over a split, and leaves unused rows alone', async () => {
    const matrix = randomMatrix(format, 9, blockElems === 1 ? 16 : blockElems, randomStream(12));
    const tokens = [8, 0, 3, 3, 4];
    const got = await embed(matrix, tokens, 4, 0.5, 7);
    const want = tokens.flatMap((row) => [...matrix.values.subarray(row * matrix.cols, (row + 1) * matrix.cols)]);
    expectSame(got, Float32Array.from(want, (v) => 0.5 * v));
  });
});

it.each(['F32', 'F16', 'BF16'] as const)('%s rows whose length is no multiple of 16', async (format) => {
  const matrix = randomMatrix(format, 5, 37, randomStream(13));
  expectSame(await embed(matrix, [0, 1, 2, 3, 4], 2), matrix.values);
});

it('decodes every E4M3 scale byte', async () => {
  const file = new Uint8Array(256 * 13);
  for (let byte = 0; byte < 256; byte++) file.set([0xe4, 0xe4, 0, 0, 0, 0, 0, 0, 0xf0, 0, 0, 0, byte], byte * 13);
  const matrix = matrixFrom('W3', 256, 32, file);
  expectSame(await embed(matrix, Array.from({ length: 256 }, (_, i) => i), null), matrix.values);
});
