/**
 * Packs the benchmark for a bare Linux machine with a GPU: no Node, no npm, no network. Leaves .carry/ with
 * run.sh, an archive of Node, Dawn and a Vulkan loader (made once: packing it takes minutes; remove it to renew it),
 * and one of the bundled benchmark and the shaders.
 *
 *   npx tsx tools/bench/bundle.ts
 *   .carry/run.sh --backend webgpu --shape olmoe --format Q4_K      (there)
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'vite';
import { findSwiftShader } from '../../src/hosts/swiftshader.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUT = join(ROOT, '.carry');
const STAGE = join(OUT, 'stage');
const RUNTIME_ARCHIVE = join(OUT, 'runtime.tar.xz');
const PROGRAM_ARCHIVE = join(OUT, 'program.tar.xz');

function command(program: string, ...args: string[]): void {
  const run = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (run.status !== 0) {
    throw new Error(`${program} ${args.join(' ')} failed`);
  }
}

/** A tool as one file, two folders below the stage as its sources are, so that ../../shaders is found. */
async function bundleProgram(tool: string, source = `tools/${tool}/main.ts`): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['webgpu'] },
    build: {
      ssr: join(ROOT, source),
      outDir: join(STAGE, `tools/${tool}`),
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'main.mjs', codeSplitting: false } },
    },
  });
}

function copyRuntime(): void {
  const dawn = dirname(createRequire(import.meta.url).resolve('webgpu'));
  const platform = `${process.platform}-${process.arch}`;
  const dawnOut = join(STAGE, 'node_modules/webgpu');
  mkdirSync(join(dawnOut, 'dist', platform), { recursive: true });
  for (const file of ['package.json', 'index.js', 'LICENSE.md', `dist/${platform}/dawn.node`]) {
    copyFileSync(join(dawn, file), join(dawnOut, file));
  }
  mkdirSync(join(STAGE, 'bin'), { recursive: true });
  copyFileSync(process.execPath, join(STAGE, 'bin/node'));
  chmodSync(join(STAGE, 'bin/node'), 0o755);
  command('strip', join(STAGE, 'bin/node'), join(dawnOut, 'dist', platform, 'dawn.node'));
  // A bare machine may have a driver but no loader; Chromium's stands in for it.
  const loader = findSwiftShader()?.loaderPath;
  if (loader) {
    mkdirSync(join(STAGE, 'lib'), { recursive: true });
    copyFileSync(loader, join(STAGE, 'lib/libvulkan.so.1'));
  }
}

/** Packs what the stage holds and empties it. */
function pack(archive: string): void {
  command('tar', '-C', STAGE, '-cJf', archive, '.');
  rmSync(STAGE, { recursive: true });
  console.log(`${archive}: ${(statSync(archive).size / 1e6).toFixed(1)} MB`);
}

rmSync(STAGE, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
if (!existsSync(RUNTIME_ARCHIVE)) {
  copyRuntime();
  pack(RUNTIME_ARCHIVE);
}
await bundleProgram('bench');
await bundleProgram('kit');
await bundleProgram('residency', 'tools/bench/residency/main.ts');
await bundleProgram('profile', 'tools/bench/profile/main.ts');
await bundleProgram('hotset', 'src/hosts/cli/main.ts');
// The quantised models would double the archive; the kit makes its own weights of each format.
cpSync(join(ROOT, 'test/vectors/models'), join(STAGE, 'test/vectors/models'), {
  recursive: true, filter: (path) => !path.endsWith('quantised'),
});
cpSync(join(ROOT, 'shaders'), join(STAGE, 'shaders'), { recursive: true });
pack(PROGRAM_ARCHIVE);
copyFileSync(join(import.meta.dirname, 'run.sh'), join(OUT, 'run.sh'));
chmodSync(join(OUT, 'run.sh'), 0o755);
