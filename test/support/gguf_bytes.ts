/** GGUF headers with any lie in them, which writeGguf would refuse to write. */
import { ByteWriter } from '../../src/formats/byte_writer.ts';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import { openGguf } from '../../src/formats/gguf.ts';
import type { Checkpoint } from '../../src/formats/checkpoint.ts';

/** Magic, version and the two counts. */
export function rawGguf(tensorCount: number | bigint, keyCount: number | bigint, version = 3): ByteWriter {
  return new ByteWriter().bytes(new TextEncoder().encode('GGUF')).u32(version).u64(tensorCount).u64(keyCount);
}

/** One entry of the tensor directory; dims in ggml order. */
export function rawTensor(out: ByteWriter, name: string, dims: readonly (number | bigint)[], type: number, offset: number | bigint): ByteWriter {
  out.text(name).u32(dims.length);
  for (const dim of dims) out.u64(dim);
  return out.u32(type).u64(offset);
}

/** Pads to 32 and appends `dataByteLength` zeros. */
export function withData(out: ByteWriter, dataByteLength: number): Uint8Array {
  return out.padTo(32).bytes(new Uint8Array(dataByteLength)).finish();
}

export function openBytes(bytes: Uint8Array, name = 'm.gguf'): Promise<Checkpoint> {
  return openGguf([bytesSource(name, bytes)]);
}
