import { describe, expect, it } from 'vitest';
import type { GgufTypedValue } from '../../../src/formats/gguf_writer.ts';
import { writeGguf } from '../../../src/formats/gguf_writer.ts';
import { openBytes } from '../../support/gguf_bytes.ts';

const META = new Map<string, GgufTypedValue>([['general.architecture', { type: 'string', value: 'qwen3moe' }]]);
const f32 = (name: string, values: number[]) =>
  ({ name, format: 'F32', shape: [values.length], data: new Uint8Array(Float32Array.from(values).buffer) } as const);
const nvfp4 = (name: string, shape: number[]) =>
  ({ name, format: 'NVFP4', shape, data: new Uint8Array(shape.reduce((a, b) => a * b, 1) / 64 * 36) } as const);
const UP = nvfp4('blk.0.ffn_up_exps.weight', [3, 2, 64]);
const Q = nvfp4('blk.0.attn_q.weight', [2, 64]);
type Spec = Parameters<typeof writeGguf>[1][number];
const open = (tensors: readonly Spec[], bigEndian = false) => openBytes(writeGguf(META, tensors, { bigEndian }), 'm.gguf');

describe('scales of whole tensors', () => {
  it.each([false, true])('belong to their NVFP4 tensors (big endian: %s)', async (bigEndian) => {
    const model = await open([
      UP, Q, f32('blk.0.ffn_up_exps.scale', [1, 0.5, 0.25]), f32('blk.0.ffn_up_exps.input_scale', [1, 1, 1]),
      f32('blk.0.attn_q.scale', [0.125]), f32('blk.0.attn_norm.weight', [1]),
    ], bigEndian);
    expect([...model.tensors.keys()]).toEqual([UP.name, Q.name, 'blk.0.attn_norm.weight']);
    expect(model.tensors.get(UP.name)!.tensorScales).toEqual([1, 0.5, 0.25]);
    expect(model.tensors.get(Q.name)!.tensorScales).toEqual([0.125]);
  });

  it('may be absent, and stay visible beside other formats', async () => {
    expect((await open([Q])).tensors.get(Q.name)!.tensorScales).toBeUndefined();
    const other = await open([{ ...f32('blk.0.attn_q.weight', [1, 2]), shape: [1, 2] }, f32('blk.0.attn_q.scale', [2])]);
    expect([...other.tensors.keys()]).toEqual(['blk.0.attn_q.weight', 'blk.0.attn_q.scale']);
  });

  it.each<[string, Spec, string]>([
    ['too few', f32('blk.0.ffn_up_exps.scale', [1, 2]), 'is F32 [2] where blk.0.ffn_up_exps.weight needs F32 [1] or [3]'],
    ['another type', { name: 'blk.0.ffn_up_exps.scale', format: 'F16', shape: [3], data: new Uint8Array(6) }, 'is F16 [3] where blk.0.ffn_up_exps.weight needs F32 [1] or [3]'],
    ['not finite', f32('blk.0.ffn_up_exps.scale', [1, NaN, 2]), 'holds a scale that is no finite number'],
  ])('are refused: %s', async (_, scale, problem) => {
    await expect(open([UP, scale])).rejects.toThrow(
      expect.objectContaining({ name: 'ModelFormatError', message: `m.gguf: the tensor blk.0.ffn_up_exps.scale ${problem}` }));
  });
});
