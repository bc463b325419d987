/** Byte sources that work anywhere: memory and Blob (File). File systems bring their own in storage/. */
import type { ByteSource } from './checkpoint.ts';

/** @throws RangeError where [byteOffset, byteOffset + byteLength) is not inside the source */
export function checkRange(name: string, total: number, byteOffset: number, byteLength: number): void {
  const sound = Number.isSafeInteger(byteOffset) && Number.isSafeInteger(byteLength) && byteOffset >= 0 && byteLength >= 0;
  if (!sound || byteOffset + byteLength > total) {
    throw new RangeError(`${name}: bytes ${byteOffset} to ${byteOffset + byteLength} are outside its ${total} bytes`);
  }
}

/** Bytes in memory. Reads are views, not copies. */
export function bytesSource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    byteLength: bytes.byteLength,
    async read(byteOffset, byteLength) {
      checkRange(name, bytes.byteLength, byteOffset, byteLength);
      return bytes.subarray(byteOffset, byteOffset + byteLength);
    },
  };
}

/** A Blob or File: only the slices that are asked for enter memory. */
export function blobSource(name: string, blob: Blob): ByteSource {
  return {
    name,
    byteLength: blob.size,
    async read(byteOffset, byteLength) {
      checkRange(name, blob.size, byteOffset, byteLength);
      const bytes = new Uint8Array(await blob.slice(byteOffset, byteOffset + byteLength).arrayBuffer());
      if (bytes.byteLength !== byteLength) throw new RangeError(`${name}: the file changed while it was read`);
      return bytes;
    },
  };
}
