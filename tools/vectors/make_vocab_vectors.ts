/**
 * Makes test/vectors/vocab/*.json.gz from vocabulary GGUFs with `.inp` and `.out` files beside them:
 *   npx tsx tools/vectors/make_vocab_vectors.ts <folder with ggml-vocab-*.gguf>
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import { readGgufHeader } from '../../src/formats/gguf_header.ts';
import { ggufTokenizer } from '../../src/formats/gguf_tokenizer.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder with the ggml-vocab-*.gguf files.');
const outDir = join(import.meta.dirname, '../../test/vectors/vocab');

for (const name of (await readdir(folder)).filter((file) => file.endsWith('.gguf')).sort()) {
  const path = join(folder, name);
  const header = await readGgufHeader(bytesSource(name, new Uint8Array(await readFile(path))));
  const source = ggufTokenizer(name, header.values);
  const texts = (await readFile(`${path}.inp`, 'utf8')).split('\n__ggml_vocab_test__\n');
  const lines = (await readFile(`${path}.out`, 'utf8')).split('\n');
  // The .inp ends with a separator that has no line of ids.
  const cases = texts.slice(0, lines.length - 1).map((text, i) => ({
    text,
    ids: lines[i]
      .split(' ')
      .filter((id) => id !== '')
      .map(Number),
  }));
  const bytes = gzipSync(JSON.stringify({ source, cases }), { level: 9 });
  const target = `${name.replace(/^ggml-vocab-|\.gguf$/g, '')}.json.gz`;
  await writeFile(join(outDir, target), bytes);
  console.log(target, cases.length, 'cases', bytes.byteLength, 'bytes');
}
