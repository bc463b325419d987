/**
 * Model files on a disk, for Node (command line, bridge, tests), and the files that a command line's MODEL argument
 * means. The only file of storage/ that imports Node modules; nothing else here may import it.
 */
import * as fs from 'node:fs';
import * as fsp from 'node:fs/promises';
import * as path from 'node:path';
import { checkRange } from '../formats/byte_sources.ts';
import { ModelFormatError, type ByteSource } from '../formats/checkpoint.ts';
import { ggufShardNames } from '../formats/gguf.ts';
import type { NamedSource } from '../formats/open_checkpoint.ts';
import {
  checkModelId, fileTooLong, missingFile, readTarget, type FileStore, type StoredFile, type StoredFileName,
} from './file_store.ts';

/** A store in the folder `root`, made where missing. One process at a time: there are no locks between processes. */
export function createNodeFileStore(root: string): FileStore {
  const folderOf = (modelId: string) => {
    checkModelId(modelId);
    return path.join(root, modelId);
  };
  const pathOf = (modelId: string, name: StoredFileName) => path.join(folderOf(modelId), name);

  return {
    kind: 'node',
    async listModels() {
      const entries = await orNull(fsp.readdir(root, { withFileTypes: true }));
      return (entries ?? []).filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
    },
    async open(modelId, name, mode) {
      const file = pathOf(modelId, name);
      if (mode === 'write') {
        await fsp.mkdir(path.dirname(file), { recursive: true });
        // 'a' would ignore offsets and 'w' would empty the file; 'r+' needs it to exist.
        await (await fsp.open(file, 'a')).close();
      }
      const handle = await orNull(fsp.open(file, mode === 'write' ? 'r+' : 'r'));
      if (!handle) throw missingFile(modelId, name);
      return storedFile(`${modelId}/${name}`, handle);
    },
    async readWhole(modelId, name, maxByteLength) {
      const file = pathOf(modelId, name);
      const stat = await orNull(fsp.stat(file));
      if (!stat) return null;
      if (stat.size > maxByteLength) throw fileTooLong(modelId, name, stat.size);
      return plainBytes(await fsp.readFile(file));
    },
    async rename(modelId, from, to) {
      await fsp.rename(pathOf(modelId, from), pathOf(modelId, to));
      await syncFolder(folderOf(modelId));
    },
    removeFile: (modelId, name) => fsp.rm(pathOf(modelId, name), { force: true }),
    async removeModel(modelId) {
      await fsp.rm(pathOf(modelId, 'manifest.json'), { force: true });
      await fsp.rm(folderOf(modelId), { force: true, recursive: true });
    },
  };
}

function storedFile(name: string, handle: fsp.FileHandle): StoredFile {
  const size = async () => (await handle.stat()).size;
  return {
    size,
    async read(byteOffset, byteLength, into) {
      checkRange(name, await size(), byteOffset, byteLength);
      const out = readTarget(byteLength, into);
      for (let done = 0; done < byteLength;) {
        const { bytesRead } = await handle.read(out, done, byteLength - done, byteOffset + done);
        if (bytesRead === 0) throw new RangeError(`${name}: the file ended at byte ${byteOffset + done}`);
        done += bytesRead;
      }
      return out;
    },
    async write(byteOffset, bytes) {
      for (let done = 0; done < bytes.byteLength;) {
        done += (await handle.write(bytes, done, bytes.byteLength - done, byteOffset + done)).bytesWritten;
      }
    },
    truncate: (byteLength) => handle.truncate(byteLength),
    flush: () => handle.sync(),
    close: () => handle.close(),
  };
}

/** A rename is on disk only once its folder is; Windows can't sync folders, and needn't. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await fsp.open(folder, 'r');
  await handle.sync();
  await handle.close();
}

async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Node's Buffer may share its pool's ArrayBuffer; callers make typed arrays over ours. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer);
}

/** A file on disk as a ByteSource. It stays open until `close()`. `name` is the base name unless given. */
export function nodeFileSource(filePath: string, name = path.basename(filePath)): ByteSource & { close(): void } {
  const fd = fs.openSync(filePath, 'r');
  const size = fs.fstatSync(fd).size;
  return {
    name,
    byteLength: size,
    async read(byteOffset, byteLength) {
      checkRange(name, size, byteOffset, byteLength);
      const out = new Uint8Array(byteLength);
      for (let done = 0; done < byteLength;) {
        const count = await readAt(fd, out.subarray(done), byteOffset + done);
        if (count === 0) throw new RangeError(`${name}: the file ended at byte ${byteOffset + done}`);
        done += count;
      }
      return out;
    },
    close: () => fs.closeSync(fd),
  };
}

function readAt(fd: number, out: Uint8Array, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Node reads at most 2 GiB at a time.
    const length = Math.min(out.byteLength, 0x4000_0000);
    fs.read(fd, out, 0, length, position, (error, count) => error ? reject(error) : resolve(count));
  });
}

const FOLDER_FILES = /\.(safetensors|gguf|json|jinja|txt|md|model)$/i;

/**
 * The files that MODEL means, under the paths that a drop would give them ('<folder>/config.json'): a GGUF file,
 * all shards beside a shard, or a folder's model files (not its subfolders).
 * @throws ModelFormatError where there is no such file, or a folder has no weights.
 */
export async function collectModelFiles(modelPath: string): Promise<NamedSource[]> {
  const stat = await orNull(fsp.stat(modelPath));
  if (!stat) throw new ModelFormatError(`${modelPath}: there is no such file or folder.`);
  return stat.isDirectory() ? collectFolder(modelPath) : collectShards(modelPath);
}

async function collectFolder(folder: string): Promise<NamedSource[]> {
  const entries = await fsp.readdir(folder, { withFileTypes: true });
  // Symbolic links count: Hugging Face's cache is a folder of links.
  const names = entries.filter((entry) => !entry.isDirectory() && FOLDER_FILES.test(entry.name))
    .map((entry) => entry.name).sort();
  // A folder may hold a conversion beside the original; the original is what has a config.json.
  const hasSafetensors = names.some((name) => /\.safetensors$/i.test(name));
  const ggufs = names.filter((name) => /\.gguf$/i.test(name));
  if (!hasSafetensors && ggufs.length === 0) {
    throw new ModelFormatError(`${folder}: the folder has no .safetensors and no .gguf file.`);
  }
  const chosen = hasSafetensors ? names.filter((name) => !/\.gguf$/i.test(name)) : ggufs;
  const folderName = path.basename(path.resolve(folder));
  return chosen.map((name) => collected(path.join(folder, name), `${folderName}/${name}`));
}

async function collectShards(file: string): Promise<NamedSource[]> {
  const folder = path.dirname(file);
  const shards = ggufShardNames(path.basename(file));
  // A missing sibling is left out here: the reader names it in its own sentence.
  const present = new Set(shards ? await fsp.readdir(folder) : []);
  const names = shards?.filter((name) => present.has(name)) ?? [path.basename(file)];
  return names.map((name) => collected(path.join(folder, name), name));
}

function collected(filePath: string, givenPath: string): NamedSource {
  return { path: givenPath, source: nodeFileSource(filePath, path.basename(filePath)) };
}
