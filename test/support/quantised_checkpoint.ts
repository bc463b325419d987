/** The small Qwen3-MoE of the vectors with its weights stored in other ways. */
import { bytesSource } from '../../src/formats/byte_sources.ts';
import type { NamedSource } from '../../src/formats/open_checkpoint.ts';
import { decodeRows } from '../../src/quant/pack.ts';
import { openModel, readVector } from './model_files.ts';
import { writeSafetensors, type SafetensorsTensor } from './safetensors_writer.ts';
import { awq, fp8, gptq, mxfp4, nvfp4, packedInt4, type Matrix, type Quantised } from './quantised_weights.ts';

/** All its tensors, decoded. */
export async function qwen3Matrices(): Promise<readonly Matrix[]> {
  const { tensors } = await openModel('qwen3_moe', 'safetensors');
  return Promise.all([...tensors.values()].map(async ({ name, format, shape, source, byteOffset, byteLength }) => {
    const cols = shape[shape.length - 1];
    const rows = shape.reduce((a, b) => a * b, 1) / cols;
    return { name, shape, values: decodeRows(format, await source.read(byteOffset, byteLength), rows, cols) };
  }));
}

export function checkpointFiles(tensors: readonly SafetensorsTensor[], quantization: object | null): NamedSource[] {
  const config = JSON.parse(new TextDecoder().decode(readVector('qwen3_moe/config.json'))) as object;
  const text = JSON.stringify({ ...config, ...(quantization ? { quantization_config: quantization } : {}) });
  const file = (name: string, bytes: Uint8Array): NamedSource => ({ path: `m/${name}`, source: bytesSource(name, bytes) });
  return [file('model.safetensors', writeSafetensors(tensors)), file('config.json', new TextEncoder().encode(text))];
}

/** Gate above up, and down, of all experts of each layer, under the names of transformers' stacked experts. */
function stackExperts(matrices: readonly Matrix[]): Matrix[] {
  const expert = /^(.*\.experts)\.(\d+)\.(gate|up|down)_proj\.weight$/;
  const rest = matrices.filter(({ name }) => !expert.test(name));
  const layers = new Set(matrices.flatMap(({ name }) => expert.exec(name)?.[1] ?? []));
  const stack = (name: string, parts: readonly Matrix[], rows: number): Matrix => {
    const cols = parts[0].shape[1];
    const values = new Float32Array(parts.reduce((sum, part) => sum + part.values.length, 0));
    let at = 0;
    for (const part of parts) {
      values.set(part.values, at);
      at += part.values.length;
    }
    return { name, shape: [values.length / rows / cols, rows, cols], values };
  };
  const stacked = [...layers].flatMap((layer) => {
    const of = (e: number, projection: string) => matrices.find(({ name }) => name === `${layer}.${e}.${projection}_proj.weight`)!;
    const ids = Array.from({ length: 8 }, (_, e) => e);
    return [
      stack(`${layer}.gate_up_proj`, ids.flatMap((e) => [of(e, 'gate'), of(e, 'up')]), 64),
      stack(`${layer}.down_proj`, ids.map((e) => of(e, 'down')), 64),
    ];
  });
  return [...rest, ...stacked];
}

const isProjection = ({ name }: Matrix): boolean => /_proj(\.weight)?$/.test(name);
const isExpert = ({ name }: Matrix): boolean => name.includes('.experts.');
/** NVFP4 has blocks of 64. */
const hasBlocksOf64 = (m: Matrix): boolean => isProjection(m) && m.shape[m.shape.length - 1] % 64 === 0;

const compressed = (format: string, weights: object) => ({
  quant_method: 'compressed-tensors', format, config_groups: { group_0: { targets: ['Linear'], weights } }, ignore: ['lm_head'],
});

export interface CheckpointScheme {
  readonly config: object;
  /** The matrices that are stored so; the others stay as they are. */
  readonly chosen: (m: Matrix) => boolean;
  readonly quantise: (m: Matrix) => Quantised;
  readonly stacked?: boolean;
}

export const CHECKPOINT_SCHEMES: Readonly<Record<string, CheckpointScheme>> = {
  'FP8 with scales of blocks': {
    config: { quant_method: 'fp8', weight_block_size: [16, 32] }, chosen: isProjection, quantise: (m) => fp8(m, { tile: [16, 32] }),
  },
  'FP8 with scales of rows': {
    config: compressed('float-quantized', { num_bits: 8, type: 'float', strategy: 'channel' }), chosen: isProjection,
    quantise: (m) => fp8(m, { tile: [1, m.shape[1]], suffix: '_scale', scaleDtype: 'BF16' }),
  },
  'NVFP4 of modelopt': {
    config: { quant_method: 'modelopt', quant_algo: 'NVFP4' }, chosen: hasBlocksOf64, quantise: (m) => nvfp4(m, 'modelopt'),
  },
  'NVFP4 of modelopt, stacked experts': {
    config: { quant_method: 'modelopt', quant_algo: 'NVFP4' }, chosen: (m) => isExpert(m) && hasBlocksOf64(m), stacked: true,
    quantise: (m) => nvfp4(m, 'modelopt'),
  },
  'MXFP4, stacked experts': {
    config: { quant_method: 'mxfp4' }, chosen: isExpert, stacked: true, quantise: (m) => mxfp4(m, 'gpt-oss'),
  },
  'GPTQ': {
    config: { quant_method: 'gptq', bits: 4, group_size: 32, desc_act: false, sym: true }, chosen: isProjection,
    quantise: (m) => gptq(m, 32, 1, true),
  },
  'AWQ': {
    config: { quant_method: 'awq', bits: 4, group_size: 32, version: 'gemm' }, chosen: isProjection, quantise: (m) => awq(m, 32),
  },
  '4-bit integers of compressed-tensors': {
    config: compressed('pack-quantized', { num_bits: 4, type: 'int', strategy: 'group', group_size: 32 }), chosen: isExpert,
    quantise: (m) => packedInt4(m, 32, false),
  },
};

/** The model's matrices, each with its stored form where the scheme has one. */
export function applyScheme(
  { chosen, quantise, stacked }: CheckpointScheme, original: readonly Matrix[],
): { readonly matrix: Matrix; readonly quantised: Quantised | null }[] {
  return (stacked ? stackExperts(original) : original)
    .map((matrix) => ({ matrix, quantised: chosen(matrix) ? quantise(matrix) : null }));
}
