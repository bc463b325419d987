/** Reads the imports of src/ and checks them by dependency_rules.ts. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix, resolve } from 'node:path';
import { parseSync } from 'vite';
import { violations, type ImportEdge } from './dependency_rules.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Imports, re-exports and dynamic imports of one file. @throws Error where it doesn't parse. */
export function importsOf(path: string, code: string): ImportEdge[] {
  const { module, errors } = parseSync(path, code);
  if (errors.length > 0) {
    throw new Error(`${path} doesn't parse: ${errors[0].message}`);
  }
  const edge = (request: string, isType: boolean): ImportEdge => ({ from: path, to: target(path, request), isType });
  return [
    ...module.staticImports.map(({ moduleRequest, entries }) => (
      edge(moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType)))),
    ...module.staticExports.flatMap(({ entries }) => entries).flatMap(({ moduleRequest, isType }) => (
      moduleRequest ? [edge(moduleRequest.value, isType)] : [])),
    ...module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^['"](.*)['"]$/.exec(code.slice(start, end));
      return literal ? [edge(literal[1], false)] : [];
    }),
  ];
}

function target(from: string, request: string): string {
  const plain = request.replace(/\?.*$/, '');
  if (plain.startsWith('.')) {
    return posix.join(posix.dirname(from), plain);
  }
  return isBuiltin(plain) && !plain.startsWith('node:') ? `node:${plain}` : plain;
}

/** Checks the whole of src/. @returns one sentence for each broken rule */
export function checkDependencies(): string[] {
  const paths = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join('src', path.split('\\').join('/')))
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
  return violations(paths.flatMap((path) => importsOf(path, readFileSync(join(ROOT, path), 'utf8'))));
}
