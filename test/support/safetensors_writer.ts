/** A safetensors file in memory, for tests and tiny models. */
export interface SafetensorsTensor {
  readonly name: string;
  /** As in the format: 'F32', 'F16', 'BF16', 'I64', … */
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

export function writeSafetensors(tensors: readonly SafetensorsTensor[], metadata?: Record<string, string>): Uint8Array {
  let offset = 0;
  const directory: Record<string, unknown> = metadata ? { __metadata__: metadata } : {};
  for (const { name, dtype, shape, data } of tensors) {
    directory[name] = { dtype, shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const file = safetensorsOf(JSON.stringify(directory), offset);
  let at = file.byteLength - offset;
  for (const { data } of tensors) {
    file.set(data, at);
    at += data.byteLength;
  }
  return file;
}

/** A file with this text as its header (padded with spaces to 8 bytes) and zeros as data: also for broken headers. */
export function safetensorsOf(headerText: string, dataByteLength: number): Uint8Array {
  const text = new TextEncoder().encode(headerText);
  const headerByteLength = Math.ceil(text.byteLength / 8) * 8;
  const file = new Uint8Array(8 + headerByteLength + dataByteLength);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerByteLength), true);
  file.fill(0x20, 8, 8 + headerByteLength);
  file.set(text, 8);
  return file;
}
