/** Growing byte buffer with typed appends in either byte order. */
const WIDTHS = {
  uint8: 1, int8: 1, uint16: 2, int16: 2, uint32: 4, int32: 4, float32: 4, uint64: 8, int64: 8, float64: 8,
} as const;

export class ByteWriter {
  readonly #littleEndian: boolean;
  #buffer = new Uint8Array(1024);
  #length = 0;

  constructor(littleEndian = true) {
    this.#littleEndian = littleEndian;
  }

  get byteLength(): number {
    return this.#length;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.byteLength);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.byteLength;
    return this;
  }

  number(type: keyof typeof WIDTHS, value: number | bigint): this {
    this.#reserve(WIDTHS[type]);
    const view = new DataView(this.#buffer.buffer);
    const at = this.#length;
    const le = this.#littleEndian;
    switch (type) {
      case 'uint8': view.setUint8(at, Number(value)); break;
      case 'int8': view.setInt8(at, Number(value)); break;
      case 'uint16': view.setUint16(at, Number(value), le); break;
      case 'int16': view.setInt16(at, Number(value), le); break;
      case 'uint32': view.setUint32(at, Number(value), le); break;
      case 'int32': view.setInt32(at, Number(value), le); break;
      case 'float32': view.setFloat32(at, Number(value), le); break;
      case 'float64': view.setFloat64(at, Number(value), le); break;
      case 'uint64': view.setBigUint64(at, BigInt(value), le); break;
      case 'int64': view.setBigInt64(at, BigInt(value), le); break;
    }
    this.#length += WIDTHS[type];
    return this;
  }

  u32(value: number): this {
    return this.number('uint32', value);
  }

  u64(value: number | bigint): this {
    return this.number('uint64', value);
  }

  /** UTF-8 after its byte length as u64, as GGUF stores strings. */
  text(text: string): this {
    const bytes = new TextEncoder().encode(text);
    return this.u64(bytes.byteLength).bytes(bytes);
  }

  /** Zeros up to the next multiple. */
  padTo(multiple: number): this {
    return this.bytes(new Uint8Array((multiple - (this.#length % multiple)) % multiple));
  }

  /** The bytes so far, as a copy. */
  finish(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }

  #reserve(byteLength: number): void {
    if (this.#length + byteLength <= this.#buffer.byteLength) return;
    const grown = new Uint8Array(Math.max(this.#buffer.byteLength * 2, this.#length + byteLength));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}
