import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import type { Checkpoint, TensorRef } from '../../../src/formats/checkpoint.ts';
import { openSafetensors } from '../../../src/formats/safetensors.ts';
import { decodeRows } from '../../../src/quant/pack.ts';
import {
  awq, bytes, floats, fp8, fp8Value, gptq, mxfp4, nvfp4, packedInt4, words, type Matrix, type Quantised,
} from '../../support/quantised_weights.ts';
import { randomFloats, randomStream } from '../../support/random_weights.ts';
import { writeSafetensors, type SafetensorsTensor } from '../../support/safetensors_writer.ts';

function openTensors(tensors: readonly SafetensorsTensor[], quantization: object | null, more: object = {}): Promise<Checkpoint> {
  const file = (name: string, content: Uint8Array) => [name, bytesSource(name, content)] as const;
  const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
  return openSafetensors(new Map([
    file('m.safetensors', writeSafetensors(tensors)),
    file('config.json', json({ ...(quantization ? { quantization_config: quantization } : {}), ...more })),
  ]), 'm');
}

/** All weights, with the factors of their matrices. */
async function decode(tensor: TensorRef): Promise<Float32Array> {
  const cols = tensor.shape[tensor.shape.length - 1];
  const rows = tensor.shape.slice(0, -1).reduce((a, b) => a * b, 1);
  const values = decodeRows(tensor.format, await tensor.source.read(tensor.byteOffset, tensor.byteLength), rows, cols);
  const scales = tensor.tensorScales ?? [1];
  return values.map((v, i) => v * scales[Math.floor((i * scales.length) / values.length)]);
}

const matrix = (name: string, shape: number[], seed = 1): Matrix =>
  ({ name, shape, values: randomFloats(shape.reduce((a, b) => a * b, 1), randomStream(seed)) });
const W = 'model.layers.0.mlp.experts.3.up_proj.weight';
const FP8 = { quant_method: 'fp8', weight_block_size: [128, 128] };
const CT = (weights: object, format: string) => ({ quant_method: 'compressed-tensors', format, config_groups: { group_0: { weights } } });
const INT4 = { num_bits: 4, type: 'int', strategy: 'group', group_size: 32 };
const GPTQ = { quant_method: 'gptq', bits: 4, group_size: 32, desc_act: false, sym: true };
const AWQ = { quant_method: 'awq', bits: 4, group_size: 32, zero_point: true, version: 'gemm' };

const SCHEMES: [string, object | null, string, Quantised][] = [
  ['FP8 in blocks of 128 × 128', FP8, 'F8_E4M3', fp8(matrix(W, [130, 256]), { tile: [128, 128] })],
  ['FP8 with a block over the end of the rows', FP8, 'F8_E4M3_32', fp8(matrix(W, [130, 160]), { tile: [128, 128] })],
  ['FP8 in blocks of another size', { ...FP8, weight_block_size: [16, 32] }, 'F8_E4M3_32', fp8(matrix(W, [40, 128]), { tile: [16, 32] })],
  ['FP8 with bf16 scales of the rows', CT({ num_bits: 8, type: 'float', strategy: 'channel' }, 'float-quantized'), 'F8_E4M3',
    fp8(matrix(W, [9, 128]), { tile: [1, 128], suffix: '_scale', scaleDtype: 'BF16' })],
  ['FP8 with a list of scales of the rows', { quant_method: 'modelopt', quant_algo: 'FP8' }, 'F8_E4M3',
    fp8(matrix(W, [9, 256]), { tile: [1, 256], suffix: '_scale', scaleShape: [9] })],
  ['FP8 with one scale', { quant_method: 'modelopt', quant_algo: 'FP8' }, 'F8_E4M3', fp8(matrix(W, [9, 128]), { tile: [9, 128], suffix: '_scale', scaleShape: [] })],
  ['FP8 in blocks as modelopt shapes their scales', { quant_method: 'modelopt', quant_algo: 'FP8_PB_WO' }, 'F8_E4M3',
    fp8(matrix(W, [130, 256]), { tile: [128, 128], suffix: '_scale', scaleShape: [2, 1, 2, 1] })],
  ['FP8 in blocks of whole columns', { ...FP8, weight_block_size: [-1, 128] }, 'F8_E4M3', fp8(matrix(W, [40, 256]), { tile: [40, 128] })],
  ['E5M2', FP8, 'F8_E5M2', fp8(matrix(W, [4, 128]), { dtype: 'F8_E5M2', tile: [128, 128] })],
  ['E5M2 in rows of 32', FP8, 'F8_E5M2_32', fp8(matrix(W, [4, 32]), { dtype: 'F8_E5M2', tile: [128, 128] })],
  ['MXFP4 of gpt-oss', { quant_method: 'mxfp4' }, 'MXFP4', mxfp4(matrix('mlp.experts.gate_up_proj', [3, 6, 64]), 'gpt-oss')],
  ['MXFP4 of compressed-tensors', CT({ num_bits: 4, type: 'float' }, 'mxfp4-pack-quantized'), 'MXFP4', mxfp4(matrix(W, [5, 96]), 'compressed-tensors')],
  ['NVFP4 of modelopt', { quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'NVFP4', nvfp4(matrix(W, [5, 128]), 'modelopt')],
  ['NVFP4 of modelopt, stacked experts', { quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'NVFP4', nvfp4(matrix('mlp.experts.down_proj', [3, 4, 64]), 'modelopt')],
  ['NVFP4 of compressed-tensors', CT({ num_bits: 4, type: 'float' }, 'nvfp4-pack-quantized'), 'NVFP4', nvfp4(matrix(W, [5, 64]), 'compressed-tensors')],
  ['GPTQ, first format, symmetric', GPTQ, 'INT4_32', gptq(matrix(W, [24, 96]), 32, 1, true)],
  ['GPTQ, first format, asymmetric', { ...GPTQ, group_size: 128, sym: false }, 'INT4', gptq(matrix(W, [16, 256]), 128, 1, false)],
  ['GPTQ, second format', { ...GPTQ, checkpoint_format: 'gptq_v2', desc_act: true, group_size: 64 }, 'INT4_32', gptq(matrix(W, [16, 128]), 64, 2, false)],
  ['GPTQ with one group', { ...GPTQ, group_size: -1 }, 'INT4', gptq(matrix(W, [8, 128]), 128, 1, true)],
  ['GPTQ of auto-round', { quant_method: 'auto-round', bits: 4, group_size: 32, packing_format: 'auto_round:auto_gptq' }, 'INT4_32', gptq(matrix(W, [8, 32]), 32, 1, true)],
  ['AWQ', AWQ, 'INT4_32', awq(matrix(W, [24, 96]), 32)],
  ['AWQ in groups of 128', { ...AWQ, group_size: 128 }, 'INT4', awq(matrix(W, [16, 256]), 128)],
  ['4-bit integers of compressed-tensors', CT(INT4, 'pack-quantized'), 'INT4_32', packedInt4(matrix(W, [11, 96]), 32, true)],
  ['4-bit integers with zero points', CT({ ...INT4, group_size: 128 }, 'pack-quantized'), 'INT4', packedInt4(matrix(W, [11, 256]), 128, false)],
  ['4-bit integers with a scale a row', CT({ ...INT4, strategy: 'channel' }, 'pack-quantized'), 'INT4', packedInt4(matrix(W, [11, 128]), 128, true)],
];

describe('quantised tensors', () => {
  it.each(SCHEMES)('%s', async (_, config, format, { tensors, values }) => {
    const extra = floats('model.norm.weight', [2], [1, 2]);
    const model = await openTensors([...tensors, extra], config);
    const [name] = [...model.tensors.keys()].filter((key) => key !== extra.name);
    expect(name.replace(/weight$/, '')).toBe(tensors[0].name.replace(/(qweight|weight|weight_packed|_blocks)$/, ''));
    expect([...model.tensors.keys(), ...model.unsupportedTensors!.keys()].toSorted()).toEqual([name, extra.name].toSorted());
    const tensor = model.tensors.get(name)!;
    expect(tensor.format).toBe(format);
    expect(await decode(tensor)).toEqual(values);
  });

  it.each(SCHEMES)('%s: any range reads the same', async (_, config, _format, { tensors }) => {
    const { source, byteLength } = [...(await openTensors(tensors, config)).tensors.values()][0];
    const whole = await source.read(0, byteLength);
    const random = randomStream(5);
    for (let i = 0; i < 20; i++) {
      const begin = Math.floor(random() * byteLength);
      const length = Math.floor(random() * (byteLength - begin + 1));
      expect(await source.read(begin, length)).toEqual(whole.subarray(begin, begin + length));
    }
    await expect(source.read(1, byteLength)).rejects.toThrow(RangeError);
  });

  it('NaN codes and infinities of FP8 propagate', async () => {
    const codes = Uint8Array.from({ length: 256 }, (_, i) => i);
    for (const dtype of ['F8_E4M3', 'F8_E5M2']) {
      const model = await openTensors([bytes(W, dtype, [2, 128], codes), floats(`${W}_scale_inv`, [1, 1], [0.5])], FP8);
      expect([...await decode(model.tensors.get(W)!)]).toEqual([...codes].map((byte) => fp8Value(byte, dtype) * 0.5));
    }
  });

  it('FP8 without scales or quantization_config stands for itself', async () => {
    const codes = Uint8Array.from({ length: 64 }, (_, i) => i);
    const model = await openTensors([bytes('w', 'F8_E4M3', [2, 32], codes)], null);
    expect([...await decode(model.tensors.get('w')!)]).toEqual([...codes].map((byte) => fp8Value(byte, 'F8_E4M3')));
  });

  it('scales of stacked experts may be one for each', async () => {
    const codes = new Uint8Array(3 * 2 * 32).fill(0x38);
    const model = await openTensors([bytes('e.gate_up_proj', 'F8_E4M3', [3, 2, 32], codes), floats('e.gate_up_proj_scale', [3, 1, 1], [1, 2, 3])], FP8);
    const values = await decode(model.tensors.get('e.gate_up_proj')!);
    expect([0, 64, 128].map((i) => values[i])).toEqual([1, 2, 3]);
  });

  it('what serves activations and caches only is left out; a bias of zeros too', async () => {
    const { tensors } = gptq(matrix('m.experts.0.w1.weight', [8, 32]), 32, 1, true);
    const zeros = bytes('m.experts.0.w1.bias', 'F16', [8], new Uint8Array(16));
    const scale = (name: string) => floats(name, [1], [1]);
    const model = await openTensors([...tensors, zeros, scale('m.k_proj.k_scale'), scale('m.x.input_scale')], GPTQ);
    expect([...model.tensors.keys()]).toEqual(['m.experts.0.w1.weight']);
    const real = await openTensors([...tensors, bytes(zeros.name, 'F16', [8], new Uint8Array(16).fill(1))], GPTQ);
    expect([...real.tensors.keys()]).toContain(zeros.name);
  });

  it('modelopt may keep its configuration in a file of its own', async () => {
    const { tensors } = nvfp4(matrix(W, [2, 64]), 'modelopt');
    const file = (name: string, content: Uint8Array) => [name, bytesSource(name, content)] as const;
    const open = (algorithm: string) => openSafetensors(new Map([
      file('m.safetensors', writeSafetensors([...tensors, floats('x.k_scale', [], [1])])), file('config.json', new TextEncoder().encode('{}')),
      file('hf_quant_config.json', new TextEncoder().encode(JSON.stringify({ quantization: { quant_algo: algorithm } }))),
    ]), 'm');
    expect([...(await open('NVFP4')).tensors.keys()]).toEqual([W]);
    await expect(open('W4A8_AWQ')).rejects.toThrow('the quantisation algorithm "W4A8_AWQ" of modelopt isn\'t supported');
  });

  it('reads no more than it needs', async () => {
    const { tensors } = fp8(matrix(W, [256, 256]), { tile: [128, 128] });
    const inner = bytesSource('m.safetensors', writeSafetensors(tensors));
    let read = 0;
    const counting = { ...inner, read: (at: number, length: number) => { read += length; return inner.read(at, length); } };
    const config = bytesSource('config.json', new TextEncoder().encode(JSON.stringify({ quantization_config: FP8 })));
    const model = await openSafetensors(new Map([['m.safetensors', counting], ['config.json', config]]), 'm');
    read = 0;
    await model.tensors.get(W)!.source.read(0, 264);
    expect(read).toBe(256 + 2 * 4);
  });
});

const without = (q: Quantised, suffix: string) => q.tensors.filter(({ name }) => !name.endsWith(suffix));
const replaced = (q: Quantised, suffix: string, change: (t: SafetensorsTensor) => SafetensorsTensor) =>
  q.tensors.map((t) => (t.name.endsWith(suffix) ? change(t) : t));

describe('quantised checkpoints are refused', () => {
  it.each<[string, object]>([
    ['method "bitsandbytes"', { quant_method: 'bitsandbytes', load_in_4bit: true }],
    ['method "hqq"', { quant_method: 'hqq' }], ['method "aqlm"', { quant_method: 'aqlm' }], ['method "eetq"', { quant_method: 'eetq' }],
    ['without a quant_method', { load_in_8bit: true }],
    ['GPTQ with 8 bits', { ...GPTQ, bits: 8 }], ['GPTQ with 3 bits', { ...GPTQ, bits: 3 }],
    ['GPTQ in the layout "marlin"', { ...GPTQ, checkpoint_format: 'marlin' }], ['GPTQ in the layout "marlin"', { ...GPTQ, is_marlin_format: true }],
    ['GPTQ with groups of 40 (not a multiple of 32, nor −1)', { ...GPTQ, group_size: 40 }],
    ['AWQ in the layout "gemv"', { ...AWQ, version: 'gemv' }], ['AWQ with 3 bits', { ...AWQ, bits: 3 }], ['AWQ without zero points', { ...AWQ, zero_point: false }],
    ['format "marlin-24" of compressed-tensors', CT(INT4, 'marlin-24')],
    ['format "int-quantized" of compressed-tensors', CT({ num_bits: 8, type: 'int' }, 'int-quantized')],
    ['of weights to 8-bit "int" (compressed-tensors)', CT({ num_bits: 8, type: 'int' }, 'pack-quantized')],
    ['with sparsity "sparse-24-bitmask"', { ...CT(INT4, 'pack-quantized'), sparsity_config: { format: 'sparse-24-bitmask' } }],
    ['with a transform_config', { ...CT(INT4, 'pack-quantized'), transform_config: { r1: {} } }],
    ['algorithm "NVFP4_AWQ" of modelopt', { quant_method: 'modelopt', quant_algo: 'NVFP4_AWQ' }],
    ['auto-round in the packing "auto_round:exllamav2"', { quant_method: 'auto-round', bits: 4, group_size: 32, packing_format: 'auto_round:exllamav2' }],
  ])('%s', async (what, config) => {
    await expect(openTensors([floats('a', [1], [1])], config)).rejects.toThrow(expect.objectContaining({
      name: 'ModelFormatError',
      message: `config.json: the quantisation ${what} isn't supported; supported are FP8 (fp8, fbgemm_fp8, compressed-tensors, ` +
        'modelopt), MXFP4 (mxfp4, compressed-tensors), NVFP4 (modelopt, compressed-tensors) and 4-bit integers (gptq, awq with ' +
        'GEMM, compressed-tensors, auto-round in either packing)',
    }));
  });

  const fp8Weights = fp8(matrix(W, [8, 128]), { tile: [128, 128] });
  const nvfp4Weights = nvfp4(matrix(W, [4, 64]), 'modelopt');
  const gptqWeights = gptq(matrix(W, [8, 64]), 32, 1, true);
  const gptqBase = W.slice(0, -'.weight'.length);
  const NVFP4 = { quant_method: 'modelopt', quant_algo: 'NVFP4' };
  it.each<[string, readonly SafetensorsTensor[], object | null, string]>([
    ['a missing FP8 scale', without(fp8Weights, '_scale_inv'), FP8,
      `${W} (F8_E4M3 [8, 128]) needs the tensor ${W}_scale_inv or ${W}_scale, which is missing`],
    ['FP8 scales of another shape', replaced(fp8Weights, '_inv', (t) => floats(t.name, [2, 2], [1, 1, 1, 1])), FP8,
      `${W}_scale_inv is F32 [2, 2], which doesn't fit ${W}, F8_E4M3 [8, 128]`],
    ['FP8 scales of another dtype', replaced(fp8Weights, '_inv', (t) => bytes(t.name, 'U8', [1, 1], new Uint8Array(1))), FP8,
      `${W}_scale_inv holds scales as U8; supported are F32, F16, BF16, F8_E4M3, F8_E8M0`],
    ['FP8 in rows of no multiple of 32', fp8(matrix(W, [2, 40]), { tile: [128, 128] }).tensors, FP8,
      `${W} has rows of 40 weights with a scale for each 40; both must be multiples of 32 to be supported`],
    ['NVFP4 without its factor', without(nvfp4Weights, '_2'), NVFP4, `${W} (U8 [4, 32]) needs the tensor ${W}_scale_2, which is missing`],
    ['NVFP4 in rows of no multiple of 64', nvfp4(matrix(W, [4, 32]), 'modelopt').tensors, NVFP4,
      `${W} has rows of 32 weights, no multiple of the NVFP4 block of 64`],
    ['an infinite factor', replaced(nvfp4Weights, '_2', (t) => floats(t.name, [1], [Infinity])), NVFP4, `${W}_scale_2 holds a scale that is no finite number`],
    ['factors of another number', replaced(nvfp4Weights, '_2', (t) => floats(t.name, [2], [1, 1])), NVFP4, `${W} has 2 scales of the whole tensor for 1 matrices`],
    ['a factor of zero', replaced(nvfp4(matrix(W, [4, 64]), 'compressed-tensors'), 'global_scale', (t) => floats(t.name, [1], [0])), CT({ num_bits: 4, type: 'float' }, 'nvfp4-pack-quantized'),
      `${W}_global_scale holds a zero, which nothing can be divided by`],
    ['GPTQ without zero points', without(gptqWeights, '.qzeros'), GPTQ, `${gptqBase}.qweight (I32 [8, 8]) needs the tensor ${gptqBase}.qzeros, which is missing`],
    ['GPTQ of another width than it says', gptqWeights.tensors, { ...GPTQ, group_size: 64 },
      `${gptqBase}.qweight (I32 [8, 8], scales F16 [2, 8], zero points I32 [2, 1]) isn't GPTQ with 4 bits and groups of 64, the only kind that is supported`],
    ['GPTQ with another order of inputs', replaced(gptqWeights, 'g_idx', (t) => words(t.name, [64], Uint32Array.from({ length: 64 }, (_, i) => i % 2))), { ...GPTQ, desc_act: true },
      `${gptqBase}.g_idx puts inputs into groups out of order (desc_act, activation ordering), which isn't supported; supported are groups of neighbouring inputs`],
    ['GPTQ without a configuration', gptqWeights.tensors, null, `${gptqBase}.qweight is packed by GPTQ or AWQ, but config.json has no quantization_config that says which`],
    ['a weight that is there twice', [...gptqWeights.tensors, floats(W, [1], [1])], GPTQ, `${gptqBase}.qweight is ${W} a second time`],
    ['MXFP4 without scales', without(mxfp4(matrix('e.down_proj', [2, 4, 32]), 'gpt-oss'), '_scales'), { quant_method: 'mxfp4' },
      'e.down_proj_blocks (U8 [2, 4, 1, 16]) needs the tensor e.down_proj_scales, which is missing'],
    ['zero points of another shape', replaced(packedInt4(matrix(W, [8, 32]), 32, false), 'zero_point', (t) => words(t.name, [2, 1], new Uint32Array(2))), CT(INT4, 'pack-quantized'),
      `${W}_zero_point is I32 [2, 1] where ${W}_packed needs I32 [1, 1]`],
  ])('%s', async (_, tensors, config, problem) => {
    await expect(openTensors(tensors, config)).rejects.toThrow(
      expect.objectContaining({ name: 'ModelFormatError', message: `m.safetensors: the tensor ${problem}` }));
  });

  it.each<[string, readonly SafetensorsTensor[], object, string]>([
    ['a negative NVFP4 scale', replaced(nvfp4Weights, 'weight_scale', (t) => ({ ...t, data: t.data.map((b) => b | 0x80) })), NVFP4, 'holds a scale that is negative'],
    ['a NaN among NVFP4 scales', replaced(nvfp4Weights, 'weight_scale', (t) => ({ ...t, data: t.data.map(() => 0x7f) })), NVFP4, 'holds a scale that is no number'],
    ['a scale of more bits than f16', replaced(packedInt4(matrix(W, [1, 32]), 32, true), '_scale', (t) => floats(t.name, [1, 1], [0.1])), CT(INT4, 'pack-quantized'), 'holds the scale 0.1'],
  ])('when read: %s', async (_, tensors, config, problem) => {
    const tensor = [...(await openTensors(tensors, config)).tensors.values()][0];
    await expect(tensor.source.read(0, tensor.byteLength)).rejects.toThrow(problem);
  });
});
