import { describe, expect, it } from 'vitest';
import { importsOf } from '../../../tools/check_dependencies.ts';
import { violations, type ImportEdge } from '../../../tools/dependency_rules.ts';

const edge = (from: string, to: string, isType = false): ImportEdge => ({ from, to, isType });

describe('dependency direction', () => {
  it('allows imports down, within a layer, and packages', () => {
    expect(violations([
      edge('src/main.ts', 'src/ui/mount.tsx'),
      edge('src/engine/engine.ts', 'src/engine/session.ts'),
      edge('src/engine/engine.ts', 'src/quant/formats.ts'),
      edge('src/ui/mount.tsx', 'preact'),
      edge('src/hosts/cli/main.ts', 'node:fs'),
      edge('src/storage/node_fs.ts', 'node:fs'),
      edge('test/run.ts', 'src/ui/mount.tsx'),
    ])).toEqual([]);
  });

  it.each([
    [edge('src/quant/pack.ts', 'src/formats/gguf.ts', true), /formats is above quant/],
    [edge('src/ui/mount.tsx', 'src/main.ts'), /main\.ts is above ui/],
    [edge('src/engine/engine.ts', 'node:fs'), /may use Node/],
    [edge('src/storage/opfs.ts', 'node:fs', true), /may use Node/],
    [edge('src/engine/engine.ts', 'test/support/dawn.ts'), /no tests/],
    [edge('src/engine/engine.ts', 'src/misc/thing.ts'), /src\/misc\/thing\.ts is in no layer/],
  ])('tells %j', (broken, message) => {
    expect(violations([broken])).toEqual([expect.stringMatching(message)]);
  });

  it('tells Node code that the page reaches through a host', () => {
    const throughHost = [edge('src/ui/a.ts', 'src/hosts/b.ts'), edge('src/hosts/b.ts', 'node:fs')];
    expect(violations(throughHost)).toEqual(['src/hosts/b.ts imports node:fs and is loaded with the page']);
    expect(violations([{ ...throughHost[0], isType: true }, throughHost[1]])).toEqual([]);
  });

  it('tells a cycle of value imports once, and none of types', () => {
    const cycle = [edge('src/quant/a.ts', 'src/quant/b.ts'), edge('src/quant/b.ts', 'src/quant/a.ts')];
    expect(violations(cycle)).toEqual(['a cycle of imports: src/quant/a.ts → src/quant/b.ts → src/quant/a.ts']);
    expect(violations([cycle[0], { ...cycle[1], isType: true }])).toEqual([]);
  });

  it('finds every kind of import', () => {
    const code = `
      import type { A } from '../a.ts';
      import { b, type C } from './b.ts';
      import './side.ts';
      export { d } from './d.ts';
      export type { E } from './e.ts';
      import text from './shader.wgsl?raw';
      import fs from 'fs';
      const later = () => import('./f.ts');
      const view = <div>import x from 'nowhere'</div>;
    `;
    expect(importsOf('src/ui/x.tsx', code).map(({ to, isType }) => `${to}${isType ? ' (type)' : ''}`)).toEqual([
      'src/a.ts (type)', 'src/ui/b.ts', 'src/ui/side.ts', 'src/ui/shader.wgsl', 'node:fs',
      'src/ui/d.ts', 'src/ui/e.ts (type)', 'src/ui/f.ts',
    ]);
  });
});
