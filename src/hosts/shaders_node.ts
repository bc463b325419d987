/** WGSL sources for hosts that run in Node: read from the shaders/ folder of the checkout. */
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join, relative, sep } from 'node:path';

const SHADERS = fileURLToPath(new URL('../../shaders', import.meta.url));

/** Text of every .wgsl file by its path relative to shaders/, as createShaderLibrary() takes it. */
export async function loadShaderSources(): Promise<Record<string, string>> {
  const sources: Record<string, string> = {};
  const entries = await readdir(SHADERS, { recursive: true, withFileTypes: true });
  await Promise.all(entries.filter((entry) => entry.isFile() && entry.name.endsWith('.wgsl')).map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    sources[relative(SHADERS, path).split(sep).join('/')] = await readFile(path, 'utf8');
  }));
  return sources;
}
