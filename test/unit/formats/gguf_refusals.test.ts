import { describe, expect, it } from 'vitest';
import type { ByteWriter } from '../../../src/formats/byte_writer.ts';
import type { ByteSource } from '../../../src/formats/checkpoint.ts';
import { SUPPORTED_GGML_TYPES } from '../../../src/formats/ggml_types.ts';
import { openGguf } from '../../../src/formats/gguf.ts';
import { openBytes, rawGguf, rawTensor, withData } from '../../support/gguf_bytes.ts';

const F32 = 0;
const SUPPORTED = `supported: ${SUPPORTED_GGML_TYPES}`;
/** A file with these tensors (name, dims, type, offset) and data bytes. */
const tensors = (dataByteLength: number, ...list: [string, (number | bigint)[], number, number | bigint][]) => {
  const out = rawGguf(list.length, 0);
  for (const [name, dims, type, offset] of list) rawTensor(out, name, dims, type, offset);
  return withData(out, dataByteLength);
};
/** A file with one metadata entry, whose value `write` writes. */
const entry = (type: number, write: (out: ByteWriter) => ByteWriter) => withData(write(rawGguf(0, 1).text('k').u32(type)), 0);
const alignment = (value: number) => withData(rawGguf(0, 1).text('general.alignment').u32(4).u32(value), 0);

const CASES: readonly (readonly [string, Uint8Array, string])[] = [
  ['wrong magic', new Uint8Array(64), 'not a GGUF file (it does not begin with "GGUF")'],
  ['a few bytes', Uint8Array.from([0x47, 0x47, 0x55, 0x46, 3]), 'the file ends inside its header, at byte 5; it may be an incomplete download'],
  ['version 1', withData(rawGguf(0, 0, 1), 0), 'GGUF version 1 is not supported; supported: 2, 3'],
  ['version 4', withData(rawGguf(0, 0, 4), 0), 'GGUF version 4 is not supported; supported: 2, 3'],
  ['too many tensors', withData(rawGguf(2 ** 40, 0), 64), 'it claims 1099511627776 tensors, more than its 96 bytes can hold'],
  ['too many keys', withData(rawGguf(0, 2 ** 40), 64), 'it claims 1099511627776 metadata entries, more than its 96 bytes can hold'],
  ['a count beyond 2^53', withData(rawGguf(2n ** 63n, 0), 64), 'the tensor count is 9223372036854775808, which no file can hold'],
  ['a lying string length', entry(8, (o) => o.u64(2 ** 30)), 'k claims a length of 1073741824 bytes, more than is allowed or left in the file'],
  ['a lying key length', withData(rawGguf(0, 1).u64(2 ** 20), 64), 'the name of metadata entry 0 claims a length of 1048576 bytes, more than is allowed or left in the file'],
  ['a lying array length', entry(9, (o) => o.u32(6).u64(2 ** 33)), 'k claims 8589934592 entries, more than are left in the file'],
  ['a lying string array', entry(9, (o) => o.u32(8).u64(1000)), 'k claims 1000 entries, more than are left in the file'],
  ['arrays nested too deep', entry(9, (o) => o.u32(9).u64(1).u32(9).u64(1).u32(9).u64(1).bytes(new Uint8Array(64))), 'k nests arrays more than 2 deep'],
  ['arrays without end', entry(9, (o) => o.u32(9).u64(70000).bytes(new Uint8Array(70000 * 12))), 'k claims 70000 arrays inside one; allowed: 65536'],
  ['an unknown value type', entry(13, (o) => o.u64(0)), 'the metadata key k has the unknown value type 13'],
  ['an unknown array type', entry(9, (o) => o.u32(77).u64(1).bytes(new Uint8Array(64))), 'the metadata key k is an array of the unknown value type 77'],
  ['a key twice', withData(rawGguf(0, 2).text('k').u32(4).u32(1).text('k').u32(4).u32(1), 0), 'the metadata key k occurs twice'],
  ['a key without name', withData(rawGguf(0, 1).text('').u32(4).u32(1), 0), 'metadata entry 0 has no name'],
  ['alignment 0', alignment(0), 'general.alignment is 0, not a power of two'],
  ['alignment 24', alignment(24), 'general.alignment is 24, not a power of two'],
  ['alignment 2^31', alignment(2 ** 31), 'general.alignment is 2147483648, not a power of two'],
  ['a tensor twice', tensors(64, ['w', [1], F32, 0], ['w', [1], F32, 32]), 'the tensor w occurs twice'],
  ['no dimensions', tensors(64, ['w', [], F32, 0]), 'the tensor w has 0 dimensions; supported: 1 to 4'],
  ['five dimensions', tensors(64, ['w', [1, 1, 1, 1, 1], F32, 0]), 'the tensor w has 5 dimensions; supported: 1 to 4'],
  ['a dimension of 0', tensors(64, ['w', [4, 0], F32, 0]), 'the tensor w has the impossible dimensions 4 × 0'],
  ['dimensions that overflow', tensors(64, ['w', [2 ** 40, 2 ** 40], F32, 0]), 'the tensor w has the impossible dimensions 1099511627776 × 1099511627776'],
  ['a dimension beyond 2^53', tensors(64, ['w', [2n ** 60n], F32, 0]), 'a dimension of the tensor w is 1152921504606846976, which no file can hold'],
  ['an intermediate type', tensors(292, ['w', [256], 15, 0]), `the tensor w is Q8_K, which no released model stores its weights in; ${SUPPORTED}`],
  ['a retired type', tensors(144, ['w', [256], 31, 0]), `the tensor w is of the type Q4_0_4_4, which llama.cpp has retired; ${SUPPORTED}`],
  ['an unknown type', tensors(128, ['w', [256], 99, 0]), `the tensor w is of the unknown type 99; ${SUPPORTED}`],
  ['rows that cut blocks', tensors(160, ['w', [128], 12, 0]), 'the tensor w has rows of 128, no multiple of the Q4_K block of 256'],
  ['a misaligned tensor', tensors(64, ['w', [1], F32, 4]), 'the tensor w begins at 4, no multiple of the alignment 32'],
  ['overlapping tensors', tensors(256, ['v', [16], F32, 0], ['w', [8], F32, 32]),
    'the tensor v has 32 bytes of room where F32 takes 64; its file uses type 0 for another layout than F32, or overlaps with w'],
  ['a gap', tensors(256, ['v', [8], F32, 0], ['w', [8], F32, 96]),
    'the tensor v has 96 bytes of room where F32 takes 32; its file uses type 0 for another layout than F32, or has lost its order'],
  ['a late start', tensors(256, ['w', [8], F32, 64]), 'its first tensor, w, begins 64 bytes late'],
  ['truncated data', tensors(60, ['w', [16], F32, 0]),
    'the tensor w has 60 bytes of room where F32 takes 64; its file uses type 0 for another layout than F32, or is an incomplete download'],
  // Forks: 34 bytes a block of 128 (PrismML's) where ggml's type 42 has 18 bytes a block of 64.
  ['type 42 of a fork, another tensor after it', tensors(2048, ['v', [128, 32], 42, 0], ['w', [8], F32, 1088]),
    'the tensor v has 1088 bytes of room where Q2_0 takes 1152; its file uses type 42 for another layout than Q2_0, or overlaps with w'],
  ['type 42 of a fork, as the last tensor', tensors(1120, ['u', [8], F32, 0], ['v', [128, 32], 42, 32]),
    'the tensor v has 1088 bytes of room where Q2_0 takes 1152; its file uses type 42 for another layout than Q2_0, or is an incomplete download'],
  ['a larger layout under a known id', tensors(1632, ['u', [8], F32, 0], ['v', [128, 32], 41, 32]),
    'the tensor v has 1600 bytes of room where Q1_0 takes 576; its file uses type 41 for another layout than Q1_0, or has data after its end'],
  ['MXFP4 with 18 bytes a block', tensors(2048, ['v', [64, 32], 39, 0], ['w', [8], F32, 1152]),
    'the tensor v has 1152 bytes of room where MXFP4 takes 1088; its file uses type 39 for another layout than MXFP4, or has lost its order'],
];

describe('refuses in one sentence', () => {
  it.each(CASES)('%s', async (_, bytes, sentence) => {
    await expect(openBytes(bytes)).rejects.toThrow(expect.objectContaining({ name: 'ModelFormatError', message: `m.gguf: ${sentence}` }));
  });

  it('a header beyond its bound, before reading it', async () => {
    const header = entry(9, (o) => o.u32(0).u64(300 << 20));
    const source: ByteSource = {
      name: 'm.gguf',
      byteLength: 2 ** 30,
      async read(byteOffset, byteLength) {
        expect(byteLength).toBeLessThanOrEqual(1 << 20);
        const bytes = new Uint8Array(byteLength);
        bytes.set(header.subarray(byteOffset));
        return bytes;
      },
    };
    await expect(openGguf([source])).rejects.toThrow('m.gguf: its header is longer than the 256 MiB that are allowed');
  });

  it('a file cut anywhere inside its header', async () => {
    const file = tensors(64, ['w', [16], F32, 0]);
    for (let length = 4; length < file.byteLength; length++) {
      await expect(openBytes(file.slice(0, length))).rejects.toThrow(/^m\.gguf: .*(incomplete download|can hold|left in the file)$/);
    }
  });
});
