/** GGUF files, whole or in shards, as a Checkpoint. */
import { ModelFormatError, type ByteSource, type Checkpoint, type GgufValue, type TensorRef } from './checkpoint.ts';
import { bigEndianTensorSource } from './big_endian.ts';
import { GGML_TYPES, RETIRED_GGML_TYPES, SUPPORTED_GGML_TYPES, formatOfGgmlType } from './ggml_types.ts';
import { readGgufHeader, type GgufHeader, type GgufTensorInfo } from './gguf_header.ts';
import { attachTensorScales } from './gguf_scales.ts';
import { ggufTokenizer } from './gguf_tokenizer.ts';

const SHARD_NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i;

/** All shard names of the set that `name` belongs to ('m-00002-of-00003.gguf'), in order; null for a whole file. */
export function ggufShardNames(name: string): string[] | null {
  const match = SHARD_NAME.exec(name);
  if (!match) return null;
  const [, stem, , count] = match;
  return Array.from({ length: Number(count) }, (_, i) => `${stem}-${String(i + 1).padStart(5, '0')}-of-${count}.gguf`);
}

/**
 * Opens one GGUF file, or all shards of one in any order.
 * @throws ModelFormatError where a file is damaged, a shard missing or a tensor's type not supported
 */
export async function openGguf(sources: readonly ByteSource[]): Promise<Checkpoint> {
  const headers = await Promise.all(sources.map(readGgufHeader));
  const shards = inShardOrder(headers);
  const tensors = new Map<string, TensorRef>();
  const unsupportedTensors = new Map<string, string>();
  for (const shard of shards) {
    for (const info of shard.tensors) {
      if (tensors.has(info.name) || unsupportedTensors.has(info.name)) {
        throw new ModelFormatError(`${shard.source.name}: the tensor ${info.name} is in another shard as well`);
      }
      const typeName = nonWeightTypeName(info);
      if (typeName) unsupportedTensors.set(info.name, typeName);
      else tensors.set(info.name, tensorRef(shard, info));
    }
    checkPlacement(shard);
  }
  const { values, source } = shards[0];
  checkTensorTotal(shards, tensors.size + unsupportedTensors.size);
  const template = values.get('tokenizer.chat_template');
  const title = values.get('general.name');
  return {
    container: 'gguf',
    name: typeof title === 'string' && title.trim() !== '' ? title : plainName(source.name),
    sources: shards.map((shard) => shard.source),
    metadata: { kind: 'gguf', values },
    tensors: await attachTensorScales(tensors),
    unsupportedTensors,
    tokenizer: ggufTokenizer(source.name, values),
    chatTemplate: typeof template === 'string' ? template : null,
  };
}

/** File name without folders, '.gguf' and shard number. */
function plainName(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return SHARD_NAME.exec(file)?.[1] ?? file.replace(/\.gguf$/i, '');
}

function integerValue(header: GgufHeader, key: string): number | null {
  const value: GgufValue | undefined = header.values.get(key);
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new ModelFormatError(`${header.source.name}: ${key} is ${String(value)}, not a count`);
  }
  return value;
}

/** Sorts by split.no and checks that every shard is there once. */
function inShardOrder(headers: readonly GgufHeader[]): readonly GgufHeader[] {
  const first = headers[0];
  const count = integerValue(first, 'split.count') ?? 1;
  if (headers.length > 1) checkOneModel(headers);
  if (count <= 1) return headers;
  const byNumber = new Map<number, GgufHeader>();
  for (const header of headers) {
    const { name } = header.source;
    const number = integerValue(header, 'split.no');
    if (number === null || number >= count) {
      throw new ModelFormatError(`${name}: split.no is ${String(number)}, which is no shard of ${count}`);
    }
    const other = byNumber.get(number);
    if (other) throw new ModelFormatError(`${other.source.name} and ${name} are both shard ${number + 1} of ${count}`);
    byNumber.set(number, header);
  }
  if (byNumber.size < count) throw missingShard(first.source.name, count, byNumber);
  return [...byNumber.entries()].toSorted(([a], [b]) => a - b).map(([, header]) => header);
}

/** Shards of one model agree on their number and, where the files kept their names, on the name before it. */
function checkOneModel(headers: readonly GgufHeader[]): void {
  const models = new Set(headers.map((header) => {
    const { name } = header.source;
    const count = integerValue(header, 'split.count') ?? 1;
    return count <= 1 ? name : `${count} ${SHARD_NAME.exec(name)?.[1] ?? ''}`;
  }));
  if (models.size > 1 || (integerValue(headers[0], 'split.count') ?? 1) <= 1) {
    const names = headers.slice(0, 3).map((header) => header.source.name).join(', ');
    throw new ModelFormatError(`these are several models (${names}): add one at a time`);
  }
}

function missingShard(anyName: string, count: number, present: ReadonlyMap<number, unknown>): ModelFormatError {
  const names = ggufShardNames(anyName);
  let number = 0;
  while (present.has(number)) number++;
  const name = names?.length === count ? names[number] : `shard ${number + 1} of ${count}`;
  const others = count - present.size - 1;
  const more = others > 0 ? ` (and ${others} more)` : '';
  return new ModelFormatError(`${name}${more} is missing: add all ${count} files of the model together`);
}

function checkTensorTotal(shards: readonly GgufHeader[], found: number): void {
  const expected = integerValue(shards[0], 'split.tensors.count');
  if (shards.length > 1 && expected !== null && expected !== found) {
    throw new ModelFormatError(
      `${shards[0].source.name}: its shards hold ${found} tensors, not the ${expected} it announces`);
  }
}

/** Integer and double types hold no weights; a model may carry such a tensor without our ever reading it. */
function nonWeightTypeName(info: GgufTensorInfo): string | null {
  const type = GGML_TYPES.get(info.ggmlType);
  return type && /^[IF]\d+$/.test(type.name) && !formatOfGgmlType(info.ggmlType) ? type.name : null;
}

function tensorRef(header: GgufHeader, info: GgufTensorInfo): TensorRef {
  const format = formatOfGgmlType(info.ggmlType);
  if (!format) {
    const type = GGML_TYPES.get(info.ggmlType);
    const retired = RETIRED_GGML_TYPES.get(info.ggmlType);
    const found = type ? `${type.name}, which no released model stores its weights in`
      : retired ? `of the type ${retired}, which llama.cpp has retired` : `of the unknown type ${info.ggmlType}`;
    throw new ModelFormatError(
      `${header.source.name}: the tensor ${info.name} is ${found}; supported: ${SUPPORTED_GGML_TYPES}`);
  }
  const byteOffset = header.dataByteOffset + info.byteOffset;
  const byteLength = storedByteLength(header, info);
  const source = header.littleEndian
    ? header.source
    : bigEndianTensorSource(header.source, format, byteOffset, byteLength);
  return { name: info.name, format: format.name, shape: info.dims.toReversed(), source, byteOffset, byteLength };
}

function storedByteLength(header: GgufHeader, info: GgufTensorInfo): number {
  const { name, blockElems, blockByteLength } = GGML_TYPES.get(info.ggmlType)!;
  if (info.dims[0] % blockElems !== 0) {
    throw new ModelFormatError(
      `${header.source.name}: the tensor ${info.name} has rows of ${info.dims[0]}, ` +
      `no multiple of the ${name} block of ${blockElems}`);
  }
  return (info.dims.reduce((product, dim) => product * dim, 1) / blockElems) * blockByteLength;
}

/**
 * Tensors must lie one after the other with nothing but alignment between them, as every writer places them. A
 * tensor with more or less room than its type needs means that the type's id is used for some other layout, as forks
 * do (42 has been given to blocks of 34 bytes for 128 weights): decoding it would give plausible nonsense.
 */
function checkPlacement(header: GgufHeader): void {
  const { source, alignment, dataByteOffset } = header;
  const fail = (sentence: string): never => {
    throw new ModelFormatError(`${source.name}: ${sentence}`);
  };
  const misfit = (info: GgufTensorInfo, room: number, otherwise: string): never => {
    const { name } = GGML_TYPES.get(info.ggmlType)!;
    return fail(`the tensor ${info.name} has ${room} bytes of room where ${name} takes ${storedByteLength(header, info)}; ` +
      `its file uses type ${info.ggmlType} for another layout than ${name}, or ${otherwise}`);
  };
  const ordered = header.tensors.toSorted((a, b) => a.byteOffset - b.byteOffset);
  let expected = 0;
  let before: GgufTensorInfo | null = null;
  for (const info of ordered) {
    const { name, byteOffset } = info;
    if (byteOffset % alignment !== 0) {
      fail(`the tensor ${name} begins at ${byteOffset}, no multiple of the alignment ${alignment}`);
    }
    if (!before && byteOffset > 0) fail(`its first tensor, ${name}, begins ${byteOffset} bytes late`);
    if (before && byteOffset < expected) misfit(before, byteOffset - before.byteOffset, `overlaps with ${name}`);
    if (before && byteOffset > expected) misfit(before, byteOffset - before.byteOffset, 'has lost its order');
    expected = alignedEnd(header, info);
    before = info;
  }
  if (!before) return;
  const room = source.byteLength - dataByteOffset - before.byteOffset;
  if (room < storedByteLength(header, before)) misfit(before, Math.max(0, room), 'is an incomplete download');
  const isQuantised = GGML_TYPES.get(before.ggmlType)!.blockElems > 1;
  if (isQuantised && dataByteOffset + expected + alignment <= source.byteLength) misfit(before, room, 'has data after its end');
}

/** Where the next tensor begins, from the start of the data. */
function alignedEnd(header: GgufHeader, info: GgufTensorInfo): number {
  return Math.ceil((info.byteOffset + storedByteLength(header, info)) / header.alignment) * header.alignment;
}
