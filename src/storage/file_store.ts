/**
 * What the pack code needs from a file system: one folder of plain files for each model. OPFS, IndexedDB, Node and
 * memory implement it; nothing above this file knows which.
 */

/** The files that a model's folder may hold. A closed list: names from dropped files never reach a file system. */
export type StoredFileName =
  | 'summary.json'
  | 'manifest.json'
  | 'manifest.json.new'
  | 'origin.json'
  | 'import.journal'
  | 'checksums.bin'
  | 'dense.pack'
  | 'experts.pack'
  | 'experts_fp4.pack'
  | 'extra.pack'
  | 'conversion_sums.bin'
  | 'report.json'
  | 'heat.json';

/** An open file. Offsets and lengths are bytes. */
export interface StoredFile {
  size(): Promise<number>;
  /**
   * Reads exactly `byteLength` bytes, into the front of `into` where it is given and the store can.
   * @returns the bytes; a view of `into` or a new array
   * @throws RangeError where the range is outside the file
   */
  read(byteOffset: number, byteLength: number, into?: Uint8Array): Promise<Uint8Array>;
  /** Writes all of `bytes`; a gap before `byteOffset` reads as zeros. The caller may reuse `bytes` afterwards. */
  write(byteOffset: number, bytes: Uint8Array): Promise<void>;
  /** Cuts the file, or extends it with zeros. */
  truncate(byteLength: number): Promise<void>;
  /** Returns when everything written survives a crash of the process. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface FileStore {
  readonly kind: 'opfs' | 'indexeddb' | 'node' | 'memory';
  listModels(): Promise<readonly string[]>;
  /** Whether so many bytes more could be stored, where that can be found out without writing them. */
  hasRoom?(byteLength: number): Promise<boolean>;
  /** Opens a file; 'write' makes folder and file where missing. @throws StorageError where missing or locked. */
  open(modelId: string, name: StoredFileName, mode: 'read' | 'write'): Promise<StoredFile>;
  /**
   * A whole small file, null where there is none. Takes no lock, so it works while another tab holds the model.
   * @throws StorageError where the file is longer than `maxByteLength`.
   */
  readWhole(modelId: string, name: StoredFileName, maxByteLength: number): Promise<Uint8Array | null>;
  /** Renames a closed file, replacing `to`. Atomic where the platform can; see records.ts for where it can't. */
  rename(modelId: string, from: StoredFileName, to: StoredFileName): Promise<void>;
  /** Removes a closed file; no error where there is none. */
  removeFile(modelId: string, name: StoredFileName): Promise<void>;
  /** Removes a model's folder, its manifest first, so that a crash leaves nothing 'ready'; no error without one. */
  removeModel(modelId: string): Promise<void>;
}

/** A storage failure, with one sentence for the person whose model it is. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
}

/** What is stored isn't what was written. Its name gets over a message port, so that a page can offer a re-import. */
export class DamagedModelError extends StorageError {
  override readonly name = 'DamagedModelError';
  /** What is wrong, as a clause. */
  readonly what: string;

  constructor(what: string) {
    super(`The stored model is damaged (${what}); delete it and re-import its files.`);
    this.what = what;
  }
}

/** Room for a read: the front of `into` where it is long enough, else new. */
export function readTarget(byteLength: number, into: Uint8Array | undefined): Uint8Array {
  return into && into.byteLength >= byteLength ? into.subarray(0, byteLength) : new Uint8Array(byteLength);
}

/** The files are whole but somebody else holds them. */
export class StorageLockedError extends StorageError {}

const MODEL_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export function isModelId(name: string): boolean {
  return MODEL_ID.test(name);
}

/** @throws StorageError where an id could name anything but one folder. */
export function checkModelId(modelId: string): void {
  if (!isModelId(modelId)) throw new StorageError(`"${modelId.slice(0, 80)}" is no model id.`);
}

export function missingFile(modelId: string, name: StoredFileName): StorageError {
  return new StorageError(`The stored model ${modelId} has no ${name}; delete it and import it again.`);
}

export function fileTooLong(modelId: string, name: StoredFileName, byteLength: number): StorageError {
  return new StorageError(
    `${name} of the stored model ${modelId} has ${byteLength} bytes, which is too much; delete it and import it again.`);
}

export function lockedFile(): StorageLockedError {
  return new StorageLockedError('This model is open in another tab; close it there, then try again.');
}
