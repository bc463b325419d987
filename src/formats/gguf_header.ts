/**
 * The header of one GGUF file (v2 and v3, either endianness): metadata and tensor directory. Specification:
 * docs/gguf.md of the ggml project. The file is hostile until checked: every count is held against the bytes
 * that are left before anything is allocated for it.
 */
import type { ByteSource, GgufArray, GgufValue } from './checkpoint.ts';
import { HeaderCursor } from './header_cursor.ts';

/** One entry of the tensor directory, before its type is looked at. */
export interface GgufTensorInfo {
  readonly name: string;
  /** ggml order: the contiguous dimension first. */
  readonly dims: readonly number[];
  readonly ggmlType: number;
  /** Relative to dataByteOffset. */
  readonly byteOffset: number;
}

export interface GgufHeader {
  readonly source: ByteSource;
  readonly version: number;
  readonly littleEndian: boolean;
  readonly alignment: number;
  readonly values: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensorInfo[];
  /** Where the tensor data begins in the file. */
  readonly dataByteOffset: number;
}

export const GGUF_MAGIC = 'GGUF';

const HEADER_LIMIT_BYTES = 256 << 20;
const STRING_LIMIT_BYTES = 64 << 20;
const KEY_LIMIT_BYTES = 65535;
const TENSOR_LIMIT = 1 << 20;
const MAX_DIMS = 4;
const MAX_ARRAY_DEPTH = 2;
/** Arrays inside an array; no known key has any, and each costs far more memory than its 12 bytes in the file. */
const INNER_ARRAY_LIMIT = 1 << 16;
const DEFAULT_ALIGNMENT = 32;
/** Key length, one byte of key, type, one byte of value. */
const MIN_KEY_VALUE_BYTES = 8 + 1 + 4 + 1;
/** Name length, dimension count, one dimension, type, offset. */
const MIN_TENSOR_INFO_BYTES = 8 + 4 + 8 + 4 + 8;

const STRING = 8;
const ARRAY = 9;
const BOOL = 7;

interface ScalarType {
  readonly byteLength: number;
  read(view: DataView, at: number, littleEndian: boolean): number | bigint | boolean;
}

/** Fixed-size value types by GGUF id. */
const SCALARS: ReadonlyMap<number, ScalarType> = new Map<number, ScalarType>([
  [0, { byteLength: 1, read: (v, at) => v.getUint8(at) }],
  [1, { byteLength: 1, read: (v, at) => v.getInt8(at) }],
  [2, { byteLength: 2, read: (v, at, le) => v.getUint16(at, le) }],
  [3, { byteLength: 2, read: (v, at, le) => v.getInt16(at, le) }],
  [4, { byteLength: 4, read: (v, at, le) => v.getUint32(at, le) }],
  [5, { byteLength: 4, read: (v, at, le) => v.getInt32(at, le) }],
  [6, { byteLength: 4, read: (v, at, le) => v.getFloat32(at, le) }],
  [BOOL, { byteLength: 1, read: (v, at) => v.getUint8(at) !== 0 }],
  [10, { byteLength: 8, read: (v, at, le) => exactNumber(v.getBigUint64(at, le)) }],
  [11, { byteLength: 8, read: (v, at, le) => exactNumber(v.getBigInt64(at, le)) }],
  [12, { byteLength: 8, read: (v, at, le) => v.getFloat64(at, le) }],
]);

type TypedArrayMaker = (buffer: ArrayBuffer) => Exclude<GgufArray, readonly unknown[]>;
const TYPED_ARRAYS: ReadonlyMap<number, TypedArrayMaker> = new Map<number, TypedArrayMaker>([
  [0, (b) => new Uint8Array(b)], [1, (b) => new Int8Array(b)], [2, (b) => new Uint16Array(b)],
  [3, (b) => new Int16Array(b)], [4, (b) => new Uint32Array(b)], [5, (b) => new Int32Array(b)],
  [6, (b) => new Float32Array(b)], [10, (b) => new BigUint64Array(b)], [11, (b) => new BigInt64Array(b)],
  [12, (b) => new Float64Array(b)],
]);

function exactNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether a file begins as GGUF files do. */
export async function isGguf(source: ByteSource): Promise<boolean> {
  if (source.byteLength < 4) return false;
  return String.fromCharCode(...(await source.read(0, 4))) === GGUF_MAGIC;
}

/** @throws ModelFormatError in one sentence about what is wrong with the file */
export async function readGgufHeader(source: ByteSource): Promise<GgufHeader> {
  const cursor = new HeaderCursor(source, HEADER_LIMIT_BYTES);
  await cursor.ensure(24);
  if (cursor.takeUtf8(4) !== GGUF_MAGIC) cursor.fail('not a GGUF file (it does not begin with "GGUF")');
  const version = takeVersion(cursor);
  const tensorCount = cursor.takeCount('the tensor count');
  const keyCount = cursor.takeCount('the metadata count');
  if (keyCount * MIN_KEY_VALUE_BYTES > cursor.remaining) {
    cursor.fail(`it claims ${keyCount} metadata entries, more than its ${source.byteLength} bytes can hold`);
  }
  if (tensorCount > TENSOR_LIMIT || tensorCount * MIN_TENSOR_INFO_BYTES > cursor.remaining) {
    cursor.fail(`it claims ${tensorCount} tensors, more than its ${source.byteLength} bytes can hold`);
  }
  const values = await readValues(cursor, keyCount);
  const alignment = checkedAlignment(cursor, values.get('general.alignment'));
  const tensors = await readTensorInfos(cursor, tensorCount);
  const dataByteOffset = Math.ceil(cursor.position / alignment) * alignment;
  return { source, version, littleEndian: cursor.littleEndian, alignment, values, tensors, dataByteOffset };
}

/** The version also tells the byte order: read the wrong way round, 2 and 3 are huge. */
function takeVersion(cursor: HeaderCursor): number {
  const bytes = cursor.take(4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 4);
  cursor.littleEndian = view.getUint16(0, true) !== 0;
  const version = view.getUint32(0, cursor.littleEndian);
  if (version !== 2 && version !== 3) cursor.fail(`GGUF version ${version} is not supported; supported: 2, 3`);
  return version;
}

function checkedAlignment(cursor: HeaderCursor, value: GgufValue | undefined): number {
  if (value === undefined) return DEFAULT_ALIGNMENT;
  if (typeof value !== 'number' || !(value >= 1 && value <= 2 ** 30) || !Number.isInteger(Math.log2(value))) {
    cursor.fail(`general.alignment is ${String(value)}, not a power of two`);
  }
  return value;
}

async function readValues(cursor: HeaderCursor, count: number): Promise<Map<string, GgufValue>> {
  const values = new Map<string, GgufValue>();
  for (let i = 0; i < count; i++) {
    const key = await readString(cursor, `the name of metadata entry ${i}`, KEY_LIMIT_BYTES);
    if (key === '') cursor.fail(`metadata entry ${i} has no name`);
    if (values.has(key)) cursor.fail(`the metadata key ${key} occurs twice`);
    await cursor.ensure(4);
    values.set(key, await readValue(cursor, key, cursor.takeU32()));
  }
  return values;
}

async function readValue(cursor: HeaderCursor, key: string, type: number): Promise<GgufValue> {
  if (type === STRING) return readString(cursor, key, STRING_LIMIT_BYTES);
  if (type === ARRAY) return readArray(cursor, key, 1);
  const scalar = SCALARS.get(type);
  if (!scalar) cursor.fail(`the metadata key ${key} has the unknown value type ${type}`);
  await cursor.ensure(scalar.byteLength);
  return takeScalar(cursor, scalar);
}

function takeScalar(cursor: HeaderCursor, scalar: ScalarType): number | bigint | boolean {
  const bytes = cursor.take(scalar.byteLength);
  return scalar.read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, cursor.littleEndian);
}

async function readString(cursor: HeaderCursor, what: string, limit: number): Promise<string> {
  if (!cursor.has(8)) await cursor.ensure(8);
  const byteLength = cursor.takeCount(`the length of ${what}`);
  if (byteLength > limit || byteLength > cursor.remaining) {
    cursor.fail(`${what} claims a length of ${byteLength} bytes, more than is allowed or left in the file`);
  }
  if (!cursor.has(byteLength)) await cursor.ensure(byteLength);
  return cursor.takeUtf8(byteLength);
}

async function readArray(cursor: HeaderCursor, key: string, depth: number): Promise<GgufArray> {
  await cursor.ensure(12);
  const type = cursor.takeU32();
  const count = cursor.takeCount(`the length of ${key}`);
  const scalar = SCALARS.get(type);
  // The least an element takes: strings begin with a length, inner arrays with a type and a length.
  const elementByteLength = scalar?.byteLength ?? (type === STRING ? 8 : 12);
  if (count * elementByteLength > cursor.remaining) {
    cursor.fail(`${key} claims ${count} entries, more than are left in the file`);
  }
  if (type === STRING) {
    const strings: string[] = [];
    for (let i = 0; i < count; i++) strings.push(await readStringEntry(cursor, key));
    return strings;
  }
  if (type === ARRAY) {
    if (depth === MAX_ARRAY_DEPTH) cursor.fail(`${key} nests arrays more than ${MAX_ARRAY_DEPTH} deep`);
    if (count > INNER_ARRAY_LIMIT) cursor.fail(`${key} claims ${count} arrays inside one; allowed: ${INNER_ARRAY_LIMIT}`);
    const arrays: GgufArray[] = [];
    for (let i = 0; i < count; i++) arrays.push(await readArray(cursor, key, depth + 1));
    return arrays;
  }
  if (!scalar) cursor.fail(`the metadata key ${key} is an array of the unknown value type ${type}`);
  await cursor.ensure(count * scalar.byteLength);
  const bytes = cursor.take(count * scalar.byteLength).slice();
  if (type === BOOL) return Array.from(bytes, (byte) => byte !== 0);
  if (!cursor.littleEndian) reverseEach(bytes, scalar.byteLength);
  return TYPED_ARRAYS.get(type)!(bytes.buffer);
}

function readStringEntry(cursor: HeaderCursor, key: string): Promise<string> {
  return readString(cursor, `an entry of ${key}`, STRING_LIMIT_BYTES);
}

function reverseEach(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.byteLength; at += width) bytes.subarray(at, at + width).reverse();
}

async function readTensorInfos(cursor: HeaderCursor, count: number): Promise<GgufTensorInfo[]> {
  const tensors: GgufTensorInfo[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < count; i++) {
    const name = await readString(cursor, `the name of tensor ${i}`, KEY_LIMIT_BYTES);
    if (seen.has(name)) cursor.fail(`the tensor ${name} occurs twice`);
    seen.add(name);
    await cursor.ensure(4);
    const dimCount = cursor.takeU32();
    if (dimCount < 1 || dimCount > MAX_DIMS) {
      cursor.fail(`the tensor ${name} has ${dimCount} dimensions; supported: 1 to ${MAX_DIMS}`);
    }
    await cursor.ensure(dimCount * 8 + 12);
    const dims: number[] = [];
    let elements = 1;
    for (let d = 0; d < dimCount; d++) {
      const dim = cursor.takeCount(`a dimension of the tensor ${name}`);
      elements *= dim;
      dims.push(dim);
    }
    if (elements < 1 || elements > Number.MAX_SAFE_INTEGER) {
      cursor.fail(`the tensor ${name} has the impossible dimensions ${dims.join(' × ')}`);
    }
    const ggmlType = cursor.takeU32();
    tensors.push({ name, dims, ggmlType, byteOffset: cursor.takeCount(`the offset of the tensor ${name}`) });
  }
  return tensors;
}
