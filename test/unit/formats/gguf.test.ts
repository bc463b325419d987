import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import type { ByteSource, Checkpoint, TensorRef } from '../../../src/formats/checkpoint.ts';
import { ggufShardNames, openGguf } from '../../../src/formats/gguf.ts';
import { layOutGguf, writeGguf, type GgufTypedValue } from '../../../src/formats/gguf_writer.ts';
import { decodeRows } from '../../../src/quant/pack.ts';
import { openBytes } from '../../support/gguf_bytes.ts';

const f32Bytes = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);
const meta = (entries: Record<string, GgufTypedValue>) => new Map(Object.entries(entries));
const text = (value: string): GgufTypedValue => ({ type: 'string', value });
const u32 = (value: number): GgufTypedValue => ({ type: 'uint32', value });
const ramp = (length: number, seed = 1) => Uint8Array.from({ length }, (_, i) => (i * 37 + seed * 101) & 255);
const dataOf = (checkpoint: Checkpoint, name: string) => readAll(checkpoint.tensors.get(name)!);
const readAll = (t: TensorRef) => t.source.read(t.byteOffset, t.byteLength);

const TENSORS = [
  { name: 'a', format: 'F32', shape: [2, 3], data: f32Bytes(1, 2, 3, 4, 5, -6.5) },
  { name: 'b', format: 'Q4_K', shape: [2, 1, 256], data: ramp(288) },
  { name: 'c', format: 'BF16', shape: [5], data: ramp(10) },
  { name: 'd', format: 'Q6_K', shape: [256], data: ramp(210, 2) },
  { name: 'e', format: 'Q2_K', shape: [256], data: ramp(84, 3) },
  { name: 'f', format: 'Q8_0', shape: [3, 32], data: ramp(102, 4) },
  { name: 'g', format: 'Q4_0', shape: [1, 64], data: ramp(36, 5) },
  { name: 'h', format: 'F16', shape: [1, 1, 2, 2], data: ramp(8, 6) },
] as const;

describe('a file made by llama.cpp', () => {
  const file = new Uint8Array(readFileSync(new URL('../../vectors/models/olmoe/olmoe.gguf', import.meta.url)));

  it('gives metadata, tensors, tokenizer and template', async () => {
    const model = await openBytes(file, 'olmoe-bf16.gguf');
    expect(model.container).toBe('gguf');
    expect(model.name).toBe('Olmoe');
    expect(model.metadata.kind).toBe('gguf');
    const values = model.metadata.kind === 'gguf' ? model.metadata.values : new Map();
    expect(values.get('general.architecture')).toBe('olmoe');
    expect(values.get('olmoe.expert_count')).toBe(8);
    expect(values.get('olmoe.rope.freq_base')).toBe(10000);
    expect(values.get('olmoe.attention.layer_norm_rms_epsilon')).toBe(Math.fround(1e-5));
    expect(model.tensors.size).toBe(39);
    expect(model.unsupportedTensors?.size).toBe(0);
    expect(model.tensors.get('blk.1.ffn_down_exps.weight')).toMatchObject({
      format: 'BF16', shape: [8, 64, 32], byteLength: 8 * 64 * 32 * 2,
    });
    expect(model.chatTemplate).toMatch(/^\{%- for message in messages %\}/);
    expect(model.tokenizer).toMatchObject({
      kind: 'gguf', model: 'gpt2', pre: 'qwen2', bosId: 0, eosId: 2, padId: 0, unkId: null, eotId: null,
      addBos: false, addEos: null, scores: null,
    });
    const tokenizer = model.tokenizer?.kind === 'gguf' ? model.tokenizer : null;
    expect(tokenizer?.tokens.slice(0, 3)).toEqual(['<|endoftext|>', '<|im_start|>', '<|im_end|>']);
    expect(tokenizer?.tokens).toHaveLength(512);
    expect(tokenizer?.tokenTypes?.slice(0, 4)).toEqual([3, 3, 3, 1]);
    expect(tokenizer?.merges?.[0]).toBe('Ġ t');
    expect(JSON.parse(JSON.stringify(tokenizer))).toEqual(tokenizer);
  });

  it('reads only ranges: the header, then what is asked for', async () => {
    const reads: [number, number][] = [];
    const huge = 40 * 2 ** 30;
    const source: ByteSource = {
      name: 'huge.gguf',
      byteLength: huge,
      async read(byteOffset, byteLength) {
        reads.push([byteOffset, byteLength]);
        const bytes = new Uint8Array(byteLength);
        bytes.set(header.subarray(byteOffset, byteOffset + byteLength));
        return bytes;
      },
    };
    const rows = huge / 4096 / 4 - 1;
    const { header } = layOutGguf(meta({ 'general.name': text('Huge') }), [{ name: 'w', format: 'F32', shape: [rows, 4096] }]);
    const model = await openGguf([source]);
    expect(model.tensors.get('w')?.byteLength).toBe(rows * 4096 * 4);
    expect(reads).toEqual([[0, 1 << 20]]);
  });
});

describe('hand-made files', () => {
  it.each([
    ['v3', {}], ['v2', { version: 2 }], ['big-endian v3', { bigEndian: true }], ['big-endian v2', { version: 2, bigEndian: true }],
    ...[8, 16, 64, 256, 1024, 4096].map((alignment) => [`alignment ${alignment}`, { alignment }] as const),
    ['big-endian, alignment 4096', { alignment: 4096, bigEndian: true }],
  ] as const)('%s round-trips', async (_, options) => {
    const model = await openBytes(writeGguf(meta({ 'general.name': text('Ünïcode 🐟'), 'x.n': u32(7) }), TENSORS, options));
    expect(model.name).toBe('Ünïcode 🐟');
    expect([...model.tensors.keys()]).toEqual(TENSORS.map((t) => t.name));
    for (const { name, format, shape, data } of TENSORS) {
      expect(model.tensors.get(name)).toMatchObject({ name, format, shape, byteLength: data.byteLength });
      expect(await dataOf(model, name)).toEqual(data);
    }
  });

  it('every metadata type is read back, in both byte orders', async () => {
    const entries: Record<string, GgufTypedValue> = {
      u8: { type: 'uint8', value: 200 }, i8: { type: 'int8', value: -5 }, u16: { type: 'uint16', value: 65000 },
      i16: { type: 'int16', value: -300 }, u32: u32(4e9), i32: { type: 'int32', value: -70000 },
      f32: { type: 'float32', value: 0.5 }, f64: { type: 'float64', value: 0.1 }, yes: { type: 'bool', value: true },
      no: { type: 'bool', value: false }, u64: { type: 'uint64', value: 2 ** 40 }, i64: { type: 'int64', value: -(2 ** 40) },
      big: { type: 'uint64', value: 2n ** 63n + 1n }, s: text('\ufeffhé'), empty: text(''),
      long: text('x'.repeat(3 << 20)),
      aU8: { type: 'array', of: 'uint8', value: [1, 255] }, aI16: { type: 'array', of: 'int16', value: [-1, 300] },
      aU16: { type: 'array', of: 'uint16', value: [1, 65535] }, aI8: { type: 'array', of: 'int8', value: [-128] },
      aI32: { type: 'array', of: 'int32', value: [-1, 70000] }, aU32: { type: 'array', of: 'uint32', value: [4e9] },
      aF32: { type: 'array', of: 'float32', value: [1.5, -2] }, aF64: { type: 'array', of: 'float64', value: [0.1] },
      aI64: { type: 'array', of: 'int64', value: [-1n, 5n] }, aU64: { type: 'array', of: 'uint64', value: [2n ** 64n - 1n] },
      aB: { type: 'array', of: 'bool', value: [true, false] }, aS: { type: 'array', of: 'string', value: ['', 'ab', '€'] },
      aNone: { type: 'array', of: 'float32', value: [] },
    };
    for (const bigEndian of [false, true]) {
      const { metadata } = await openBytes(writeGguf(meta(entries), [], { bigEndian }));
      const values = metadata.kind === 'gguf' ? metadata.values : new Map();
      expect(values.get('big')).toBe(2n ** 63n + 1n);
      for (const [key, { value }] of Object.entries(entries)) {
        const read = values.get(key);
        expect(typeof value === 'object' ? Array.from(read as ArrayLike<unknown>) : read).toEqual(value);
      }
      expect(values.get('aF32')).toBeInstanceOf(Float32Array);
      expect(values.get('aI64')).toBeInstanceOf(BigInt64Array);
    }
  });

  it('big-endian data decodes to the same weights as a hand-swapped file', async () => {
    const file = writeGguf(meta({}), [TENSORS[0], TENSORS[1]], { bigEndian: true });
    const model = await openBytes(file);
    const a = model.tensors.get('a')!;
    expect(new DataView(file.buffer).getFloat32(a.byteOffset + 20, false)).toBe(-6.5);
    expect([...decodeRows('F32', await readAll(a), 2, 3)]).toEqual([1, 2, 3, 4, 5, -6.5]);
    const b = model.tensors.get('b')!;
    const raw = file.slice(b.byteOffset, b.byteOffset + b.byteLength);
    for (const block of [0, 144]) {
      for (const field of [0, 2]) [raw[block + field], raw[block + field + 1]] = [raw[block + field + 1], raw[block + field]];
    }
    expect(raw).toEqual(TENSORS[1].data);
    // Any range inside the tensor, also one that cuts blocks and fields.
    expect(await b.source.read(b.byteOffset + 143, 4)).toEqual(raw.slice(143, 147));
    expect(await b.source.read(b.byteOffset + 145, 1)).toEqual(raw.slice(145, 146));
    await expect(b.source.read(b.byteOffset + 280, 9)).rejects.toThrow(RangeError);
    await expect(b.source.read(b.byteOffset - 1, 4)).rejects.toThrow(RangeError);
  });

  it('takes its name from the file where it has none, and lists types that hold no weights', async () => {
    const model = await openBytes(writeGguf(meta({}), []), 'dir/some-model.gguf');
    expect(model.name).toBe('some-model');
    expect(model.tokenizer).toBeNull();
    expect(model.chatTemplate).toBeNull();
    const file = writeGguf(meta({}), [{ name: 'ids', format: 'F32', shape: [4], data: f32Bytes(1, 2, 3, 4) }]);
    const at = Buffer.from(file).indexOf('ids') + 3 + 4 + 8;
    expect(file[at]).toBe(0);
    file[at] = 26; // I32 has the size of F32
    const withIds = await openBytes(file);
    expect(withIds.tensors.size).toBe(0);
    expect([...withIds.unsupportedTensors!]).toEqual([['ids', 'I32']]);
  });
});

describe('shards', () => {
  const shard = (no: number, count: number, extra: Record<string, GgufTypedValue> = {}) => {
    const tensors = TENSORS.slice(no * 3, no * 3 + 3);
    const split = meta({
      'split.no': { type: 'uint16', value: no }, 'split.count': { type: 'uint16', value: count },
      'split.tensors.count': { type: 'int32', value: TENSORS.length }, ...extra,
    });
    return bytesSource(`m-0000${no + 1}-of-0000${count}.gguf`, writeGguf(split, tensors, { alignment: 32 << no }));
  };
  const first = shard(0, 3, { 'general.name': text('Split') });

  it.each([[[0, 1, 2]], [[2, 0, 1]], [[1, 2, 0]]])('open in order %s', async (order) => {
    const shards = [first, shard(1, 3), shard(2, 3)];
    const model = await openGguf(order.map((i) => shards[i]));
    expect(model.name).toBe('Split');
    expect(model.sources.map((s) => s.name)).toEqual(shards.map((s) => s.name));
    for (const { name, data } of TENSORS) expect(await dataOf(model, name)).toEqual(data);
  });

  it.each([
    ['one missing', [first, shard(2, 3)], 'm-00002-of-00003.gguf is missing: add all 3 files of the model together'],
    ['the first missing', [shard(1, 3)], 'm-00001-of-00003.gguf (and 1 more) is missing: add all 3 files of the model together'],
    ['renamed files', [{ ...shard(1, 3), name: 'x.gguf' }],
      'shard 1 of 3 (and 1 more) is missing: add all 3 files of the model together'],
    ['one twice', [first, first, shard(1, 3)], 'm-00001-of-00003.gguf and m-00001-of-00003.gguf are both shard 1 of 3'],
    ['sets mixed', [first, shard(1, 2)],
      'these are several models (m-00001-of-00003.gguf, m-00002-of-00002.gguf): add one at a time'],
    ['two whole models', [bytesSource('a.gguf', writeGguf(meta({}), [])), bytesSource('b.gguf', writeGguf(meta({}), []))],
      'these are several models (a.gguf, b.gguf): add one at a time'],
    ['a number out of range', [shard(3, 3)], 'm-00004-of-00003.gguf: split.no is 3, which is no shard of 3'],
    ['a wrong total', [shard(0, 2), shard(1, 2)], 'm-00001-of-00002.gguf: its shards hold 6 tensors, not the 8 it announces'],
    ['a tensor in two shards', [shard(0, 2), bytesSource('m-00002-of-00002.gguf', writeGguf(
      meta({ 'split.no': u32(1), 'split.count': u32(2) }), [TENSORS[0]]))],
    'm-00002-of-00002.gguf: the tensor a is in another shard as well'],
    ['a split.count that is no count', [bytesSource('m.gguf', writeGguf(meta({ 'split.count': text('3') }), []))],
      'm.gguf: split.count is 3, not a count'],
  ])('refuse %s', async (_, sources, message) => {
    await expect(openGguf(sources)).rejects.toThrow(expect.objectContaining({ name: 'ModelFormatError', message }));
  });

  it('names of a set', () => {
    expect(ggufShardNames('dir/m-00002-of-00003.gguf')).toEqual(
      ['dir/m-00001-of-00003.gguf', 'dir/m-00002-of-00003.gguf', 'dir/m-00003-of-00003.gguf']);
    expect(ggufShardNames('m.gguf')).toBeNull();
  });
});

describe('tokenizer metadata', () => {
  const vocabulary = (extra: Record<string, GgufTypedValue>) => openBytes(writeGguf(meta({
    'tokenizer.ggml.model': text('llama'), 'tokenizer.ggml.tokens': { type: 'array', of: 'string', value: ['<s>', 'a'] }, ...extra,
  }), []));

  it('reads scores, types and ids, and takes ids outside the vocabulary for none', async () => {
    const { tokenizer } = await vocabulary({
      'tokenizer.ggml.scores': { type: 'array', of: 'float32', value: [0, -1.5] },
      'tokenizer.ggml.token_type': { type: 'array', of: 'int32', value: [3, 1] },
      'tokenizer.ggml.bos_token_id': u32(0), 'tokenizer.ggml.eos_token_id': u32(0xffffffff),
      'tokenizer.ggml.eot_token_id': u32(1), 'tokenizer.ggml.eom_token_id': u32(2),
      'tokenizer.ggml.unknown_token_id': u32(1), 'tokenizer.ggml.add_space_prefix': { type: 'bool', value: false },
    });
    expect(tokenizer).toEqual({
      kind: 'gguf', model: 'llama', pre: '', tokens: ['<s>', 'a'], scores: [0, -1.5], tokenTypes: [3, 1], merges: null,
      bosId: 0, eosId: null, eotId: 1, eomId: null, unkId: 1, padId: null, addBos: null, addEos: null, addSpacePrefix: false,
    });
  });

  it.each([
    [{ 'tokenizer.ggml.scores': { type: 'array', of: 'float32', value: [0] } }, 'm.gguf: tokenizer.ggml.scores has 1 entries for 2 tokens'],
    [{ 'tokenizer.ggml.token_type': text('x') }, 'm.gguf: tokenizer.ggml.token_type is not a list of numbers'],
    [{ 'tokenizer.ggml.tokens': u32(1) }, 'm.gguf: tokenizer.ggml.tokens is not a list of strings'],
  ] as [Record<string, GgufTypedValue>, string][])('refuses %j', async (extra, message) => {
    await expect(vocabulary(extra)).rejects.toThrow(expect.objectContaining({ name: 'ModelFormatError', message }));
  });
});

it('the writer refuses what GGUF cannot hold', () => {
  expect(() => layOutGguf(meta({}), [{ name: 'w', format: 'W2', shape: [1, 32] }])).toThrow(
    'the tensor w is W2, which GGUF has no type for');
  expect(() => layOutGguf(meta({}), [{ name: 'w', format: 'Q4_K', shape: [1, 32] }])).toThrow(
    'the tensor w has rows of 32, no multiple of the Q4_K block of 256');
  expect(() => writeGguf(meta({}), [{ name: 'w', format: 'F32', shape: [2], data: new Uint8Array(4) }])).toThrow(
    'the tensor w takes 8 bytes, not 4');
});
