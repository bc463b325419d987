import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { STEP_OUTPUT_COUNT } from '../../src/compute/webgpu/kernel.ts';
import { linearCalls } from '../../src/compute/webgpu/weight_kernels.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { packedLayout } from '../../src/quant/packed.ts';
import { openRig, TRAITS_BY_REDUCE, type KernelRig } from '../support/kernel_rig.ts';
import { packedPart, randomFloats, randomMatrix, randomStream, type TestMatrix } from '../support/random_weights.ts';

const FORMATS = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];
type Reduce = keyof typeof TRAITS_BY_REDUCE;
/** Token rows that take a matrix-vector product, and such that take a matrix product of more than one tile. */
const FEW = 3;
const MANY = 37;

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterEach(() => rig.clear());
afterAll(() => rig.destroy());

interface Case {
  readonly matrix: TestMatrix;
  readonly reduce: Reduce;
  readonly tokens: number;
  /** Rows that the call is compiled for, where more than `tokens`. */
  readonly capacity?: number;
  /** First rows of the weight's parts after the first. */
  readonly splitAt?: readonly number[];
  readonly bias?: Float32Array;
  readonly residual?: 'in place' | 'separate';
  readonly scale?: number;
  readonly clip?: number;
  readonly x?: Float32Array;
}

/** Runs linearCalls and compares with dot products in f64, within what summing in f32 can be off. */
async function check(c: Case): Promise<void> {
  const { matrix, tokens, capacity = tokens, scale = 1, clip = null } = c;
  const { rows, cols } = matrix;
  const random = randomStream(rows + cols + tokens);
  const x = c.x ?? randomFloats(tokens * cols, random);
  const residual = randomFloats(tokens * rows, random);
  const out = rig.poisoned(capacity * rows);
  if (c.residual === 'in place') rig.device.queue.writeBuffer(out.buffer, 0, residual);
  const starts = [0, ...(c.splitAt ?? []), rows];
  const xPadded = new Float32Array(capacity * cols);
  xPadded.set(x);
  await rig.run(linearCalls({
    label: 'linear', traits: TRAITS_BY_REDUCE[c.reduce], rowCapacity: capacity, countIndex: STEP_OUTPUT_COUNT,
    step: rig.upload(Uint32Array.of(9999, tokens, 0)), dummy: rig.upload(new Uint8Array(16)),
    weight: starts.slice(0, -1).map((begin, i) => ({
      view: rig.upload(packedPart(matrix, begin, starts[i + 1] - begin)),
      layout: packedLayout(matrix.format, starts[i + 1] - begin, cols), firstRow: begin,
    })),
    x: rig.upload(xPadded), out, outCols: rows, bias: c.bias === undefined ? null : rig.upload(c.bias),
    residual: c.residual === undefined ? null : c.residual === 'in place' ? out : rig.upload(residual), scale, clip,
  }));
  const got = await rig.readFloats(out);
  const wrong: string[] = [];
  for (let t = 0; t < tokens; t++) {
    for (let r = 0; r < rows; r++) {
      let dot = 0;
      let magnitude = 0;
      for (let i = 0; i < cols; i++) {
        const term = matrix.values[r * cols + i] * x[t * cols + i];
        dot += term;
        magnitude += Math.abs(term);
      }
      let want = dot + (c.bias?.[r] ?? 0);
      if (clip !== null) want = Math.min(clip, Math.max(-clip, want));
      want = scale * want + (c.residual === undefined ? 0 : residual[t * rows + r]);
      const bound = 2 ** -24 * ((cols + 4) * Math.abs(scale) * magnitude + 4 * Math.abs(want));
      const value = got[t * rows + r];
      if (!(Math.abs(value - want) <= bound)) wrong.push(`[${t}, ${r}] ${value}, not ${want} ± ${bound}`);
    }
  }
  expect(wrong.slice(0, 8)).toEqual([]);
  expect(got.subarray(tokens * rows).every(Number.isNaN), 'rows that are not in use stay as they were').toBe(true);
}

function blockColumns(format: WeightFormatName): number {
  return WEIGHT_FORMATS[format].blockElems === 1 ? 32 : WEIGHT_FORMATS[format].blockElems;
}

const VARIANTS: readonly (readonly [Reduce, number])[] = [
  ['serial', FEW], ['workgroup', FEW], ['subgroup', FEW], ['serial', MANY], ['workgroup', MANY],
];
/** A format of each block size, for what the way to reduce, the tiles and the grid do alone: they know no format. */
const SOME_FORMATS: readonly WeightFormatName[] = ['F16', 'Q8_0', 'Q6_K'];

describe.each(FORMATS)('%s', (format) => {
  const cols = blockColumns(format);
  const some = SOME_FORMATS.includes(format);
  const variants = VARIANTS.filter(([reduce, tokens]) => some || reduce !== 'workgroup' || tokens === MANY);

  it.each(variants)('%s, %i tokens', async (reduce, tokens) => {
    // 70 rows are no multiple of a team or a tile; three blocks of 32 columns end within a tile.
    const matrix = randomMatrix(format, 70, cols === 32 ? 96 : 2 * cols, randomStream(21));
    await check({ matrix, reduce, tokens });
    if (some || (reduce === 'serial' && tokens === FEW)) {
      await check({ matrix: randomMatrix(format, 1, cols, randomStream(22)), reduce, tokens });
    }
  });
});

describe.each<Reduce>(['serial', 'workgroup', 'subgroup'])('%s', (reduce) => {
  it.each([[FEW, 5], [MANY, 64]])('%i tokens: bias, clip, scale and residual', async (tokens, capacity) => {
    const matrix = randomMatrix('Q8_0', 70, 96, randomStream(23));
    const bias = randomFloats(70, randomStream(24));
    await check({ matrix, reduce, tokens, bias, clip: 1.5, scale: 0.75, residual: 'separate' });
    await check({ matrix, reduce, tokens, capacity, bias, scale: -2, residual: 'in place' });
  });

  it.each([FEW, MANY])('%i tokens: a weight split by rows', async (tokens) => {
    const matrix = randomMatrix('Q4_0', 150, 64, randomStream(25));
    await check({ matrix, reduce, tokens, splitAt: [64, 128], bias: randomFloats(150, randomStream(26)), residual: 'in place' });
  });

  it.each([1, FEW, MANY])('%i tokens: rows whose length is no multiple of 16', async (tokens) => {
    for (const format of ['F32', 'F16', 'BF16'] as const) {
      await check({ matrix: randomMatrix(format, 6, 37, randomStream(27)), reduce, tokens });
      await check({ matrix: randomMatrix(format, 3, 1, randomStream(28)), reduce, tokens });
    }
  });

  it.each([1, FEW, MANY])('%i tokens: fewer in use than there is room for', async (tokens) => {
    const matrix = randomMatrix('F16', 9, 64, randomStream(29));
    await check({ matrix, reduce, tokens, capacity: tokens < 8 ? 7 : 64 });
    await check({ matrix, reduce, tokens: 0, capacity: tokens });
  });

  it('rows longer than one pass of a team', async () => {
    await check({ matrix: randomMatrix('Q4_0', 5, 5 * 1024, randomStream(30)), reduce, tokens: 1 });
  });
});

it('more weight rows than one grid dimension holds', async () => {
  const matrix = randomMatrix('F16', 4 * 65_535 + 6, 1, randomStream(31));
  await check({ matrix, reduce: 'workgroup', tokens: 1 });
});
