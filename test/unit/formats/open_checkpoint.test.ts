import { describe, expect, it } from 'vitest';
import { blobSource, bytesSource } from '../../../src/formats/byte_sources.ts';
import { writeGguf } from '../../../src/formats/gguf_writer.ts';
import { openCheckpoint } from '../../../src/formats/open_checkpoint.ts';
import { writeSafetensors } from '../../support/safetensors_writer.ts';

const gguf = writeGguf(new Map(), [{ name: 'w', format: 'F32', shape: [2], data: new Uint8Array(8) }]);
const weights = writeSafetensors([{ name: 'w', dtype: 'F32', shape: [2], data: new Uint8Array(8) }]);
const text = (content: string) => new TextEncoder().encode(content);
const open = (files: Record<string, Uint8Array>) => openCheckpoint(
  Object.entries(files).map(([path, bytes]) => ({ path, source: bytesSource(path.split('/').at(-1)!, bytes) })));

describe('openCheckpoint', () => {
  it('knows GGUF by its content, whatever its name', async () => {
    expect((await open({ 'blob-sha256-1234': gguf, 'README.md': text('hi') })).container).toBe('gguf');
  });

  it('opens a folder, also beside hidden files and a second copy of the weights', async () => {
    const model = await open({
      'repo/model.safetensors': weights, 'repo/config.json': text('{}'), 'repo/original/consolidated.safetensors': weights,
      'repo/.cache/model.safetensors': text('junk'), 'repo/tokenizer.json': text('{}'), 'repo/pytorch_model.bin': text('PK'),
    });
    expect(model).toMatchObject({ container: 'safetensors', name: 'repo', tokenizer: { kind: 'hf' } });
  });

  it('opens loose files and Blobs', async () => {
    const model = await openCheckpoint([
      { path: 'model.safetensors', source: blobSource('model.safetensors', new Blob([weights.slice()])) },
      { path: 'config.json', source: blobSource('config.json', new Blob(['{"model_type":"x"}'])) },
    ]);
    expect(model.metadata).toEqual({ kind: 'hf', config: { model_type: 'x' }, generationConfig: null });
    expect(model.name).toBe('model');
  });

  it.each<[string, Record<string, Uint8Array>, string]>([
    ['nothing', {}, 'there is no model here (no files): add a GGUF file, or a folder with safetensors files, config.json and tokenizer.json'],
    ['other files', { 'a.txt': text('a'), 'b.png': text('b'), 'c.zip': text('c'), d: text('d') },
      'there is no model here (a.txt, b.png, c.zip and more): add a GGUF file, or a folder with safetensors files, config.json and tokenizer.json'],
    ['an empty file', { 'm.gguf': new Uint8Array(0) }, 'm.gguf is empty'],
    ['a wrong magic', { 'm.gguf': text('hello, world, this is no model') }, 'm.gguf is not a GGUF file (it does not begin with "GGUF")'],
    ['safetensors in name only', { 'd/m.safetensors': text('hello, world, this is no model') },
      'd/m.safetensors is not a safetensors file, or only part of one (its header does not fit its 30 bytes)'],
    ['a Git LFS pointer', { 'm.safetensors': text('version https://git-lfs.github.com/spec/v1\noid sha256:0\n') },
      'm.safetensors is only a Git LFS pointer to the model: download the file itself'],
    ['a saved web page', { 'm.gguf': text('<!DOCTYPE html><html>') }, 'm.gguf is a web page, not a model: the download may have needed a login'],
    ['pickle files', { 'repo/pytorch_model.bin': text('PK\x03\x04'), 'repo/config.json': text('{}') },
      "repo/pytorch_model.bin: PyTorch pickle files are not supported; add the model's safetensors files or a GGUF file instead"],
    ['a .pth file', { 'model.pth': text('PK') }, "model.pth: PyTorch pickle files are not supported; add the model's safetensors files or a GGUF file instead"],
    ['both containers', { 'm.gguf': gguf, 'model.safetensors': weights }, 'these are several models (m.gguf, model.safetensors): add one at a time'],
    ['two GGUF models', { 'a.gguf': gguf, 'b.gguf': gguf }, 'these are several models (a.gguf, b.gguf): add one at a time'],
    ['two folders', { 'a/m.safetensors': weights, 'a/config.json': text('{}'), 'b/m.safetensors': weights, 'b/config.json': text('{}') },
      'these are several models (a, b): add one at a time'],
    ['a lone safetensors file', { 'm.safetensors': weights },
      "m.safetensors needs config.json and tokenizer.json from the same model: add the model's whole folder"],
    ['an index alone', { 'model.safetensors.index.json': text('{}'), 'config.json': text('{}') },
      'model.safetensors.index.json came without the safetensors files that it lists: add them too'],
    ['a lone shard', { 'm-00001-of-00002.safetensors': weights, 'config.json': text('{}') },
      'm-00002-of-00002.safetensors is missing: add all 2 weight files of the model together'],
  ])('refuses %s', async (_, files, message) => {
    await expect(open(files)).rejects.toThrow(expect.objectContaining({ name: 'ModelFormatError', message }));
  });
});

describe('byte sources', () => {
  const bytes = Uint8Array.from({ length: 10 }, (_, i) => i);
  it.each([['bytes', bytesSource('s', bytes)], ['blob', blobSource('s', new Blob([bytes]))]])('%s: exact ranges only', async (_, source) => {
    expect(source).toMatchObject({ name: 's', byteLength: 10 });
    expect(await source.read(3, 4)).toEqual(Uint8Array.of(3, 4, 5, 6));
    expect(await source.read(10, 0)).toEqual(new Uint8Array(0));
    for (const [offset, length] of [[7, 4], [-1, 2], [0, 11], [0.5, 1], [2 ** 53, 1], [NaN, 1]]) {
      await expect(source.read(offset, length)).rejects.toThrow(/^s: bytes .* are outside its 10 bytes$/);
    }
  });
});
