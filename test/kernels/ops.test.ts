/** Kernels that read no quantised weights, against the scalar kernels of the reference back end. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attendRow, rmsNorm, rope, route, sigmoid, silu } from '../../src/compute/reference/kernels.ts';
import type { Activation } from '../../src/compute/ops.ts';
import type { BufferView } from '../../src/compute/webgpu/kernel.ts';
import { ropeTable } from '../../src/compute/webgpu/kv_cache.ts';
import {
  attentionCall, gatedCall, kvWriteCall, rmsNormCall, ropeCall, routerCall, selectOutputsCall, sigmoidScaleCall, type OpContext,
} from '../../src/compute/webgpu/op_kernels.ts';
import { openRig, TRAITS_BY_REDUCE, type KernelRig } from '../support/kernel_rig.ts';
import { randomFloats, randomStream } from '../support/random_weights.ts';
import { OP_TOLERANCE } from '../support/tolerances.ts';

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterEach(() => rig.clear());
afterAll(() => rig.destroy());

let ids = 0;
const activation = (cols: number, label = 'x', dtype: 'f32' | 'u32' = 'f32'): Activation => ({ id: ids++, cols, rows: 'batch', dtype, label });

/** Context of `tokens` rows in use out of `capacity`, from `position` on, over the given views. */
function contextOf(
  views: ReadonlyMap<Activation, BufferView>, tokens: number, capacity: number, position: number, traits: OpContext['traits'],
): OpContext {
  return {
    traits, rowCapacity: capacity, outputCapacity: capacity, step: rig.upload(Uint32Array.of(tokens, tokens, position)),
    dummy: rig.upload(new Uint8Array(16)), view: (a) => views.get(a)!,
  };
}

/** Largest difference relative to the largest expected magnitude; what lies past `expected` must still be NaN. */
function expectClose(got: Float32Array, expected: ArrayLike<number>, tolerance = OP_TOLERANCE, untouchedFrom = expected.length): void {
  const largest = Math.max(...Array.from(expected, Math.abs), 1e-30);
  let worst = 0;
  for (let i = 0; i < expected.length; i++) worst = Math.max(worst, Number.isNaN(got[i]) ? Infinity : Math.abs(got[i] - expected[i]));
  expect(worst / largest).toBeLessThanOrEqual(tolerance);
  expect(got.subarray(untouchedFrom).every(Number.isNaN)).toBe(true);
}

const ROWS = 3;
const CAPACITY = 5;

describe.each([['graphics card', TRAITS_BY_REDUCE.workgroup], ['software adapter', TRAITS_BY_REDUCE.serial]])('%s', (_, traits) => {
  it.each([[1, 64], [4, 16], [1, 300], [1, 5], [3, 96]])('rms_norm of %i runs of %i', async (runs, group) => {
    const cols = runs * group;
    const random = randomStream(cols);
    const x = randomFloats(ROWS * cols, random);
    const weight = randomFloats(group, random);
    const expected = new Float32Array(ROWS * cols);
    rmsNorm(x, expected, x.length, { cols: group, at: () => 0, values: weight } as never, 1e-6);
    for (const inPlace of [false, true]) {
      const from = activation(cols);
      const out = inPlace ? from : activation(cols);
      const poisoned = rig.poisoned(CAPACITY * cols);
      if (inPlace) rig.device.queue.writeBuffer(poisoned.buffer, 0, x);
      const views = new Map([[from, inPlace ? poisoned : rig.upload(x)], [out, poisoned]]);
      const op = { kind: 'rms_norm', layer: 0, x: from, weight: 'w', out, eps: 1e-6, groupElems: group } as const;
      await rig.run([rmsNormCall(op, rig.upload(weight), contextOf(views, ROWS, CAPACITY, 0, traits))]);
      expectClose(await rig.readFloats(poisoned), expected);
    }
  });

  it.each([['half', 16, 8], ['interleaved', 16, 8], ['half', 16, 4], ['interleaved', 128, 64]] as const)('rope %s of heads of %i, %i pairs', async (style, headDim, half) => {
    const cols = 2 * headDim;
    const invFreq = Float32Array.from({ length: half }, (__, i) => 10000 ** (-i / half));
    const x = randomFloats(ROWS * cols, randomStream(headDim + half));
    const expected = Float32Array.from(x);
    rope(expected, ROWS, cols, 90, { headDim, invFreq, style, scale: 1.25 });
    const target = activation(cols);
    const view = rig.poisoned(CAPACITY * cols);
    rig.device.queue.writeBuffer(view.buffer, 0, x);
    const op = { kind: 'rope', layer: 0, x: target, headDim, invFreq, style, scale: 1.25 } as const;
    await rig.run([ropeCall(op, ropeTable(rig.device, 100, invFreq, 1.25), contextOf(new Map([[target, view]]), ROWS, CAPACITY, 90, traits))]);
    expectClose(await rig.readFloats(view), expected);
  });

  it.each([
    [4, 4, 16, null, 0], [4, 2, 16, null, 150], [8, 2, 64, 40, 130], [2, 1, 128, null, 63], [2, 2, 6, 3, 1],
  ])('attention: %i heads over %i, head_dim %i, window %s, from position %i', async (headCount, kvHeadCount, headDim, window, position) => {
    const random = randomStream(headCount * headDim + position);
    const shape = { headCount, kvHeadCount, headDim, scale: 1 / Math.sqrt(headDim), window };
    const qCols = headCount * headDim;
    const kvCols = kvHeadCount * headDim;
    const total = position + ROWS;
    const f16 = (a: Float32Array): Float32Array => Float32Array.from(a, (v) => roundToHalf(v));
    const keys = f16(randomFloats(total * kvCols, random));
    const values = f16(randomFloats(total * kvCols, random));
    const q = randomFloats(ROWS * qCols, random);
    const expected = new Float32Array(ROWS * qCols);
    for (let row = 0; row < ROWS; row++) attendRow(q, row, keys, values, expected, position + row, shape);

    const [qa, ka, va, out] = [activation(qCols), activation(kvCols), activation(kvCols), activation(qCols)];
    const outView = rig.poisoned(CAPACITY * qCols);
    const newRows = (a: Float32Array): BufferView => rig.upload(a.slice(position * kvCols));
    const views = new Map([[qa, rig.upload(q)], [ka, newRows(keys)], [va, newRows(values)], [out, outView]]);
    const cacheOf = (a: Float32Array): BufferView => rig.upload(Uint16Array.from({ length: (total + 2) * kvCols }, (__, i) =>
      i < position * kvCols ? halfBits(a[i]) : 0x7e00));
    const op = { kind: 'attention', layer: 0, q: qa, k: ka, v: va, out, ...shape } as const;
    const cache = { k: cacheOf(keys), v: cacheOf(values) };
    const context = contextOf(views, ROWS, CAPACITY, position, traits);
    await rig.run([kvWriteCall(op, cache, context), attentionCall(op, cache, context)]);
    expectClose(await rig.readFloats(outView), expected);
  });

  it.each([[8, 2, true], [8, 2, false], [64, 8, false], [512, 10, true], [5, 5, true], [3, 1, false]])('router: %i experts, top %i, normalised %s', async (expertCount, topK, normalize) => {
    const logits = randomFloats(ROWS * expertCount, randomStream(expertCount));
    // A tie for the last row: the lower id comes first.
    logits[2 * expertCount] = logits[2 * expertCount + expertCount - 1];
    const shape = { expertCount, topK, normalize, scale: 2.5 };
    const expectedIds = new Uint32Array(ROWS * topK);
    const expectedWeights = new Float32Array(ROWS * topK);
    for (let row = 0; row < ROWS; row++) route(logits, row, expectedIds, expectedWeights, shape);
    const [la, ia, wa] = [activation(expertCount), activation(topK, 'ids', 'u32'), activation(topK)];
    const views = new Map([[la, rig.upload(logits)], [ia, rig.poisoned(CAPACITY * topK)], [wa, rig.poisoned(CAPACITY * topK)]]);
    const op = { kind: 'router', layer: 0, logits: la, ids: ia, weights: wa, ...shape } as const;
    await rig.run([routerCall(op, null, contextOf(views, ROWS, CAPACITY, 0, traits))]);
    expect([...(await rig.readWords(views.get(ia)!)).subarray(0, ROWS * topK)]).toEqual([...expectedIds]);
    expectClose(await rig.readFloats(views.get(wa)!), expectedWeights);
  });

  it('gated, in place and not', async () => {
    const cols = 70;
    const random = randomStream(7);
    const gate = randomFloats(ROWS * cols, random).map((v) => 8 * v);
    const up = randomFloats(ROWS * cols, random);
    const expected = gate.map((g, i) => silu(g) * up[i]);
    for (const inPlace of [false, true]) {
      const [ga, ua] = [activation(cols), activation(cols)];
      const out = inPlace ? ga : activation(cols);
      const poisoned = rig.poisoned(CAPACITY * cols);
      if (inPlace) rig.device.queue.writeBuffer(poisoned.buffer, 0, gate);
      const views = new Map([[ga, inPlace ? poisoned : rig.upload(gate)], [ua, rig.upload(up)], [out, poisoned]]);
      const op = { kind: 'gated', layer: 0, gate: ga, up: ua, out, activation: 'silu' } as const;
      await rig.run([gatedCall(op, contextOf(views, ROWS, CAPACITY, 0, traits))]);
      expectClose(await rig.readFloats(poisoned), expected);
    }
  });

  it('sigmoid_scale adds to the residual', async () => {
    const cols = 70;
    const random = randomStream(8);
    const [x, gate, residual] = [randomFloats(ROWS * cols, random), randomFloats(ROWS, random).map((v) => 4 * v), randomFloats(ROWS * cols, random)];
    const expected = x.map((v, i) => residual[i] + 0.5 * sigmoid(gate[Math.floor(i / cols)]) * v);
    const [xa, ga, out] = [activation(cols), activation(1), activation(cols)];
    const view = rig.poisoned(CAPACITY * cols);
    rig.device.queue.writeBuffer(view.buffer, 0, residual);
    const views = new Map([[xa, rig.upload(x)], [ga, rig.upload(gate)], [out, view]]);
    const op = { kind: 'sigmoid_scale', layer: 0, x: xa, gate: ga, out, residual: out, scale: 0.5 } as const;
    await rig.run([sigmoidScaleCall(op, contextOf(views, ROWS, CAPACITY, 0, traits))]);
    expectClose(await rig.readFloats(view), expected);
  });

  it('select_outputs copies the rows asked for', async () => {
    const cols = 33;
    const x = randomFloats(6 * cols, randomStream(9));
    const [xa, out] = [activation(cols), activation(cols)];
    const views = new Map([[xa, rig.upload(x)], [out, rig.poisoned(CAPACITY * cols)]]);
    const op = { kind: 'select_outputs', layer: null, x: xa, out } as const;
    const rows = [5, 0, 2];
    await rig.run([selectOutputsCall(op, rig.upload(Uint32Array.from(rows)), contextOf(views, ROWS, CAPACITY, 0, traits))]);
    expectClose(await rig.readFloats(views.get(out)!), rows.flatMap((row) => [...x.subarray(row * cols, (row + 1) * cols)]), 0);
  });
});

const halves = new DataView(new ArrayBuffer(4));

/** f16 bits of a value that is small and normal, rounded to nearest even. */
function halfBits(value: number): number {
  halves.setFloat32(0, value);
  const bits = halves.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude < 0x38800000) return sign;
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000;
  return sign | (rounded >>> 13);
}

function roundToHalf(value: number): number {
  const bits = halfBits(value);
  const magnitude = bits & 0x7fff;
  if (magnitude === 0) return 0;
  return (bits & 0x8000 ? -1 : 1) * (1 + (magnitude & 0x3ff) / 1024) * 2 ** ((magnitude >>> 10) - 15);
}
