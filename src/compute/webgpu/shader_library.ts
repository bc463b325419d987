/**
 * Links WGSL modules. A root in shaders/ imports `package::quant`, `package::index` and `package::reduce`; which
 * file stands for each is the ShaderKey's choice, so 9 formats × 2 index kinds × 3 reductions are 14 small files.
 */
import { link } from 'wesl/core';
import type { ShaderKey } from './kernel.ts';

/** Where the three variable modules of a ShaderKey are looked for. */
const SLOTS = ['quant', 'index', 'reduce'] as const;
/** Members of a ShaderKey that choose between `@if` variants. */
const CONDITIONS = ['ragged', 'normed', 'gated', 'wide', 'paged'] as const;

export interface ShaderLibrary {
  /** Plain WGSL of a key. Cached: linking takes about 2 ms. @throws Error naming the key and the missing file or symbol. */
  link(key: ShaderKey): Promise<string>;
}

/** One string per distinct module: 'matvec+quant/q4_k+index/dense+reduce/subgroup'. Also the label of its module. */
export function shaderKeyName(key: ShaderKey): string {
  const chosen = SLOTS.filter((slot) => key[slot] !== undefined).map((slot) => `${slot}/${key[slot]}`);
  return [key.root, ...chosen, ...CONDITIONS.filter((name) => key[name] === true)].join('+');
}

/**
 * @param sources WGSL text by path relative to shaders/: {'matvec.wgsl': …, 'quant/q4_k.wgsl': …}.
 */
export function createShaderLibrary(sources: Readonly<Record<string, string>>): ShaderLibrary {
  const modules: Record<string, string> = {};
  for (const [path, text] of Object.entries(sources)) modules[`./${path}`] = text;
  const linked = new Map<string, Promise<string>>();

  async function linkNow(key: ShaderKey, name: string): Promise<string> {
    const weslSrc = { ...modules };
    if (modules[`./${key.root}.wgsl`] === undefined) throw new Error(`shader ${name}: no file ${key.root}.wgsl`);
    for (const slot of SLOTS) {
      const choice = key[slot];
      if (choice === undefined) continue;
      const text = modules[`./${slot}/${choice}.wgsl`];
      if (text === undefined) throw new Error(`shader ${name}: no file ${slot}/${choice}.wgsl`);
      weslSrc[`./${slot}.wgsl`] = text;
    }
    try {
      const conditions = Object.fromEntries(CONDITIONS.map((condition) => [condition, key[condition] === true]));
      const result = await link({ weslSrc, rootModuleName: key.root, conditions, keepComments: false, sourceMap: false });
      // The linker does not carry `enable` over from an imported module, and it must be the first line of the result.
      return key.reduce === 'subgroup' ? `enable subgroups;\n${result.dest}` : result.dest;
    } catch (cause) {
      throw new Error(`shader ${name} does not link: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    }
  }

  return {
    link(key) {
      const name = shaderKeyName(key);
      let text = linked.get(name);
      if (text === undefined) {
        text = linkNow(key, name);
        linked.set(name, text);
      }
      return text;
    },
  };
}
