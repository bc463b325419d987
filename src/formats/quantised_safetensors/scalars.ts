/**
 * Reads the one-number tensors of a checkpoint (an expert model has tens of thousands) in few reads: writers place
 * tensors by dtype, so they lie together.
 */
import type { ByteSource } from '../checkpoint.ts';
import { described, tensorError, type StoredTensor } from '../stored_tensor.ts';

/** Gaps up to this are read over. */
const MAX_GAP_BYTE_LENGTH = 64 * 1024;
const MAX_READ_BYTE_LENGTH = 4 * 1024 * 1024;

/**
 * The values of F32 tensors of at most `maxElems` elements.
 * @throws ModelFormatError for another dtype, more elements, or a value that isn't finite
 */
export async function readScalars(
  tensors: readonly StoredTensor[], maxElems: number,
): Promise<ReadonlyMap<StoredTensor, readonly number[]>> {
  for (const tensor of tensors) {
    if (tensor.dtype !== 'F32' || tensor.byteLength === 0 || tensor.byteLength > 4 * maxElems) {
      throw tensorError(tensor, `is ${described(tensor)} where a scale of the whole tensor (F32) belongs`);
    }
  }
  const values = new Map<StoredTensor, readonly number[]>();
  for (const run of runsOf(tensors)) {
    const { source } = run[0];
    const begin = run[0].byteOffset;
    const end = Math.max(...run.map((tensor) => tensor.byteOffset + tensor.byteLength));
    const bytes = await source.read(begin, end - begin);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (const tensor of run) {
      const at = tensor.byteOffset - begin;
      const numbers = Array.from({ length: tensor.byteLength / 4 }, (_, i) => view.getFloat32(at + 4 * i, true));
      if (!numbers.every(Number.isFinite)) throw tensorError(tensor, 'holds a scale that is no finite number');
      values.set(tensor, numbers);
    }
  }
  return values;
}

function runsOf(tensors: readonly StoredTensor[]): StoredTensor[][] {
  const bySource = new Map<ByteSource, StoredTensor[]>();
  for (const tensor of tensors) {
    const list = bySource.get(tensor.source) ?? [];
    bySource.set(tensor.source, list);
    list.push(tensor);
  }
  const runs: StoredTensor[][] = [];
  for (const list of bySource.values()) {
    let end = -Infinity;
    let begin = 0;
    for (const tensor of list.toSorted((a, b) => a.byteOffset - b.byteOffset)) {
      const tensorEnd = tensor.byteOffset + tensor.byteLength;
      const joins = tensor.byteOffset - end <= MAX_GAP_BYTE_LENGTH && tensorEnd - begin <= MAX_READ_BYTE_LENGTH;
      if (joins) {
        runs[runs.length - 1].push(tensor);
      } else {
        runs.push([tensor]);
        begin = tensor.byteOffset;
      }
      end = tensorEnd;
    }
  }
  return runs;
}
