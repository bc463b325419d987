/**
 * GGUF files keep the f32 factor of an NVFP4 tensor in a tensor beside it: 'blk.0.ffn_up_exps.scale' [experts] or
 * 'blk.0.attn_q.scale' [1]. llama.cpp multiplies the product by it; here it belongs to the weights. '.input_scale' is for
 * activations in 4 bits, which we don't have.
 */
import { WEIGHT_FORMATS } from '../quant/formats.ts';
import { decodeRows } from '../quant/pack.ts';
import { ModelFormatError, type TensorRef } from './checkpoint.ts';

/**
 * The tensors with their factors, without the tensors that held those.
 * @throws ModelFormatError where a factor isn't F32, isn't finite, or there are more or fewer than matrices
 */
export async function attachTensorScales(tensors: ReadonlyMap<string, TensorRef>): Promise<ReadonlyMap<string, TensorRef>> {
  const result = new Map(tensors);
  for (const [name, tensor] of tensors) {
    if (WEIGHT_FORMATS[tensor.format].constants?.kind !== 'tensor scale' || !name.endsWith('.weight')) continue;
    const base = name.slice(0, -'.weight'.length);
    result.delete(`${base}.input_scale`);
    const scale = tensors.get(`${base}.scale`);
    if (!scale) continue;
    result.delete(scale.name);
    result.set(name, { ...tensor, tensorScales: await readScales(scale, tensor) });
  }
  return result;
}

async function readScales(scale: TensorRef, tensor: TensorRef): Promise<readonly number[]> {
  const fail = (problem: string): never => {
    throw new ModelFormatError(`${scale.source.name}: the tensor ${scale.name} ${problem}`);
  };
  const matrices = tensor.shape.length > 2 ? tensor.shape[0] : 1;
  const count = scale.shape.reduce((product, dim) => product * dim, 1);
  if (scale.format !== 'F32' || (count !== 1 && count !== matrices)) {
    fail(`is ${scale.format} [${scale.shape.join(', ')}] where ${tensor.name} needs F32 [1] or [${matrices}]`);
  }
  const values = [...decodeRows('F32', await scale.source.read(scale.byteOffset, scale.byteLength), 1, count)];
  if (!values.every(Number.isFinite)) fail('holds a scale that is no finite number');
  return values;
}
