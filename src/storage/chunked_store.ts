/**
 * Files over a key-value store, cut into chunks: what IndexedDB and memory share. Keys are 'model/file/size' and
 * 'model/file/<chunk>'; a file exists when its size key does, and the size key is written after the chunks, so a
 * crash between the two leaves the old size.
 */
import { checkRange } from '../formats/byte_sources.ts';
import {
  checkModelId, fileTooLong, missingFile, readTarget, type FileStore, type StoredFile, type StoredFileName,
} from './file_store.ts';

/** idb-keyval's functions, bound to one database. Values are copied on set, as structured clone does. */
export interface KeyValueStore {
  get(key: string): Promise<unknown>;
  set(key: string, value: Uint8Array | number): Promise<void>;
  del(key: string): Promise<void>;
  keys(): Promise<readonly string[]>;
}

/** Large enough that an expert row touches one or two, small enough to rewrite one for a partial write. */
export const CHUNK_BYTE_LENGTH = 4 * 1024 * 1024;
/** Chunks that one open file keeps: the planes of a matrix are written side by side, a chunk each. */
const CACHED_CHUNKS = 8;

export function createChunkedStore(
  kind: 'indexeddb' | 'memory', kv: KeyValueStore, chunkByteLength = CHUNK_BYTE_LENGTH,
): FileStore {
  // Handles are shared: two cursors on one file would overwrite each other's cached chunks.
  const openFiles = new Map<string, { file: ChunkedFile; users: number }>();

  async function sizeOf(path: string): Promise<number | null> {
    const value = await kv.get(`${path}/size`);
    return typeof value === 'number' ? value : null;
  }

  async function open(modelId: string, name: StoredFileName, mode: 'read' | 'write'): Promise<StoredFile> {
    checkModelId(modelId);
    const path = `${modelId}/${name}`;
    let entry = openFiles.get(path);
    if (!entry) {
      const size = await sizeOf(path);
      if (size === null && mode === 'read') throw missingFile(modelId, name);
      if (size === null) await kv.set(`${path}/size`, 0);
      entry = openFiles.get(path) ?? { file: new ChunkedFile(kv, path, size ?? 0, chunkByteLength), users: 0 };
      openFiles.set(path, entry);
    }
    entry.users++;
    const shared = entry;
    let closed = false;
    return {
      size: async () => shared.file.byteLength,
      read: (byteOffset, byteLength, into) => shared.file.read(byteOffset, byteLength, into),
      write: (byteOffset, bytes) => shared.file.write(byteOffset, bytes),
      truncate: (byteLength) => shared.file.truncate(byteLength),
      flush: () => shared.file.flush(),
      async close() {
        if (closed) return;
        closed = true;
        if (--shared.users === 0) openFiles.delete(path);
        await shared.file.flush();
      },
    };
  }

  async function keysOf(prefix: string): Promise<string[]> {
    return (await kv.keys()).filter((key) => key.startsWith(prefix));
  }

  /** The size key goes first, so that a cut-off removal leaves no file with missing chunks. */
  async function removeKeys(keys: readonly string[]): Promise<void> {
    const sizeFirst = [...keys].sort((a, b) => Number(b.endsWith('/size')) - Number(a.endsWith('/size')));
    for (const key of sizeFirst) await kv.del(key);
  }

  async function readWhole(modelId: string, name: StoredFileName, maxByteLength: number): Promise<Uint8Array | null> {
    checkModelId(modelId);
    const path = `${modelId}/${name}`;
    const size = openFiles.get(path)?.file.byteLength ?? await sizeOf(path);
    if (size === null) return null;
    if (size > maxByteLength) throw fileTooLong(modelId, name, size);
    const file = openFiles.get(path)?.file ?? new ChunkedFile(kv, path, size, chunkByteLength);
    return file.read(0, size);
  }

  return {
    kind,
    async listModels() {
      const fileKeys = (await kv.keys()).filter((key) => key.includes('/'));
      return [...new Set(fileKeys.map((key) => key.split('/', 1)[0]))].sort();
    },
    open,
    readWhole,
    async rename(modelId, from, to) {
      const source = await open(modelId, from, 'read');
      const byteLength = await source.size();
      await removeKeys(await keysOf(`${modelId}/${to}/`));
      const target = new ChunkedFile(kv, `${modelId}/${to}`, 0, chunkByteLength);
      for (let at = 0; at < byteLength; at += chunkByteLength) {
        await target.write(at, await source.read(at, Math.min(chunkByteLength, byteLength - at)));
      }
      await target.flush();
      await source.close();
      await removeKeys(await keysOf(`${modelId}/${from}/`));
    },
    async removeFile(modelId, name) {
      checkModelId(modelId);
      await removeKeys(await keysOf(`${modelId}/${name}/`));
    },
    async removeModel(modelId) {
      checkModelId(modelId);
      await removeKeys(await keysOf(`${modelId}/manifest.json/`));
      await removeKeys(await keysOf(`${modelId}/`));
    },
  };
}

/** One file's chunks, with a small write-back cache. */
class ChunkedFile {
  byteLength: number;
  private storedByteLength: number;
  private readonly chunks = new Map<number, { bytes: Uint8Array; dirty: boolean }>();

  constructor(
    private readonly kv: KeyValueStore, private readonly path: string, byteLength: number,
    private readonly chunkByteLength: number,
  ) {
    this.byteLength = byteLength;
    this.storedByteLength = byteLength;
  }

  async read(byteOffset: number, byteLength: number, into?: Uint8Array): Promise<Uint8Array> {
    checkRange(this.path, this.byteLength, byteOffset, byteLength);
    const out = readTarget(byteLength, into);
    for (const piece of this.pieces(byteOffset, byteLength)) {
      const bytes = await this.chunk(piece.chunk);
      out.set(bytes.subarray(piece.inChunk, piece.inChunk + piece.byteLength), piece.done);
    }
    return out;
  }

  async write(byteOffset: number, bytes: Uint8Array): Promise<void> {
    for (const piece of this.pieces(byteOffset, bytes.byteLength)) {
      const chunk = await this.chunk(piece.chunk);
      chunk.set(bytes.subarray(piece.done, piece.done + piece.byteLength), piece.inChunk);
      // Looked up again: the chunk may have left the cache while another read was awaited.
      this.chunks.set(piece.chunk, { bytes: chunk, dirty: true });
    }
    this.byteLength = Math.max(this.byteLength, byteOffset + bytes.byteLength);
  }

  async truncate(byteLength: number): Promise<void> {
    if (byteLength < this.byteLength) {
      // The cut-off tail must read as zeros if the file grows again.
      const tail = Math.min(this.byteLength - byteLength, this.chunkByteLength - byteLength % this.chunkByteLength);
      await this.write(byteLength, new Uint8Array(tail));
      const firstDropped = Math.ceil(byteLength / this.chunkByteLength);
      for (let c = firstDropped; c * this.chunkByteLength < this.byteLength; c++) {
        this.chunks.delete(c);
        await this.kv.del(`${this.path}/${c}`);
      }
    }
    this.byteLength = byteLength;
  }

  async flush(): Promise<void> {
    for (const index of Array.from(this.chunks.keys())) await this.writeBack(index);
    if (this.storedByteLength !== this.byteLength) {
      await this.kv.set(`${this.path}/size`, this.byteLength);
      this.storedByteLength = this.byteLength;
    }
  }

  private *pieces(byteOffset: number, byteLength: number) {
    for (let done = 0; done < byteLength;) {
      const at = byteOffset + done;
      const inChunk = at % this.chunkByteLength;
      const length = Math.min(this.chunkByteLength - inChunk, byteLength - done);
      yield { chunk: Math.floor(at / this.chunkByteLength), inChunk, byteLength: length, done };
      done += length;
    }
  }

  private async chunk(index: number): Promise<Uint8Array> {
    const cached = this.chunks.get(index);
    if (cached) {
      this.chunks.delete(index);
      this.chunks.set(index, cached);
      return cached.bytes;
    }
    const stored = await this.kv.get(`${this.path}/${index}`);
    const bytes = new Uint8Array(this.chunkByteLength);
    // A chunk never written is a gap of zeros.
    if (stored instanceof Uint8Array) bytes.set(stored.subarray(0, this.chunkByteLength));
    const raced = this.chunks.get(index);
    if (raced) return raced.bytes;
    this.chunks.set(index, { bytes, dirty: false });
    while (this.chunks.size > CACHED_CHUNKS) {
      const oldest = this.chunks.keys().next().value as number;
      await this.writeBack(oldest);
      this.chunks.delete(oldest);
    }
    return bytes;
  }

  private async writeBack(index: number): Promise<void> {
    const chunk = this.chunks.get(index);
    if (!chunk?.dirty) return;
    await this.kv.set(`${this.path}/${index}`, chunk.bytes);
    chunk.dirty = false;
  }
}
