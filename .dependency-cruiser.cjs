/**
 * Dependency direction. The layers are listed top first; a file may import its own layer and those below it,
 * nothing above. Checked by `npm run check`.
 */
const LAYERS = [
  'ui', 'hosts', 'engine', 'models', 'experts', 'compute', 'tokenizer', 'storage', 'formats', 'quant', 'profile',
];

const NODE_ONLY = '^src/(hosts/|storage/node_fs\\.ts$)';

/** One rule a layer: it must not import any layer above it, nor the page's composition root. */
const directionRules = LAYERS.map((layer, index) => {
  const above = ['src/main\\.ts', ...LAYERS.slice(0, index).map((name) => `src/${name}/`)];
  return {
    name: `${layer}-imports-only-down`,
    severity: 'error',
    comment: `src/${layer} may import only the layers below it: ${LAYERS.slice(index + 1).join(', ') || 'none'}.`,
    from: { path: `^src/${layer}/` },
    to: { path: `^(${above.join('|')})` },
  };
});

module.exports = {
  forbidden: [
    ...directionRules,
    {
      name: 'node-only-in-hosts',
      severity: 'error',
      comment: 'Only hosts/ and storage/node_fs.ts may use Node: everything else also runs in a browser.',
      from: { path: '^src/', pathNot: NODE_ONLY },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'node-hosts-stay-out-of-the-page',
      severity: 'error',
      comment: 'The page and its worker must not pull in files that import Node.',
      from: { path: '^src/(main\\.ts|ui/|hosts/worker\\.ts)' },
      to: { path: '^src/(hosts/(node\\.ts|shaders_node\\.ts|cli/)|storage/node_fs\\.ts)', reachable: true },
    },
    {
      name: 'product-imports-no-tests-or-tools',
      severity: 'error',
      comment: 'src/ is the product; test/ and tools/ use it, not the other way round.',
      from: { path: '^src/' },
      to: { path: '^(test|tools)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle of value imports makes load order matter.',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import that leads nowhere.',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: '\\?(raw|worker|url)' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'] },
  },
};
