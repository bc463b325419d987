/**
 * From the tensors of safetensors files to the tensors that architectures ask for. Where a checkpoint is quantised, a
 * weight is several stored tensors, recognised by the ends of their names: they become one derived tensor under the
 * weight's own name ('….gate_proj.weight'), and whatever only serves quantised activations or KV caches is left out,
 * since we quantise neither. Everything else is presented as it is, so that a part nobody uses is reported later.
 */
import type { WeightFormatName } from '../../quant/formats.ts';
import type { TensorRef } from '../checkpoint.ts';
import { described, readStored, tensorError, type StoredTensor } from '../stored_tensor.ts';
import { fitsFp8, fp8Tensor, isFp8 } from './fp8.ts';
import { int4ColumnsTensor } from './int4_columns.ts';
import { int4RowsTensor } from './int4_rows.ts';
import { mxfp4Tensor } from './mxfp4.ts';
import { nvfp4Tensor } from './nvfp4.ts';
import type { Quantisation } from './quantisation_config.ts';
import { readScalars } from './scalars.ts';

export interface PresentedTensors {
  readonly tensors: ReadonlyMap<string, TensorRef>;
  /** Tensors of a dtype that we cannot read, by name with the dtype. */
  readonly unsupported: ReadonlyMap<string, string>;
}

/** dtype → format of the same bytes. */
const PLAIN_FORMATS: ReadonlyMap<string, WeightFormatName> = new Map([['F32', 'F32'], ['F16', 'F16'], ['BF16', 'BF16']]);
/** Scales of activations and of KV caches kept in 8 bits. */
const UNUSED_SCALE = /[._](input_scale|input_global_scale|activation_scale|[kvq]_scale)$/;
/** 4096 experts and more: a stack of matrices has a factor for each. */
const MAX_TENSOR_SCALES = 65536;
const EXPERT_BIAS = /\.experts\.\d+\..*\.bias$/;
const MAX_BIAS_BYTE_LENGTH = 4 * 1024 * 1024;
const INDEX_CHUNK_BYTE_LENGTH = 1024 * 1024;

/** A derived tensor to be: what it needs to know of stored values is read for all of them together. */
interface Planned {
  readonly name: string;
  readonly codes: StoredTensor;
  readonly scalar?: StoredTensor;
  readonly build: (scalars: readonly number[]) => TensorRef | Promise<TensorRef>;
}

/** @throws ModelFormatError where a part is missing, or parts don't fit each other */
export async function presentTensors(
  stored: ReadonlyMap<string, StoredTensor>, quantisation: Quantisation,
): Promise<PresentedTensors> {
  const detector = new Detector(stored, quantisation);
  const planned = [...stored.values()].flatMap((tensor) => detector.plan(tensor) ?? []);
  const scalars = await readScalars(planned.flatMap(({ scalar }) => scalar ?? []), MAX_TENSOR_SCALES);
  const derived = new Map<string, TensorRef>();
  for (const { name, codes, scalar, build } of planned) {
    const other = stored.get(name);
    if (derived.has(name) || (other && other !== codes)) throw tensorError(codes, `is ${name} a second time`);
    derived.set(name, await build(scalar ? scalars.get(scalar)! : []));
  }
  const tensors = new Map<string, TensorRef>();
  const unsupported = new Map<string, string>();
  for (const [name, tensor] of stored) {
    if (detector.isTaken(tensor)) continue;
    const { dtype, shape, source, byteOffset, byteLength } = tensor;
    const format = PLAIN_FORMATS.get(dtype);
    if (format) tensors.set(name, { name, format, shape, source, byteOffset, byteLength });
    else unsupported.set(name, isFp8(tensor) ? `${dtype} in rows of ${shape[shape.length - 1] ?? 1}` : dtype);
  }
  for (const [name, tensor] of derived) tensors.set(name, tensor);
  return { tensors, unsupported };
}

class Detector {
  readonly #stored: ReadonlyMap<string, StoredTensor>;
  readonly #quantisation: Quantisation;
  readonly #taken = new Set<StoredTensor>();

  constructor(stored: ReadonlyMap<string, StoredTensor>, quantisation: Quantisation) {
    this.#stored = stored;
    this.#quantisation = quantisation;
  }

  isTaken(tensor: StoredTensor): boolean {
    return this.#taken.has(tensor) || (this.#quantisation.method !== 'none' && UNUSED_SCALE.test(tensor.name));
  }

  /** What the tensor is the codes of; null where it is none. */
  plan(tensor: StoredTensor): Planned | null {
    const { name, dtype } = tensor;
    if (name.endsWith('.qweight')) return this.#columns(tensor, name.slice(0, -'.qweight'.length));
    if (name.endsWith('.weight_packed')) return this.#packed(tensor, name.slice(0, -'_packed'.length));
    if (name.endsWith('_blocks') && dtype === 'U8') return this.#blocks(tensor, name.slice(0, -'_blocks'.length));
    if (/_scale(_inv|_2)?$/.test(name)) return null;
    if (isFp8(tensor)) return this.#fp8(tensor);
    return dtype === 'U8' ? this.#modelopt(tensor) : null;
  }

  /** The first of these tensors that is there; it then belongs to the codes. */
  #take(...names: readonly string[]): StoredTensor | null {
    const found = names.map((name) => this.#stored.get(name)).find((tensor) => tensor !== undefined) ?? null;
    if (found) this.#taken.add(found);
    return found;
  }

  #need(codes: StoredTensor, ...names: readonly string[]): StoredTensor {
    const found = this.#take(...names);
    if (!found) throw tensorError(codes, `(${described(codes)}) needs the tensor ${names.join(' or ')}, which is missing`);
    return found;
  }

  #columns(codes: StoredTensor, base: string): Planned {
    const { method, groupSize, zeroOffset, mayBeReordered } = this.#quantisation;
    if (method !== 'gptq' && method !== 'awq') {
      throw tensorError(codes, 'is packed by GPTQ or AWQ, but config.json has no quantization_config that says which');
    }
    this.#taken.add(codes);
    const parts = { codes, scales: this.#need(codes, `${base}.scales`), zeros: this.#need(codes, `${base}.qzeros`) };
    const order = this.#take(`${base}.g_idx`);
    const bias = this.#stored.get(`${base}.bias`);
    return {
      name: `${base}.weight`, codes,
      build: async () => {
        const tensor = int4ColumnsTensor(`${base}.weight`, parts, { kind: method, groupSize, zeroOffset });
        const inputs = tensor.shape[1];
        if (order && mayBeReordered) await checkOrder(order, inputs, groupSize === -1 ? inputs : groupSize);
        // AutoGPTQ gave every layer a bias, of zeros where the model has none.
        if (bias && EXPERT_BIAS.test(bias.name) && await isZero(bias)) this.#taken.add(bias);
        return tensor;
      },
    };
  }

  /** compressed-tensors. */
  #packed(codes: StoredTensor, name: string): Planned {
    this.#taken.add(codes);
    this.#take(`${name}_shape`);
    const scales = this.#need(codes, `${name}_scale`);
    if (codes.dtype === 'I32') {
      const zeros = this.#take(`${name}_zero_point`);
      const order = this.#take(`${name}_g_idx`);
      return {
        name, codes,
        build: async () => {
          const tensor = int4RowsTensor(name, codes, scales, zeros);
          const groups = scales.shape[scales.shape.length - 1];
          if (order) await checkOrder(order, tensor.shape[1], tensor.shape[1] / groups);
          return tensor;
        },
      };
    }
    if (scales.dtype !== 'F8_E4M3') {
      return { name, codes, build: () => mxfp4Tensor(name, codes, scales, unpackedShape(codes)) };
    }
    const scalar = this.#need(codes, `${name}_global_scale`);
    return {
      name, codes, scalar,
      build: (values) => {
        if (values.includes(0)) throw tensorError(scalar, 'holds a zero, which nothing can be divided by');
        return nvfp4Tensor(name, codes, scales, values.map((value) => Math.fround(1 / value)));
      },
    };
  }

  /** gpt-oss. */
  #blocks(codes: StoredTensor, name: string): Planned {
    this.#taken.add(codes);
    const scales = this.#need(codes, `${name}_scales`);
    const { shape } = codes;
    if (shape.length < 3 || shape[shape.length - 1] !== 16) {
      throw tensorError(codes, `is ${described(codes)} where MXFP4 blocks are U8 [.., rows, blocks, 16]`);
    }
    const weights = [...shape.slice(0, -2), shape[shape.length - 2] * 32];
    return { name, codes, build: () => mxfp4Tensor(name, codes, scales, weights) };
  }

  #fp8(codes: StoredTensor): Planned | null {
    const { name } = codes;
    const names = [`${name}_scale_inv`, ...scaleNames(name)];
    const plain = this.#quantisation.method === 'none' && !names.some((scale) => this.#stored.has(scale));
    if (plain && !fitsFp8(codes)) return null;
    this.#taken.add(codes);
    const scales = plain ? null : this.#need(codes, ...names);
    return { name, codes, build: () => fp8Tensor(name, codes, scales, this.#quantisation.tile) };
  }

  #modelopt(codes: StoredTensor): Planned | null {
    const { name } = codes;
    const scales = this.#take(...scaleNames(name));
    if (!scales) return null;
    this.#taken.add(codes);
    if (scales.dtype !== 'F8_E4M3') {
      return { name, codes, build: () => mxfp4Tensor(name, codes, scales, unpackedShape(codes)) };
    }
    const scalar = this.#need(codes, `${scales.name}_2`);
    return { name, codes, scalar, build: (values) => nvfp4Tensor(name, codes, scales, values) };
  }
}

/** '….weight' and '….weight_scale'; the stacked experts '….gate_up_proj' and '….gate_up_proj_weight_scale' too. */
function scaleNames(name: string): string[] {
  return name.endsWith('weight') ? [`${name}_scale`] : [`${name}_scale`, `${name}_weight_scale`];
}

/** Two weights a byte. */
function unpackedShape({ shape }: StoredTensor): readonly number[] {
  return [...shape.slice(0, -1), shape[shape.length - 1] * 2];
}

/** Groups must be runs of neighbouring inputs, as a weight format has them. */
async function checkOrder(order: StoredTensor, inputs: number, groupElems: number): Promise<void> {
  if (order.dtype !== 'I32' || order.byteLength !== 4 * inputs) {
    throw tensorError(order, `is ${described(order)} where I32 [${inputs}] belongs`);
  }
  for (let begin = 0; begin < order.byteLength; begin += INDEX_CHUNK_BYTE_LENGTH) {
    const bytes = await readStored(order, begin, Math.min(INDEX_CHUNK_BYTE_LENGTH, order.byteLength - begin));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < bytes.byteLength; i += 4) {
      if (view.getInt32(i, true) !== Math.floor((begin + i) / 4 / groupElems)) {
        throw tensorError(order,
          'puts inputs into groups out of order (desc_act, activation ordering), which isn\'t supported; supported are ' +
          'groups of neighbouring inputs');
      }
    }
  }
}

async function isZero(bias: StoredTensor): Promise<boolean> {
  if (bias.byteLength > MAX_BIAS_BYTE_LENGTH) return false;
  return (await readStored(bias, 0, bias.byteLength)).every((byte) => byte === 0);
}
