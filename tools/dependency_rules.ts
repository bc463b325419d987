/** The rules of import direction (ARCHITECTURE.md), over plain data: who imports whom. */

export interface ImportEdge {
  /** Path from the project's root: 'src/engine/engine.ts'. */
  readonly from: string;
  /** Path from the project's root, or a package ('preact', 'node:fs'). */
  readonly to: string;
  /** Erased when compiled: `import type`. */
  readonly isType: boolean;
}

/** Top first. A file may import its own layer and those below it. */
export const LAYERS = [
  'main.ts', 'ui', 'hosts', 'engine', 'models', 'experts', 'compute', 'tokenizer', 'storage', 'formats', 'quant', 'profile',
] as const;

/** Everything else must run in a browser too. */
const MAY_IMPORT_NODE = /^src\/(hosts\/|storage\/node_fs\.ts$)/;

/** Where the page's code starts: the page itself and its workers. */
const PAGE_ROOT = /^src\/(main\.ts|ui\/.*|hosts\/[^/]*worker[^/]*\.ts)$/;

function layerOf(path: string): number {
  return LAYERS.findIndex((layer) => path === `src/${layer}` || path.startsWith(`src/${layer}/`));
}

/** One sentence for each broken rule; empty where all hold. */
export function violations(edges: readonly ImportEdge[]): string[] {
  const inSrc = edges.filter(({ from }) => from.startsWith('src/'));
  return [
    ...inSrc.flatMap(directionViolation),
    ...pageViolations(inSrc),
    ...cycleViolations(inSrc),
  ];
}

function directionViolation({ from, to }: ImportEdge): string[] {
  if (to.startsWith('node:')) {
    return MAY_IMPORT_NODE.test(from) ? [] : [`${from} imports ${to}: only hosts/ and storage/node_fs.ts may use Node`];
  }
  if (/^(test|tools)\//.test(to)) {
    return [`${from} imports ${to}: the product uses no tests and no tools`];
  }
  if (!to.startsWith('src/')) {
    return [];
  }
  const fromLayer = layerOf(from);
  const toLayer = layerOf(to);
  if (fromLayer === -1 || toLayer === -1) {
    return [`${fromLayer === -1 ? from : to} is in no layer of tools/dependency_rules.ts`];
  }
  return toLayer < fromLayer ? [`${from} imports ${to}: ${LAYERS[toLayer]} is above ${LAYERS[fromLayer]}`] : [];
}

function valueTargets(edges: readonly ImportEdge[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to, isType } of edges) {
    if (!isType) {
      targets.set(from, [...targets.get(from) ?? [], to]);
    }
  }
  return targets;
}

/** Code that is loaded with the page must not reach Node's modules, not even through files that may use them. */
function pageViolations(edges: readonly ImportEdge[]): string[] {
  const targets = valueTargets(edges);
  const reached = new Set<string>();
  const queue = [...targets.keys()].filter((path) => PAGE_ROOT.test(path));
  const found: string[] = [];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (reached.has(path)) {
      continue;
    }
    reached.add(path);
    for (const to of targets.get(path) ?? []) {
      if (to.startsWith('node:')) {
        found.push(`${path} imports ${to} and is loaded with the page`);
      }
      queue.push(to);
    }
  }
  return found;
}

/** Cycles of value imports make the order of loading matter; each is told once. */
function cycleViolations(edges: readonly ImportEdge[]): string[] {
  const targets = valueTargets(edges);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at !== -1) {
      found.push(`a cycle of imports: ${[...trail.slice(at), path].join(' → ')}`);
      return;
    }
    if (!done.has(path)) {
      for (const to of targets.get(path) ?? []) {
        visit(to, [...trail, path]);
      }
      done.add(path);
    }
  };
  for (const path of targets.keys()) {
    visit(path, []);
  }
  return found;
}
