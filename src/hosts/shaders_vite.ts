/** WGSL sources for the browser: bundled by Vite. */

const bundled = import.meta.glob<string>('../../shaders/**/*.wgsl', { query: '?raw', import: 'default', eager: true });

/** Text of every .wgsl file by its path relative to shaders/, as createShaderLibrary() takes it. */
export function shaderSources(): Record<string, string> {
  return Object.fromEntries(Object.entries(bundled).map(([path, text]) => [path.replace('../../shaders/', ''), text]));
}
