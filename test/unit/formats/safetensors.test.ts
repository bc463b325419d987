import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import { openSafetensors } from '../../../src/formats/safetensors.ts';
import { readSafetensorsHeader } from '../../../src/formats/safetensors_header.ts';
import { decodeRows } from '../../../src/quant/pack.ts';
import { safetensorsOf, writeSafetensors } from '../../support/safetensors_writer.ts';

type Content = Uint8Array | string | object;
const encode = (content: Content) => content instanceof Uint8Array
  ? content
  : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
const open = (files: Record<string, Content>, folder = 'my-model') => openSafetensors(
  new Map(Object.entries(files).map(([name, content]) => [name, bytesSource(name, encode(content))])), folder);

const f32 = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);
const A = { name: 'a', dtype: 'F32', shape: [2, 2], data: f32(1, 2, 3, -4.5) };
const B = { name: 'b', dtype: 'BF16', shape: [3], data: Uint8Array.from([0x80, 0x3f, 0, 0x40, 0x40, 0x40]) };
const C = { name: 'c', dtype: 'F16', shape: [1, 2], data: Uint8Array.from([0, 0x3c, 0, 0xc0]) };
const IDS = { name: 'ids', dtype: 'I64', shape: [2], data: new Uint8Array(16) };
const F8 = { name: 'f8', dtype: 'F8_E4M3', shape: [3], data: new Uint8Array(3) };
const CONFIG = { model_type: 'olmoe', eos_token_id: 2 };
const TOKENIZER = { model: { type: 'BPE' } };
/** A file of the reference kit. */
const file = (path: string) => new Uint8Array(readFileSync(new URL(`../../vectors/models/${path}`, import.meta.url)));
const withConfig = (config: object) => ({ 'x.safetensors': writeSafetensors([A]), 'config.json': config });
const entry = (begin: number, end: number, extra: object = {}) => ({ dtype: 'F32', shape: [(end - begin) / 4], data_offsets: [begin, end], ...extra });
const withLength = (length: bigint) => {
  const file = safetensorsOf('{}', 0);
  new DataView(file.buffer).setBigUint64(0, length, true);
  return file;
};

describe('a folder', () => {
  it('made by Hugging Face gives config, tensors, tokenizer and template', async () => {
    const model = await open({
      'model.safetensors': file('olmoe/model.safetensors'), 'config.json': file('olmoe/config.json'),
      'tokenizer.json': file('tokenizer/tokenizer.json'), 'tokenizer_config.json': file('tokenizer/tokenizer_config.json'),
    }, 'olmoe-tiny');
    expect(model).toMatchObject({ container: 'safetensors', name: 'olmoe-tiny', metadata: { kind: 'hf', generationConfig: null } });
    expect(model.metadata.kind === 'hf' && model.metadata.config.num_experts).toBe(8);
    const experts = [...model.tensors.keys()].filter((name) => /experts\.\d+\.down_proj\.weight$/.test(name));
    expect(experts).toHaveLength(3 * 8);
    const head = model.tensors.get('lm_head.weight')!;
    expect(head).toMatchObject({ format: 'BF16', shape: [512, 64], byteLength: 65536 });
    const row = decodeRows('BF16', await head.source.read(head.byteOffset, 128), 1, 64);
    expect(Math.max(...row.map(Math.abs))).toBeGreaterThan(0);
    expect(Math.max(...row.map(Math.abs))).toBeLessThan(1);
    expect(model.tokenizer).toMatchObject({ kind: 'hf', eosIds: [2], tokenizerConfig: { eos_token: '<|im_end|>' } });
    expect(model.chatTemplate).toMatch(/^\{%- for message in messages %\}/);
  });

  it('of one file reads back what was written, and sets aside what it cannot read', async () => {
    const model = await open({ 'model.safetensors': writeSafetensors([A, IDS, B, F8, C], { format: 'pt' }), 'config.json': CONFIG });
    expect([...model.tensors.keys()]).toEqual(['a', 'b', 'c']);
    expect([...model.unsupportedTensors!]).toEqual([['ids', 'I64'], ['f8', 'F8_E4M3 in rows of 3']]);
    for (const { name, dtype, shape, data } of [A, B, C]) {
      const tensor = model.tensors.get(name)!;
      expect(tensor).toMatchObject({ name, format: dtype, shape });
      expect(await tensor.source.read(tensor.byteOffset, tensor.byteLength)).toEqual(data);
    }
    expect(model.tokenizer).toBeNull();
    expect(model.chatTemplate).toBeNull();
  });

  it('in shards goes by its index and ignores other weights', async () => {
    const index = { metadata: { total_size: 26 }, weight_map: { a: 'm-00001-of-00002.safetensors', b: 'm-00002-of-00002.safetensors', f8: 'm-00002-of-00002.safetensors' } };
    const model = await open({
      'consolidated.safetensors': writeSafetensors([A, B, C]), 'm-00002-of-00002.safetensors': writeSafetensors([B, F8]),
      'm-00001-of-00002.safetensors': writeSafetensors([A]), 'model.safetensors.index.json': index, 'config.json': CONFIG,
    });
    expect([...model.tensors.keys()]).toEqual(['a', 'b']);
    expect(model.unsupportedTensors!.get('f8')).toBe('F8_E4M3 in rows of 3');
    expect(model.sources.map((s) => s.name)).toEqual(['m-00001-of-00002.safetensors', 'm-00002-of-00002.safetensors']);
  });

  it('in shards works without the index where no shard is missing', async () => {
    const model = await open({
      'm-00001-of-00002.safetensors': writeSafetensors([A]), 'm-00002-of-00002.safetensors': writeSafetensors([B]), 'config.json': CONFIG,
    }, '');
    expect([...model.tensors.keys()]).toEqual(['a', 'b']);
    expect(model.name).toBe('m');
  });

  it('has the name of its folder, else of its config, else of its file', async () => {
    expect((await open(withConfig({}), 'folder')).name).toBe('folder');
    expect((await open(withConfig({ _name_or_path: 'org/Name' }), '')).name).toBe('Name');
    expect((await open(withConfig({}), '')).name).toBe('x');
  });

  it.each([
    ['chat_template.jinja', { 'chat_template.jinja': 'file', 'tokenizer_config.json': { chat_template: 'config' } }, 'file'],
    ['tokenizer_config.json', { 'tokenizer_config.json': { chat_template: 'config' } }, 'config'],
    ['the default of a list', { 'tokenizer_config.json': { chat_template: [{ name: 'tool_use', template: 't' }, { name: 'default', template: 'd' }] } }, 'd'],
    ['the first of a list without default', { 'tokenizer_config.json': { chat_template: [{ name: 'rag', template: 'r' }] } }, 'r'],
    ['nothing usable', { 'tokenizer_config.json': { chat_template: 7 } }, null],
  ])('takes its chat template from %s', async (_, files, expected) => {
    const model = await open({ 'model.safetensors': writeSafetensors([A]), 'config.json': CONFIG, ...files });
    expect(model.chatTemplate).toBe(expected);
  });

  it.each([
    [{ eos_token_id: [7, 8] }, CONFIG, [7, 8]], [{ eos_token_id: 7 }, CONFIG, [7]], [null, CONFIG, [2]],
    [{}, { text_config: { eos_token_id: 5 } }, [5]], [null, {}, []], [null, { eos_token_id: null }, []],
  ])('takes eos ids from %j, else %j', async (generation, config, expected) => {
    const model = await open({
      'model.safetensors': writeSafetensors([A]), 'config.json': config, 'tokenizer.json': TOKENIZER,
      ...(generation && { 'generation_config.json': generation }),
    });
    expect(model.tokenizer).toMatchObject({ kind: 'hf', eosIds: expected });
  });

  const weights = writeSafetensors([A]);
  const [one, two] = ['m-00001-of-00002.safetensors', 'm-00002-of-00002.safetensors'];
  it.each<[string, Record<string, Content>, string]>([
    ['no config', { 'model.safetensors': weights },
      "model.safetensors needs config.json and tokenizer.json from the same model: add the model's whole folder"],
    ['no config but a tokenizer', { 'model.safetensors': weights, 'tokenizer.json': TOKENIZER },
      "model.safetensors needs config.json from the same model: add the model's whole folder"],
    ['a broken config', { 'model.safetensors': weights, 'config.json': '{"a": ' }, 'config.json is not valid JSON'],
    ['a config that is a list', { 'model.safetensors': weights, 'config.json': [] }, 'config.json is not a JSON object'],
    ['a missing shard', { [two]: weights, 'config.json': {} }, `${one} is missing: add all 2 weight files of the model together`],
    ['shards missing from the index', { 'x.safetensors': weights, 'config.json': {}, 'model.safetensors.index.json': { weight_map: { a: one, b: two } } },
      `${one} (and 1 more) is missing: add all 2 weight files of the model together`],
    ['an index that lies', { [one]: weights, 'config.json': {}, 'model.safetensors.index.json': { weight_map: { a: one, z: one } } },
      `${one}: the tensor z, which model.safetensors.index.json places here, is not in it`],
    ['a tensor in the wrong shard', { [one]: weights, [two]: writeSafetensors([B]), 'config.json': {}, 'model.safetensors.index.json': { weight_map: { a: two, b: one } } },
      `${two}: the tensor a, which model.safetensors.index.json places here, is not in it`],
    ['an index without map', { [one]: weights, 'config.json': {}, 'model.safetensors.index.json': { weight_map: { a: 3 } } },
      'model.safetensors.index.json has no valid weight_map'],
    ['two indexes', { [one]: weights, 'config.json': {}, 'a.safetensors.index.json': {}, 'b.safetensors.index.json': {} },
      'there are several indexes (a.safetensors.index.json, b.safetensors.index.json): keep one'],
    ['a tensor in both shards', { [one]: weights, [two]: weights, 'config.json': {} }, `${two}: the tensor a is in another file as well`],
    ['several models', { 'a.safetensors': weights, 'b.safetensors': weights, 'config.json': {} },
      'these are several models (a.safetensors, b.safetensors): add one at a time, or its index.json with it'],
  ])('is refused with %s', async (_, files, message) => {
    await expect(open(files)).rejects.toThrow(expect.objectContaining({ name: 'ModelFormatError', message }));
  });
});

describe('a header', () => {
  it.each<[string, Uint8Array, string]>([
    ['too short', new Uint8Array(7), 'm: the file is too short for a safetensors header'],
    ['longer than allowed', withLength(2n ** 40n), 'm: its header claims 1099511627776 bytes; at most 100000000 are allowed'],
    ['longer than the file', withLength(1000n), 'm: its header claims 1000 bytes, but the file has 16; it may be an incomplete download'],
    ['no JSON', safetensorsOf('{"a"', 0), 'the header of m is not valid JSON'],
    ['no object', safetensorsOf('[1]', 0), 'the header of m is not a JSON object'],
    ['an entry that is no object', safetensorsOf('{"a":1}', 0), 'm: the entry of the tensor a is not an object'],
    ['no dtype', safetensorsOf(JSON.stringify({ a: entry(0, 4, { dtype: 1 }) }), 4), 'm: the tensor a has no dtype'],
    ['a negative dimension', safetensorsOf(JSON.stringify({ a: entry(0, 4, { shape: [-1] }) }), 4), 'm: the tensor a has no valid shape'],
    ['a shape of text', safetensorsOf(JSON.stringify({ a: entry(0, 4, { shape: ['1'] }) }), 4), 'm: the tensor a has no valid shape'],
    ['offsets reversed', safetensorsOf(JSON.stringify({ a: entry(0, 4, { data_offsets: [4, 0] }) }), 4), 'm: the tensor a has no valid data_offsets'],
    ['offsets of one number', safetensorsOf(JSON.stringify({ a: entry(0, 4, { data_offsets: [4] }) }), 4), 'm: the tensor a has no valid data_offsets'],
    ['a size that contradicts the shape', safetensorsOf(JSON.stringify({ a: entry(0, 4, { shape: [2] }) }), 4), 'm: the tensor a has 4 bytes where F32 [2] takes 8'],
    ['overlapping tensors', safetensorsOf(JSON.stringify({ a: entry(0, 8), b: entry(4, 12) }), 12), 'm: the tensors a and b overlap'],
    ['a hole', safetensorsOf(JSON.stringify({ a: entry(0, 4), b: entry(8, 12) }), 12), 'm: bytes 4 to 8 of its data belong to no tensor'],
    ['bytes left over', safetensorsOf(JSON.stringify({ a: entry(0, 4) }), 12), 'm: bytes 4 to 12 of its data belong to no tensor'],
    ['a name given twice', safetensorsOf(`{"a":${JSON.stringify(entry(0, 4))},"a":${JSON.stringify(entry(4, 8))}}`, 8), 'm: bytes 0 to 4 of its data belong to no tensor'],
    ['data cut off', safetensorsOf(JSON.stringify({ a: entry(0, 64) }), 60), 'm: the tensor a ends at byte 64 of the data, which has 60; it may be an incomplete download'],
  ])('is refused: %s', async (_, bytes, message) => {
    await expect(readSafetensorsHeader(bytesSource('m', bytes))).rejects.toThrow(
      expect.objectContaining({ name: 'ModelFormatError', message }));
  });
});
