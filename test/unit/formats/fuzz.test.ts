/**
 * Hostile files: whatever the bytes, the readers either open them or throw a ModelFormatError, and no single
 * read asks for more than the file has (so nothing is allocated on a lying length's word).
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { ModelFormatError } from '../../../src/formats/checkpoint.ts';
import { writeGguf, type GgufTypedValue } from '../../../src/formats/gguf_writer.ts';
import { openCheckpoint } from '../../../src/formats/open_checkpoint.ts';
import { writeSafetensors } from '../../support/safetensors_writer.ts';

const GGUF = writeGguf(new Map<string, GgufTypedValue>([
  ['general.architecture', { type: 'string', value: 'olmoe' }],
  ['split.count', { type: 'uint16', value: 1 }],
  ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
  ['tokenizer.ggml.tokens', { type: 'array', of: 'string', value: ['a', 'b', 'cd'] }],
  ['tokenizer.ggml.scores', { type: 'array', of: 'float32', value: [1, 2, 3] }],
  ['x', { type: 'uint64', value: 1 }],
]), [
  { name: 'v', format: 'F32', shape: [8], data: new Uint8Array(32) },
  { name: 'w', format: 'Q4_K', shape: [1, 256], data: new Uint8Array(144) },
], { alignment: 64 });

const SAFETENSORS = writeSafetensors([
  { name: 'v', dtype: 'F32', shape: [8], data: new Uint8Array(32) },
  { name: 'w', dtype: 'BF16', shape: [2, 3], data: new Uint8Array(12) },
], { format: 'pt' });
const CONFIG = new TextEncoder().encode(JSON.stringify({ model_type: 'olmoe', eos_token_id: [1, 2] }));

const openAsGguf = (bytes: Uint8Array) => openCheckpoint([{ path: 'm.gguf', source: bytesSource('m.gguf', bytes) }]);
const openAsFolder = (weights: Uint8Array, config: Uint8Array) => openCheckpoint([
  { path: 'model.safetensors', source: bytesSource('model.safetensors', weights) },
  { path: 'config.json', source: bytesSource('config.json', config) },
]);

/** Opens and then reads every tensor: what is accepted must also be readable. */
async function survives(opening: ReturnType<typeof openCheckpoint>): Promise<void> {
  const model = await opening.catch((error: unknown) => {
    if (!(error instanceof ModelFormatError)) throw error;
    expect(error.message).toMatch(/^\S.*[^.\s]$/s);
    return null;
  });
  for (const tensor of model?.tensors.values() ?? []) {
    expect((await tensor.source.read(tensor.byteOffset, tensor.byteLength)).byteLength).toBe(tensor.byteLength);
  }
}

/** A valid file with some bytes replaced, then perhaps cut or extended. */
const damaged = (valid: Uint8Array) => fc.record({
  edits: fc.array(fc.tuple(fc.nat(valid.byteLength - 1), fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255))), { maxLength: 6 }),
  length: fc.oneof({ weight: 3, arbitrary: fc.constant(valid.byteLength) }, fc.nat(valid.byteLength + 64)),
}).map(({ edits, length }) => {
  const bytes = new Uint8Array(length);
  bytes.set(valid.subarray(0, length));
  for (const [at, value] of edits) if (at < length) bytes[at] = value;
  return bytes;
});
const bitFlip = (valid: Uint8Array) => fc.tuple(fc.nat(valid.byteLength - 1), fc.nat(7)).map(([at, bit]) => {
  const bytes = valid.slice();
  bytes[at] ^= 1 << bit;
  return bytes;
});

// Thousands of small files: generous with time, since a busy machine is no failure.
describe('hostile files', { timeout: 120_000 }, () => {
  it('the undamaged files open', async () => {
    expect((await openAsGguf(GGUF)).tensors.size).toBe(2);
    expect((await openAsFolder(SAFETENSORS, CONFIG)).tensors.size).toBe(2);
  });

  it('GGUF: damaged files', () => fc.assert(
    fc.asyncProperty(damaged(GGUF), (bytes) => survives(openAsGguf(bytes))), { numRuns: 1000 }));
  it('GGUF: single bit flips', () => fc.assert(
    fc.asyncProperty(bitFlip(GGUF), (bytes) => survives(openAsGguf(bytes))), { numRuns: 1000 }));
  it('GGUF: random bytes after the magic', () => fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (tail) => {
    const bytes = new Uint8Array(8 + tail.length);
    bytes.set([0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0]);
    bytes.set(tail, 8);
    return survives(openAsGguf(bytes));
  }), { numRuns: 500 }));
  it('random bytes', () => fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => survives(openAsGguf(bytes))), { numRuns: 300 }));

  it('safetensors: damaged files', () => fc.assert(
    fc.asyncProperty(damaged(SAFETENSORS), (bytes) => survives(openAsFolder(bytes, CONFIG))), { numRuns: 1000 }));
  it('safetensors: any JSON as header', () => fc.assert(fc.asyncProperty(fc.json(), (header) => {
    const text = new TextEncoder().encode(header);
    const bytes = new Uint8Array(8 + text.byteLength);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(text.byteLength), true);
    bytes.set(text, 8);
    return survives(openAsFolder(bytes, CONFIG));
  }), { numRuns: 500 }));
  it('safetensors: tensor entries of any shape', () => {
    const number = fc.oneof(fc.integer(), fc.nat(64), fc.double(), fc.maxSafeInteger());
    const tensor = fc.record({
      dtype: fc.oneof(fc.constantFrom('F32', 'BF16', 'F4', 'X'), fc.jsonValue()),
      shape: fc.oneof(fc.array(number, { maxLength: 10 }), fc.jsonValue()),
      data_offsets: fc.oneof(fc.tuple(number, number), fc.jsonValue()),
    }, { requiredKeys: [] });
    return fc.assert(fc.asyncProperty(fc.dictionary(fc.string(), tensor), (directory) => {
      const text = new TextEncoder().encode(JSON.stringify(directory));
      const bytes = new Uint8Array(8 + text.byteLength + 64);
      new DataView(bytes.buffer).setBigUint64(0, BigInt(text.byteLength), true);
      bytes.set(text, 8);
      return survives(openAsFolder(bytes, CONFIG));
    }), { numRuns: 1000 });
  });
  it('safetensors: any JSON as config', () => fc.assert(fc.asyncProperty(
    fc.oneof(fc.json().map((text) => new TextEncoder().encode(text)), damaged(CONFIG)),
    (config) => survives(openAsFolder(SAFETENSORS, config))), { numRuns: 500 }));
});
