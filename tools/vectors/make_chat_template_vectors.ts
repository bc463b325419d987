/**
 * Makes test/vectors/chat-templates/templates.json.gz from a folder of <name>.jinja with <name>.json beside each:
 *   npx tsx tools/vectors/make_chat_template_vectors.ts <folder>
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder with the .jinja and .json files.');

const templates = readdirSync(folder)
  .filter((file) => file.endsWith('.jinja'))
  .sort()
  .map((file) => ({
    name: file.replace(/\.jinja$/, ''),
    template: readFileSync(join(folder, file), 'utf8'),
    cases: JSON.parse(readFileSync(join(folder, file.replace(/\.jinja$/, '.json')), 'utf8')) as unknown,
  }));
const bytes = gzipSync(JSON.stringify(templates), { level: 9 });
writeFileSync(join(import.meta.dirname, '../../test/vectors/chat-templates/templates.json.gz'), bytes);
console.log(templates.length, 'templates', bytes.byteLength, 'bytes');
