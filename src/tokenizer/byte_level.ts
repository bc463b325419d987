/** The byte ↔ character table of GPT-2's byte-level BPE (encoder.py `bytes_to_unicode`, OpenAI 2019). */

/**
 * Printable Latin-1 bytes stand for themselves; the others take the code points from U+0100 upwards in byte order,
 * so that a vocabulary of visible strings can spell every byte.
 */
function buildTable(): {
  readonly charOfByte: readonly string[];
  readonly byteOfCodePoint: ReadonlyMap<number, number>;
} {
  const charOfByte: string[] = [];
  const byteOfCodePoint = new Map<number, number>();
  let nextSpare = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    const codePoint = printable ? byte : nextSpare++;
    charOfByte.push(String.fromCodePoint(codePoint));
    byteOfCodePoint.set(codePoint, byte);
  }
  return { charOfByte, byteOfCodePoint };
}

const TABLE = buildTable();
const UTF8 = new TextEncoder();

/** Bytes that a byte-level vocabulary entry spells. A character outside the table stands for its own UTF-8 bytes. */
export function byteLevelToBytes(token: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of token) {
    const byte = TABLE.byteOfCodePoint.get(char.codePointAt(0)!);
    if (byte === undefined) bytes.push(...UTF8.encode(char));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/** Bytes of a SentencePiece entry: `<0xXX>` is one byte, U+2581 is a space, anything else its UTF-8. */
export function sentencePieceToBytes(token: string): Uint8Array {
  const byte = BYTE_TOKEN.exec(token);
  if (byte) return Uint8Array.of(Number.parseInt(byte[1], 16));
  return UTF8.encode(token.replaceAll('\u2581', ' '));
}

/** SentencePiece's name of the token that stands for one raw byte. */
export function byteTokenName(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}
