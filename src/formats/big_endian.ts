/** Tensor data of big-endian GGUF files, served little-endian like all else. */
import type { WeightFormat } from '../quant/formats.ts';
import type { ByteSource } from './checkpoint.ts';
import { checkRange } from './byte_sources.ts';

/** Reverses the multi-byte fields of whole blocks in place; its own inverse. */
export function swapBlockFields(format: WeightFormat, blocks: Uint8Array): void {
  for (const { byteOffset, byteLength } of format.multiByteFields) {
    for (let at = byteOffset; at < blocks.byteLength; at += format.blockByteLength) {
      blocks.subarray(at, at + byteLength).reverse();
    }
  }
}

/**
 * One tensor of a big-endian file: same offsets as in the file, fields swapped on the way. Reads may begin and
 * end anywhere inside the tensor.
 */
export function bigEndianTensorSource(
  inner: ByteSource, format: WeightFormat, tensorByteOffset: number, tensorByteLength: number,
): ByteSource {
  const end = tensorByteOffset + tensorByteLength;
  return {
    name: inner.name,
    byteLength: inner.byteLength,
    async read(byteOffset, byteLength) {
      checkRange(inner.name, end, byteOffset, byteLength);
      if (byteOffset < tensorByteOffset) throw new RangeError(`${inner.name}: byte ${byteOffset} is before its tensor`);
      const block = format.blockByteLength;
      const skip = (byteOffset - tensorByteOffset) % block;
      const blocks = Math.ceil((skip + byteLength) / block);
      const bytes = (await inner.read(byteOffset - skip, blocks * block)).slice();
      swapBlockFields(format, bytes);
      return bytes.subarray(skip, skip + byteLength);
    },
  };
}
