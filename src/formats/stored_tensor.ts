/** A tensor as a safetensors file names it: a dtype of the file's, not yet a weight format of ours. */
import { ModelFormatError, type ByteSource } from './checkpoint.ts';

export interface StoredTensor {
  readonly name: string;
  /** As in the file: 'BF16', 'F8_E4M3', 'U8', … */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly source: ByteSource;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** 'm.safetensors: the tensor x …', for the person who dropped the file. */
export function tensorError(tensor: StoredTensor, problem: string): ModelFormatError {
  return new ModelFormatError(`${tensor.source.name}: the tensor ${tensor.name} ${problem}`);
}

/** 'I32 [2, 3]', for messages. */
export function described({ dtype, shape }: StoredTensor): string {
  return `${dtype} [${shape.join(', ')}]`;
}

/** Bytes [byteOffset, byteOffset + byteLength) of the tensor's own. */
export function readStored(tensor: StoredTensor, byteOffset: number, byteLength: number): Promise<Uint8Array> {
  return tensor.source.read(tensor.byteOffset + byteOffset, byteLength);
}
