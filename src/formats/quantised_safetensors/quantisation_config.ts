/** What config.json says of a checkpoint's quantisation, as far as the tensors themselves don't. */
import { ModelFormatError } from '../checkpoint.ts';
import { isJsonObject, type JsonObject } from '../json_file.ts';

export type QuantMethod = 'none' | 'fp8' | 'mxfp4' | 'compressed-tensors' | 'modelopt' | 'gptq' | 'awq';

export interface Quantisation {
  readonly method: QuantMethod;
  /** Weights that one FP8 scale covers, where there are several scales in a row. */
  readonly tile: { readonly rows: number; readonly cols: number };
  /** GPTQ and AWQ: inputs that share a scale, −1 for all. */
  readonly groupSize: number;
  /** GPTQ: what is added to stored zero points. */
  readonly zeroOffset: number;
  /** GPTQ: whether inputs may be grouped in another order than their own. */
  readonly mayBeReordered: boolean;
}

export const SUPPORTED_QUANTISATION =
  'supported are FP8 (fp8, fbgemm_fp8, compressed-tensors, modelopt), MXFP4 (mxfp4, compressed-tensors), NVFP4 (modelopt, ' +
  'compressed-tensors) and 4-bit integers (gptq, awq with GEMM, compressed-tensors, auto-round in either packing)';

const NONE: Quantisation = {
  method: 'none', tile: { rows: 128, cols: 128 }, groupSize: -1, zeroOffset: 0, mayBeReordered: false,
};

/**
 * @param config config.json
 * @param modeloptConfig hf_quant_config.json, which older modelopt exports have instead
 * @throws ModelFormatError for a method, a bit width or an option that we don't support
 */
export function readQuantisation(config: JsonObject, modeloptConfig: JsonObject | null): Quantisation {
  const q = quantisationObject(config);
  if (q) return readMethod(q);
  const modelopt = modeloptConfig?.quantization;
  return isJsonObject(modelopt) ? readModelopt(modelopt) : NONE;
}

/** Multimodal configs keep it beside their text model's other fields; old ones call it compression_config. */
function quantisationObject(config: JsonObject): JsonObject | null {
  const candidates = [config, config.text_config].filter(isJsonObject)
    .flatMap((object) => [object.quantization_config, object.compression_config]);
  return candidates.find(isJsonObject) ?? null;
}

function unsupported(what: string): ModelFormatError {
  return new ModelFormatError(`config.json: the quantisation ${what} isn't supported; ${SUPPORTED_QUANTISATION}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function readMethod(q: JsonObject): Quantisation {
  const method = typeof q.quant_method === 'string' ? q.quant_method : null;
  switch (method) {
    case 'fp8': case 'fbgemm_fp8': return { ...NONE, method: 'fp8', tile: tileOf(q.weight_block_size, 'weight_block_size') };
    case 'mxfp4': return { ...NONE, method };
    case 'compressed-tensors': return readCompressedTensors(q);
    case 'modelopt': case 'modelopt_fp4': return readModelopt(q);
    case 'gptq': return readGptq(q);
    case 'awq': return readAwq(q);
    case 'auto-round': return readAutoRound(q);
    default: throw unsupported(method === null ? 'without a quant_method' : `method ${shown(method)}`);
  }
}

/** [rows, cols]; −1 stands for all. */
function tileOf(value: unknown, key: string): Quantisation['tile'] {
  if (value === undefined || value === null) return NONE.tile;
  const sound = Array.isArray(value) && value.length === 2
    && value.every((n) => Number.isSafeInteger(n) && (n === -1 || (n > 0 && n <= 2 ** 20)));
  if (!sound) throw new ModelFormatError(`config.json: ${key} is ${shown(value)}, not two sizes of a block`);
  const [rows, cols] = (value as number[]).map((n) => (n === -1 ? Infinity : n));
  return { rows, cols };
}

function readModelopt(q: JsonObject): Quantisation {
  const algorithm = typeof q.quant_algo === 'string' ? q.quant_algo : '';
  // The AWQ variants scale activations before each product, which we don't.
  if (!/NVFP4|^FP8|^MIXED_PRECISION$/.test(algorithm) || algorithm.includes('AWQ')) {
    throw unsupported(`algorithm ${shown(q.quant_algo ?? null)} of modelopt`);
  }
  return { ...NONE, method: 'modelopt' };
}

const COMPRESSED_FORMATS: readonly unknown[] = [
  undefined, null, 'dense', 'float-quantized', 'naive-quantized', 'nvfp4-pack-quantized', 'mxfp4-pack-quantized',
  'pack-quantized', 'mixed-precision',
];

function readCompressedTensors(q: JsonObject): Quantisation {
  const groups = isJsonObject(q.config_groups) ? Object.values(q.config_groups).filter(isJsonObject) : [];
  const formats = [q.format, ...groups.map((group) => group.format)];
  const other = formats.find((format) => !COMPRESSED_FORMATS.includes(format));
  if (other !== undefined) throw unsupported(`format ${shown(other)} of compressed-tensors`);
  const sparsity = isJsonObject(q.sparsity_config) ? q.sparsity_config.format : undefined;
  if (sparsity !== undefined && sparsity !== null && sparsity !== 'dense') throw unsupported(`with sparsity ${shown(sparsity)}`);
  // Rotations that need a product with the activations too.
  const transforms = isJsonObject(q.transform_config) ? Object.keys(q.transform_config) : [];
  if (transforms.length > 0) throw unsupported('with a transform_config');
  let { tile } = NONE;
  for (const { weights } of groups) {
    if (!isJsonObject(weights)) continue;
    const { type, num_bits: bits } = weights;
    const known = type === 'float' ? bits === 8 || bits === 4 : (type === undefined || type === 'int') && bits === 4;
    if (!known) throw unsupported(`of weights to ${shown(bits)}-bit ${shown(type ?? 'int')} (compressed-tensors)`);
    if (weights.strategy === 'block') tile = tileOf(weights.block_structure, 'block_structure');
    if (weights.strategy === 'group' && bits === 8) tile = tileOf([1, weights.group_size], 'group_size');
  }
  return { ...NONE, method: 'compressed-tensors', tile };
}

function checkedBits(bits: unknown, method: string): void {
  if (bits !== 4) throw unsupported(`${method} with ${shown(bits)} bits`);
}

function checkedGroupSize(value: unknown, method: string): number {
  const sound = typeof value === 'number' && Number.isSafeInteger(value)
    && (value === -1 || (value > 0 && value % 32 === 0 && value <= 2 ** 20));
  if (!sound) throw unsupported(`${method} with groups of ${shown(value ?? null)} (not a multiple of 32, nor −1)`);
  return value as number;
}

function readGptq(q: JsonObject): Quantisation {
  checkedBits(q.bits, 'GPTQ');
  const layout = q.checkpoint_format ?? 'gptq';
  if (q.is_marlin_format === true) throw unsupported('GPTQ in the layout "marlin"');
  if (layout !== 'gptq' && layout !== 'gptq_v2') throw unsupported(`GPTQ in the layout ${shown(layout)}`);
  if (q.pack_dtype !== undefined && q.pack_dtype !== 'int32') throw unsupported(`GPTQ packed in ${shown(q.pack_dtype)}`);
  return {
    ...NONE, method: 'gptq', groupSize: checkedGroupSize(q.group_size, 'GPTQ'),
    zeroOffset: layout === 'gptq' ? 1 : 0, mayBeReordered: q.desc_act !== false,
  };
}

function readAwq(q: JsonObject): Quantisation {
  checkedBits(q.bits ?? q.w_bit, 'AWQ');
  const version = typeof q.version === 'string' ? q.version.toLowerCase() : 'gemm';
  if (version !== 'gemm') throw unsupported(`AWQ in the layout ${shown(q.version)}`);
  if (q.zero_point === false) throw unsupported('AWQ without zero points');
  return { ...NONE, method: 'awq', groupSize: checkedGroupSize(q.group_size ?? q.q_group_size, 'AWQ') };
}

function readAutoRound(q: JsonObject): Quantisation {
  if (q.data_type !== undefined && q.data_type !== 'int') throw unsupported(`auto-round to ${shown(q.data_type)}`);
  const packing = String(q.packing_format ?? '').replace(/^auto_round:/, '');
  if (packing === 'auto_gptq') return { ...readGptq({ ...q, desc_act: q.desc_act ?? false }) };
  if (packing === 'auto_awq') return readAwq(q);
  throw unsupported(`auto-round in the packing ${shown(q.packing_format ?? null)}`);
}
