/** Writes GGUF (v2 or v3, either byte order). Specification: docs/gguf.md of the ggml project. */
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import { alignUp } from '../quant/packed.ts';
import { swapBlockFields } from './big_endian.ts';
import { ByteWriter } from './byte_writer.ts';
import { GGUF_MAGIC } from './gguf_header.ts';

type NumericType = 'uint8' | 'int8' | 'uint16' | 'int16' | 'uint32' | 'int32' | 'uint64' | 'int64' | 'float32' | 'float64';

/** A metadata value with its type: readers are strict about it (a rope base of 10000 must be a float32). */
export type GgufTypedValue =
  | { readonly type: NumericType; readonly value: number | bigint }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'array'; readonly of: NumericType; readonly value: ArrayLike<number> | ArrayLike<bigint> }
  | { readonly type: 'array'; readonly of: 'bool'; readonly value: readonly boolean[] }
  | { readonly type: 'array'; readonly of: 'string'; readonly value: readonly string[] };

export interface GgufTensorSpec {
  readonly name: string;
  readonly format: WeightFormatName;
  /** Outermost dimension first, as everywhere outside the file. */
  readonly shape: readonly number[];
}

export interface GgufWriteOptions {
  readonly version?: 2 | 3;
  /** A power of two; values other than the default 32 are recorded as general.alignment. */
  readonly alignment?: number;
  readonly bigEndian?: boolean;
}

/** Everything but the tensor data: a writer streams `header`, then each tensor at its offset, zeros between. */
export interface GgufLayout {
  /** Padded to the alignment; tensor data follows at once. */
  readonly header: Uint8Array;
  /** Of each tensor, from the start of the file. */
  readonly tensorByteOffsets: readonly number[];
  readonly tensorByteLengths: readonly number[];
  readonly fileByteLength: number;
}

const TYPE_IDS = {
  uint8: 0, int8: 1, uint16: 2, int16: 3, uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9,
  uint64: 10, int64: 11, float64: 12,
} as const;

/** @throws RangeError for a format that GGUF has no type for, or a shape that does not fit the format's block */
export function layOutGguf(
  metadata: ReadonlyMap<string, GgufTypedValue>, tensors: readonly GgufTensorSpec[], options: GgufWriteOptions = {},
): GgufLayout {
  const { version = 3, alignment = 32, bigEndian = false } = options;
  const values = new Map(metadata);
  if (alignment !== 32) values.set('general.alignment', { type: 'uint32', value: alignment });
  const out = new ByteWriter(!bigEndian);
  out.bytes(new TextEncoder().encode(GGUF_MAGIC));
  out.u32(version);
  out.u64(tensors.length);
  out.u64(values.size);
  for (const [key, value] of values) {
    out.text(key);
    out.u32(TYPE_IDS[value.type]);
    writeValue(out, value);
  }
  const offsets: number[] = [];
  const lengths = tensors.map(tensorByteLength);
  let offset = 0;
  tensors.forEach((tensor, i) => {
    out.text(tensor.name);
    out.u32(tensor.shape.length);
    for (const dim of tensor.shape.toReversed()) out.u64(dim);
    out.u32(WEIGHT_FORMATS[tensor.format].ggmlType!);
    out.u64(offset);
    offsets.push(offset);
    offset += alignUp(lengths[i], alignment);
  });
  out.padTo(alignment);
  const header = out.finish();
  return {
    header,
    tensorByteOffsets: offsets.map((relative) => header.byteLength + relative),
    tensorByteLengths: lengths,
    fileByteLength: header.byteLength + offset,
  };
}

/**
 * A whole GGUF file in memory, for small models.
 * @param tensors `data` is in the (little-endian) file layout of its format
 */
export function writeGguf(
  metadata: ReadonlyMap<string, GgufTypedValue>, tensors: readonly (GgufTensorSpec & { readonly data: Uint8Array })[],
  options: GgufWriteOptions = {},
): Uint8Array {
  const layout = layOutGguf(metadata, tensors, options);
  const file = new Uint8Array(layout.fileByteLength);
  file.set(layout.header);
  tensors.forEach(({ name, format, data }, i) => {
    const expected = layout.tensorByteLengths[i];
    if (data.byteLength !== expected) {
      throw new RangeError(`the tensor ${name} takes ${expected} bytes, not ${data.byteLength}`);
    }
    const at = layout.tensorByteOffsets[i];
    file.set(data, at);
    if (options.bigEndian) swapBlockFields(WEIGHT_FORMATS[format], file.subarray(at, at + expected));
  });
  return file;
}

function tensorByteLength({ name, format, shape }: GgufTensorSpec): number {
  const { blockElems, blockByteLength, ggmlType } = WEIGHT_FORMATS[format];
  if (ggmlType === null) throw new RangeError(`the tensor ${name} is ${format}, which GGUF has no type for`);
  const cols = shape[shape.length - 1];
  if (cols % blockElems !== 0) {
    throw new RangeError(`the tensor ${name} has rows of ${cols}, no multiple of the ${format} block of ${blockElems}`);
  }
  return (shape.reduce((product, dim) => product * dim, 1) / blockElems) * blockByteLength;
}

function writeValue(out: ByteWriter, value: GgufTypedValue): void {
  if (value.type !== 'array') {
    writeScalar(out, value.type, value.value);
    return;
  }
  out.u32(TYPE_IDS[value.of]);
  out.u64(value.value.length);
  for (let i = 0; i < value.value.length; i++) writeScalar(out, value.of, value.value[i]);
}

function writeScalar(
  out: ByteWriter, type: NumericType | 'bool' | 'string', value: number | bigint | boolean | string,
): void {
  if (type === 'string') out.text(value as string);
  else if (type === 'bool') out.number('uint8', value ? 1 : 0);
  else out.number(type, value as number | bigint);
}
