/**
 * Sequential reader of a file's header through a small window, so that neither the tensor data nor, for long
 * vocabularies, the whole header has to be in memory. Every length is checked against the file before use.
 */
import { ModelFormatError, type ByteSource } from './checkpoint.ts';

const WINDOW_BYTES = 1 << 20;
// ignoreBOM keeps a leading U+FEFF: vocabularies have it as a token.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export class HeaderCursor {
  readonly #source: ByteSource;
  readonly #limit: number;
  #window: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#window.buffer);
  #windowStart = 0;
  #at = 0;
  littleEndian = true;

  /** @param limit the most bytes a header of this kind may take */
  constructor(source: ByteSource, limit: number) {
    this.#source = source;
    this.#limit = limit;
  }

  get position(): number {
    return this.#windowStart + this.#at;
  }

  /** Bytes of the file not consumed yet. */
  get remaining(): number {
    return this.#source.byteLength - this.position;
  }

  fail(sentence: string): never {
    throw new ModelFormatError(`${this.#source.name}: ${sentence}`);
  }

  /** Whether the next `byteLength` bytes can be taken without a read. */
  has(byteLength: number): boolean {
    return this.#at + byteLength <= this.#window.byteLength;
  }

  /** Makes the next `byteLength` bytes available. @throws ModelFormatError where the file or the bound ends first */
  async ensure(byteLength: number): Promise<void> {
    if (this.has(byteLength)) return;
    const position = this.position;
    if (byteLength > this.remaining) {
      this.fail(`the file ends inside its header, at byte ${this.#source.byteLength}; it may be an incomplete download`);
    }
    if (position + byteLength > this.#limit) {
      this.fail(`its header is longer than the ${this.#limit >> 20} MiB that are allowed`);
    }
    const wanted = Math.min(Math.max(byteLength, WINDOW_BYTES), this.remaining);
    this.#window = await this.#source.read(position, wanted);
    this.#view = new DataView(this.#window.buffer, this.#window.byteOffset, this.#window.byteLength);
    this.#windowStart = position;
    this.#at = 0;
  }

  /** The next bytes as a view that is valid until the next ensure(). Call ensure() first, as for all that follow. */
  take(byteLength: number): Uint8Array {
    const bytes = this.#window.subarray(this.#at, this.#at + byteLength);
    this.#at += byteLength;
    return bytes;
  }

  takeU8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  takeU32(): number {
    return this.#view.getUint32(this.#advance(4), this.littleEndian);
  }

  takeU64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), this.littleEndian);
  }

  /** A u64 used as a count, length or offset; beyond 2^53 no real file can follow. */
  takeCount(what: string): number {
    const value = this.takeU64();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) this.fail(`${what} is ${value}, which no file can hold`);
    return Number(value);
  }

  takeUtf8(byteLength: number): string {
    const bytes = this.take(byteLength);
    // Most vocabulary entries are a few ASCII characters, for which a decoder call costs more than the work.
    if (byteLength <= 24) {
      let text = '';
      let i = 0;
      for (; i < byteLength && bytes[i] < 0x80; i++) text += String.fromCharCode(bytes[i]);
      if (i === byteLength) return text;
    }
    return utf8.decode(bytes);
  }

  #advance(byteLength: number): number {
    const at = this.#at;
    this.#at += byteLength;
    return at;
  }
}
