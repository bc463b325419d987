import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { STEP_TOKEN_COUNT } from '../../src/compute/webgpu/kernel.ts';
import { expertCalls, expertScratchByteLengths } from '../../src/compute/webgpu/weight_kernels.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import type { ExpertMatrixEntry } from '../../src/storage/model_source.ts';
import { openRig, TRAITS_BY_REDUCE, type KernelRig } from '../support/kernel_rig.ts';
import { randomFloats, randomMatrix, randomStream, type TestMatrix } from '../support/random_weights.ts';

const FORMATS = Object.keys(WEIGHT_FORMATS) as WeightFormatName[];
type Reduce = keyof typeof TRAITS_BY_REDUCE;
const FEW = 3;
const MANY = 37;

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterEach(() => rig.clear());
afterAll(() => rig.destroy());

interface Layer {
  readonly hidden: number;
  readonly ffn: number;
  readonly experts: readonly { readonly gate: TestMatrix; readonly up: TestMatrix; readonly down: TestMatrix }[];
}

function randomLayer(
  formats: { gate: WeightFormatName; up: WeightFormatName; down: WeightFormatName }, hidden: number, ffn: number, count: number,
): Layer {
  const random = randomStream(hidden + ffn + count);
  return {
    hidden, ffn,
    experts: Array.from({ length: count }, () => ({
      gate: randomMatrix(formats.gate, ffn, hidden, random), up: randomMatrix(formats.up, ffn, hidden, random),
      down: randomMatrix(formats.down, hidden, ffn, random),
    })),
  };
}

function multiply(m: TestMatrix, x: ArrayLike<number>, at: number): Float64Array {
  return Float64Array.from({ length: m.rows }, (_, r) => {
    let dot = 0;
    for (let i = 0; i < m.cols; i++) dot += m.values[r * m.cols + i] * x[at + i];
    return dot;
  });
}

function entry({ format, rows, cols, packed }: TestMatrix, byteOffset: number): ExpertMatrixEntry {
  return { format, rows, cols, byteOffset, byteLength: packed.byteLength };
}

interface Case {
  readonly layer: Layer;
  readonly reduce: Reduce;
  readonly tokens: number;
  readonly capacity?: number;
  readonly topK: number;
  /** Experts in each slab. */
  readonly slabs: readonly number[];
  readonly residual?: 'in place' | 'separate';
  readonly scale?: number;
  /** Chooses the experts of a token; default random without repetition. */
  readonly idsOf?: (token: number) => readonly number[];
}

/** Runs the chain and gives out's rows, after checking that nothing beyond them was written. */
async function runExperts(c: Case): Promise<{ got: Float32Array; want: Float64Array }> {
  const { layer, tokens, capacity = tokens, topK, scale = 1 } = c;
  const { hidden, ffn, experts } = layer;
  const traits = TRAITS_BY_REDUCE[c.reduce];
  const random = randomStream(tokens + topK);
  const x = randomFloats(capacity * hidden, random);
  const gates = randomFloats(capacity * topK, random);
  const residual = randomFloats(capacity * hidden, random);
  const ids = new Uint32Array(capacity * topK).fill(0xffffffff);
  for (let t = 0; t < tokens; t++) {
    const pool = experts.map((_, e) => e);
    ids.set(c.idsOf?.(t) ?? Array.from({ length: topK }, () => pool.splice(Math.floor(random() * pool.length), 1)[0]), t * topK);
  }

  const { gate, up, down } = experts[0];
  const upAt = gate.packed.byteLength;
  const downAt = upAt + up.packed.byteLength;
  const strideByteLength = downAt + down.packed.byteLength + 32;
  const shapes = { gate: entry(gate, 0), up: entry(up, upAt), down: entry(down, downAt) };
  let firstExpert = 0;
  const slabs = c.slabs.map((expertCount) => {
    const bytes = new Uint8Array(expertCount * strideByteLength).fill(0xee);
    for (let e = 0; e < expertCount; e++) {
      const weights = experts[firstExpert + e];
      bytes.set(weights.gate.packed, e * strideByteLength);
      bytes.set(weights.up.packed, e * strideByteLength + upAt);
      bytes.set(weights.down.packed, e * strideByteLength + downAt);
    }
    const slab = { view: rig.upload(bytes), firstExpert, expertCount };
    firstExpert += expertCount;
    return slab;
  });
  expect(firstExpert).toBe(experts.length);

  const out = rig.poisoned(capacity * hidden);
  if (c.residual === 'in place') rig.device.queue.writeBuffer(out.buffer, 0, residual, 0, tokens * hidden);
  const sizes = expertScratchByteLengths(shapes, capacity, topK, experts.length, traits, false);
  const poisonedBytes = (byteLength: number) => rig.upload(new Uint8Array(byteLength).fill(0xff));
  await rig.run(expertCalls({
    label: 'experts', traits, rowCapacity: capacity, countIndex: STEP_TOKEN_COUNT, step: rig.upload(Uint32Array.of(tokens, 0, 0)),
    dummy: rig.upload(new Uint8Array(16)), shapes, slabs, strideByteLength, expertCount: experts.length, topK,
    x: rig.upload(x), ids: rig.upload(ids), weights: rig.upload(gates), out,
    residual: c.residual === undefined ? null : c.residual === 'in place' ? out : rig.upload(residual), scale,
    scratch: {
      hidden: poisonedBytes(sizes.hidden), down: poisonedBytes(sizes.down), pairs: poisonedBytes(sizes.pairs),
      tiles: poisonedBytes(sizes.tiles),
    },
  }));
  const all = await rig.readFloats(out);
  expect(all.subarray(tokens * hidden).every(Number.isNaN), 'rows that are not in use stay as they were').toBe(true);

  const want = new Float64Array(tokens * hidden);
  for (let t = 0; t < tokens; t++) {
    for (let k = 0; k < topK; k++) {
      const expert = experts[ids[t * topK + k]];
      const ups = multiply(expert.up, x, t * hidden);
      const h = multiply(expert.gate, x, t * hidden).map((g, i) => g / (1 + Math.exp(-g)) * ups[i]);
      multiply(expert.down, h, 0).forEach((d, i) => { want[t * hidden + i] += scale * gates[t * topK + k] * d; });
    }
    for (let i = 0; i < hidden; i++) want[t * hidden + i] += c.residual === undefined ? 0 : residual[t * hidden + i];
  }
  expect(ffn).toBe(gate.rows);
  return { got: all.subarray(0, tokens * hidden), want };
}

/** Relative L2 error of each row. */
function expectClose(got: Float32Array, want: Float64Array, cols: number): void {
  for (let row = 0; row < want.length; row += cols) {
    let error = 0;
    let norm = 0;
    for (let i = row; i < row + cols; i++) {
      error += (got[i] - want[i]) ** 2;
      norm += want[i] ** 2;
    }
    expect(Math.sqrt(error / norm), `row ${row / cols}`).toBeLessThan(5e-6);
  }
}

async function check(c: Case): Promise<void> {
  const { got, want } = await runExperts(c);
  expectClose(got, want, c.layer.hidden);
}

const VARIANTS: [Reduce, number][] = [
  ['serial', FEW], ['workgroup', FEW], ['subgroup', FEW], ['serial', MANY], ['workgroup', MANY],
];

describe.each(FORMATS)('%s', (format) => {
  const { blockElems } = WEIGHT_FORMATS[format];
  const hidden = 96 % blockElems === 0 ? 96 : Math.max(128, blockElems);
  const layer = randomLayer({ gate: format, up: format, down: format }, hidden, Math.max(64, blockElems), 5);

  // How few tokens' products are reduced knows no format: the tests below have the other ways.
  const variants = VARIANTS.filter(([reduce, tokens]) => reduce === 'subgroup' || tokens === MANY);

  it.each(variants)('%s, %i tokens', async (reduce, tokens) => {
    await check({ layer, reduce, tokens, topK: 2, slabs: [5] });
  });
});

describe.each(VARIANTS)('%s, %i tokens', (reduce, tokens) => {
  it('gate, up and down in different formats', async () => {
    const layer = randomLayer({ gate: 'F16', up: 'Q8_0', down: 'Q4_0' }, 64, 96, 4);
    await check({ layer, reduce, tokens, topK: 3, slabs: [4], scale: 0.5, residual: 'separate' });
  });

  it('gives the same bits however the experts are split, and on every run', async () => {
    const layer = randomLayer({ gate: 'Q4_0', up: 'Q4_0', down: 'Q8_0' }, 64, 96, 6);
    const c: Case = { layer, reduce, tokens, topK: 4, slabs: [6], residual: 'in place' };
    const whole = await runExperts(c);
    expectClose(whole.got, whole.want, 64);
    for (const slabs of [[6], [1, 2, 3]]) expect((await runExperts({ ...c, slabs })).got).toEqual(whole.got);
  });

  it('fewer tokens in use than there is room for', async () => {
    const layer = randomLayer({ gate: 'W2', up: 'W2', down: 'W2' }, 64, 32, 4);
    await check({ layer, reduce, tokens, capacity: tokens < 8 ? 7 : 64, topK: 2, slabs: [1, 3], residual: 'in place' });
  });

  it('all tokens on one expert, the last', async () => {
    const layer = randomLayer({ gate: 'BF16', up: 'BF16', down: 'BF16' }, 16, 20, 9);
    await check({ layer, reduce, tokens, topK: 1, slabs: [9], idsOf: () => [8] });
  });
});

it('groups pairs by expert into tiles that cover each pair once', async () => {
  const topK = 2;
  const capacity = 100;
  const layer = randomLayer({ gate: 'F32', up: 'F32', down: 'F32' }, 16, 16, 7);
  for (const [reduce, tileRows] of [['serial', 16], ['workgroup', 32]] as const) {
    for (const tokens of [0, 1, 63, 100]) {
      const traits = TRAITS_BY_REDUCE[reduce];
      const { gate, up, down } = layer.experts[0];
      const shapes = { gate: entry(gate, 0), up: entry(up, 0), down: entry(down, 0) };
      const sizes = expertScratchByteLengths(shapes, capacity, topK, 7, traits, false);
      const random = randomStream(tokens);
      // Expert 3 gets most pairs, expert 5 none.
      const pool = [0, 1, 2, 3, 3, 3, 3, 3, 4, 6];
      const ids = Uint32Array.from({ length: tokens * topK }, () => pool[Math.floor(random() * pool.length)]);
      const scratch = {
        hidden: rig.poisoned(1), down: rig.poisoned(1), pairs: rig.upload(new Uint8Array(sizes.pairs)),
        tiles: rig.upload(new Uint8Array(sizes.tiles).fill(0xff)),
      };
      const dummy = rig.upload(new Uint8Array(16));
      const group = expertCalls({
        label: 'group', traits, rowCapacity: capacity, countIndex: STEP_TOKEN_COUNT, dummy,
        step: rig.upload(Uint32Array.of(tokens)),
        shapes, slabs: [], strideByteLength: 16, expertCount: 7, topK, x: dummy, ids: rig.upload(ids), weights: dummy,
        out: rig.poisoned(1), residual: null, scale: 1, scratch,
      }).slice(0, 1);
      await rig.run(group);
      const sorted = [...(await rig.readWords(scratch.pairs)).subarray(0, ids.length)];
      expect(sorted).toEqual([...ids.keys()].sort((a, b) => ids[a] - ids[b] || a - b));
      const tiles = await rig.readWords(scratch.tiles);
      const covered: number[] = [];
      for (let i = 0; i < tiles.length; i += 4) {
        const [expert, start, count] = tiles.subarray(i, i + 3);
        expect(count).toBeLessThanOrEqual(tileRows);
        for (let j = start; j < start + count; j++) {
          covered.push(j);
          expect(ids[sorted[j]]).toBe(expert);
        }
      }
      expect(covered.sort((a, b) => a - b)).toEqual([...ids.keys()]);
    }
  }
});
