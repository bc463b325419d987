/** CRC-32 (the IEEE polynomial) of stored data: finds torn writes and damaged disks, not deliberate change. */
import { createCRC32 } from 'hash-wasm';

/** A running CRC-32. */
export interface Crc32 {
  update(bytes: Uint8Array): void;
  /** The value so far; the next update starts a new one. */
  take(): number;
}

export async function createCrc32(): Promise<Crc32> {
  const hasher = await createCRC32();
  hasher.init();
  return {
    update: (bytes) => { hasher.update(bytes); },
    take() {
      const value = Number.parseInt(hasher.digest('hex'), 16);
      hasher.init();
      return value;
    },
  };
}

/** CRC-32 of a list of CRC-32s as little-endian words: one number for a matrix written plane beside plane. */
export function crcOfCrcs(crc: Crc32, values: readonly number[]): number {
  const words = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, i) => words.setUint32(i * 4, value, true));
  crc.update(new Uint8Array(words.buffer));
  return crc.take();
}
