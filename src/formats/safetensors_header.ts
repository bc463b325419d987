/**
 * The header of one safetensors file: u64 length, JSON directory, data. Specification: the format section of
 * the safetensors project's README. As its reference reader does, we insist that the tensors cover the data
 * without holes or overlaps; a name given twice in the JSON thereby shows as a hole.
 */
import { ModelFormatError, type ByteSource } from './checkpoint.ts';
import { isJsonObject, parseJsonObject } from './json_file.ts';
import type { StoredTensor } from './stored_tensor.ts';

export interface SafetensorsHeader {
  readonly source: ByteSource;
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

/** Bits of one element of each dtype that the specification has. */
const DTYPE_BITS: ReadonlyMap<string, number> = new Map([
  ['F4', 4], ['F6_E2M3', 6], ['F6_E3M2', 6], ['BOOL', 8], ['U8', 8], ['I8', 8], ['F8_E4M3', 8], ['F8_E5M2', 8],
  ['F8_E8M0', 8], ['I16', 16], ['U16', 16], ['F16', 16], ['BF16', 16], ['I32', 32], ['U32', 32], ['F32', 32],
  ['F64', 64], ['I64', 64], ['U64', 64], ['C64', 64],
]);

/** The reference reader's bound. */
const HEADER_LIMIT_BYTES = 100_000_000;
const MAX_DIMS = 8;

interface Entry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** Whether a file begins as safetensors files do: a plausible header length, then '{'. */
export async function isSafetensors(source: ByteSource): Promise<boolean> {
  if (source.byteLength < 10) return false;
  const start = await source.read(0, 9);
  const length = headerByteLength(start);
  return start[8] === 0x7b && length >= 2 && 8 + length <= source.byteLength;
}

function headerByteLength(start: Uint8Array): number {
  return Number(new DataView(start.buffer, start.byteOffset, 8).getBigUint64(0, true));
}

/** @throws ModelFormatError in one sentence about what is wrong with the file */
export async function readSafetensorsHeader(source: ByteSource): Promise<SafetensorsHeader> {
  const fail = (sentence: string): never => {
    throw new ModelFormatError(`${source.name}: ${sentence}`);
  };
  if (source.byteLength < 8) fail('the file is too short for a safetensors header');
  const length = headerByteLength(await source.read(0, 8));
  if (length > HEADER_LIMIT_BYTES) fail(`its header claims ${length} bytes; at most ${HEADER_LIMIT_BYTES} are allowed`);
  if (8 + length > source.byteLength) {
    fail(`its header claims ${length} bytes, but the file has ${source.byteLength}; it may be an incomplete download`);
  }
  const directory = parseJsonObject(`the header of ${source.name}`, await source.read(8, length));
  const entries = Object.entries(directory)
    .filter(([name]) => name !== '__metadata__')
    .map(([name, value]) => parseEntry(name, value, fail));
  const dataByteOffset = 8 + length;
  checkPlacement(entries, source.byteLength - dataByteOffset, fail);

  const tensors = new Map(entries.map(({ name, dtype, shape, begin, end }): [string, StoredTensor] =>
    [name, { name, dtype, shape, source, byteOffset: dataByteOffset + begin, byteLength: end - begin }]));
  return { source, tensors };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parseEntry(name: string, value: unknown, fail: (sentence: string) => never): Entry {
  if (!isJsonObject(value)) fail(`the entry of the tensor ${name} is not an object`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string') fail(`the tensor ${name} has no dtype`);
  if (!Array.isArray(shape) || shape.length > MAX_DIMS || !shape.every(isCount)) {
    fail(`the tensor ${name} has no valid shape`);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount) || offsets[0] > offsets[1]) {
    fail(`the tensor ${name} has no valid data_offsets`);
  }
  const [begin, end] = offsets as [number, number];
  const bits = DTYPE_BITS.get(dtype);
  const byteLength = bits === undefined ? end - begin : ((shape as number[]).reduce((n, dim) => n * dim, 1) * bits) / 8;
  if (byteLength !== end - begin) {
    fail(`the tensor ${name} has ${end - begin} bytes where ${dtype} [${shape.join(', ')}] takes ${byteLength}`);
  }
  return { name, dtype, shape: shape as number[], begin, end };
}

function checkPlacement(entries: readonly Entry[], dataByteLength: number, fail: (sentence: string) => never): void {
  const ordered = entries.toSorted((a, b) => a.begin - b.begin || a.end - b.end);
  let expected = 0;
  let before = '';
  for (const { name, begin, end } of ordered) {
    if (end > dataByteLength) {
      fail(`the tensor ${name} ends at byte ${end} of the data, which has ${dataByteLength}; ` +
        'it may be an incomplete download');
    }
    if (begin < expected) fail(`the tensors ${before} and ${name} overlap`);
    if (begin > expected) fail(`bytes ${expected} to ${begin} of its data belong to no tensor`);
    expected = end;
    before = name;
  }
  if (expected !== dataByteLength) fail(`bytes ${expected} to ${dataByteLength} of its data belong to no tensor`);
}
