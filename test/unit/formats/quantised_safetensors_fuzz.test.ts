/**
 * Hostile quantised checkpoints: whatever names, dtypes, shapes and configuration, opening and reading either works or
 * throws a ModelFormatError, and neither files nor derived tensors are read or made larger than the stored bytes allow.
 */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { ModelFormatError, type ByteSource } from '../../../src/formats/checkpoint.ts';
import { openSafetensors } from '../../../src/formats/safetensors.ts';
import { safetensorsOf } from '../../support/safetensors_writer.ts';

const SUFFIXES = [
  '.weight', '.weight_scale_inv', '.weight_scale', '.weight_scale_2', '.weight_packed', '.weight_shape', '.weight_global_scale',
  '.weight_zero_point', '.weight_g_idx', '.qweight', '.qzeros', '.scales', '.g_idx', '.bias', '_blocks', '_scales', '.input_scale', '',
];
const BYTES: Record<string, number> = { U8: 1, F8_E4M3: 1, F8_E5M2: 1, F8_E8M0: 1, F16: 2, BF16: 2, I32: 4, F32: 4, I64: 8 };

const dim = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128) }, fc.nat(140), fc.constantFrom(0, 2 ** 31, 2 ** 50));
const tensor = fc.record({
  base: fc.constantFrom('a', 'm.experts.0.w1', 'm.experts.gate_up_proj'), suffix: fc.constantFrom(...SUFFIXES),
  dtype: fc.constantFrom(...Object.keys(BYTES)), shape: fc.array(dim, { maxLength: 4 }), fill: fc.constantFrom(0, 1, 0x38, 0x7f, 0xff),
});
const SCHEMES: readonly (readonly (readonly [suffix: string, dtype: string])[])[] = [
  [['.weight', 'F8_E4M3'], ['.weight_scale_inv', 'F32']],
  [['.weight', 'U8'], ['.weight_scale', 'F8_E4M3'], ['.weight_scale_2', 'F32']],
  [['.weight_packed', 'I32'], ['.weight_scale', 'BF16'], ['.weight_zero_point', 'I32'], ['.weight_g_idx', 'I32']],
  [['.qweight', 'I32'], ['.scales', 'F16'], ['.qzeros', 'I32'], ['.g_idx', 'I32'], ['.bias', 'F16']],
  [['_blocks', 'U8'], ['_scales', 'U8']],
];
/** Tensors that nearly fit each other, so that more than the first check is reached. */
const related = fc.record({
  scheme: fc.constantFrom(...SCHEMES),
  rows: fc.constantFrom(0, 1, 3, 8, 16, 40), cols: fc.constantFrom(0, 4, 8, 16, 32, 64, 128), other: fc.array(dim, { minLength: 1, maxLength: 3 }),
  lead: fc.constantFrom([], [2], [0]), divisor: fc.constantFrom(1, 2, 8, 16, 32), fill: fc.constantFrom(0, 1, 0x38, 0x7f),
}).map(({ scheme, rows, cols, other, lead, divisor, fill }) => scheme.map(([suffix, dtype], i) => ({
  base: 'm.experts.0.w1', suffix, dtype, fill,
  shape: i === 0 ? [...lead, rows, cols] : i === 1 ? [...lead, rows, Math.ceil(cols / divisor)] : i === 2 ? [Math.ceil(rows / 8), Math.ceil(cols / divisor)] : other,
})));

const number = fc.oneof(fc.constantFrom(-1, 0, 4, 8, 32, 64, 128), fc.double());
const config = fc.oneof(fc.constant(null), fc.record({
  quant_method: fc.constantFrom('fp8', 'gptq', 'awq', 'compressed-tensors', 'modelopt', 'mxfp4', 'auto-round', 'x', null),
  weight_block_size: fc.oneof(fc.tuple(number, number), fc.jsonValue()), bits: fc.oneof({ weight: 5, arbitrary: fc.constant(4) }, number),
  group_size: number, desc_act: fc.boolean(), quant_algo: fc.constantFrom('NVFP4', 'FP8', 'x'), packing_format: fc.constantFrom('auto_round:auto_gptq', 'x'),
  format: fc.constantFrom('pack-quantized', 'float-quantized', 'nvfp4-pack-quantized', 'x'),
  config_groups: fc.oneof(fc.constant({}), fc.record({ g: fc.record({ weights: fc.record({ num_bits: number, type: fc.constantFrom('int', 'float'), strategy: fc.constantFrom('group', 'block'), group_size: number, block_structure: fc.jsonValue() }) }) }), fc.jsonValue()),
}, { requiredKeys: ['quant_method', 'bits', 'group_size'] }), fc.jsonValue());

function fileOf(tensors: readonly { base: string; suffix: string; dtype: string; shape: readonly number[]; fill: number }[]): Uint8Array {
  let at = 0;
  const directory: Record<string, unknown> = {};
  const fills: [number, number, number][] = [];
  for (const { base, suffix, dtype, shape, fill } of tensors) {
    const length = shape.reduce((a, b) => a * b, BYTES[dtype]);
    if (directory[base + suffix] || !(length <= 65536)) continue;
    directory[base + suffix] = { dtype, shape, data_offsets: [at, at + length] };
    fills.push([at, at + length, fill]);
    at += length;
  }
  const file = safetensorsOf(JSON.stringify(directory), at);
  for (const [begin, end, fill] of fills) file.fill(fill, file.byteLength - at + begin, file.byteLength - at + end);
  return file;
}

async function survives(weights: Uint8Array, quantization: unknown): Promise<boolean> {
  const inner = bytesSource('m.safetensors', weights);
  const source: ByteSource = {
    ...inner,
    read(byteOffset, byteLength) {
      expect(byteLength).toBeLessThanOrEqual(weights.byteLength);
      return inner.read(byteOffset, byteLength);
    },
  };
  const configBytes = new TextEncoder().encode(JSON.stringify({ quantization_config: quantization }));
  try {
    const { tensors } = await openSafetensors(new Map([['m.safetensors', source], ['config.json', bytesSource('config.json', configBytes)]]), 'm');
    for (const { source: derived, byteOffset, byteLength } of tensors.values()) {
      expect(byteLength).toBeLessThanOrEqual(2 * weights.byteLength);
      expect((await derived.read(byteOffset, byteLength)).byteLength).toBe(byteLength);
    }
    return true;
  } catch (error) {
    if (!(error instanceof ModelFormatError)) throw error;
    expect(error.message).toMatch(/^\S.*[^.\s]$/s);
    return false;
  }
}

it('random tensors and configurations', { timeout: 60_000 }, () => fc.assert(
  fc.asyncProperty(fc.array(tensor, { maxLength: 6 }), config, async (tensors, quantization) => {
    await survives(fileOf(tensors), quantization);
  }), { numRuns: 800 }));

it('parts that nearly fit each other', { timeout: 60_000 }, async () => {
  let opened = 0;
  await fc.assert(fc.asyncProperty(related, config, async (tensors, quantization) => {
    if (await survives(fileOf(tensors), quantization)) opened++;
  }), { numRuns: 1500 });
  expect(opened).toBeGreaterThan(30);
});
