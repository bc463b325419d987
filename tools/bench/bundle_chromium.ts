/**
 * Packs a Chromium and the benchmark's page for a bare Linux machine with a graphics driver, in parts that a transfer takes.
 * Leaves .carry2/ with chromium.part.00 …, page.tar.xz and run.sh; Node comes from bundle.ts. Needs Debian with
 * chromium-common installed; the headless shell, which is smaller than Chromium and has no window, comes from apt.
 *
 *   npx tsx tools/bench/bundle.ts && npx tsx tools/bench/bundle_chromium.ts
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildSite } from './residency/chromium/measure.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OUT = join(ROOT, '.carry2');
const DOWNLOADS = join(ROOT, '.cache/chromium-headless-shell');
const PACKAGE = 'chromium-headless-shell';
const PROGRAM = `usr/lib/chromium/${PACKAGE}`;
const PART_BYTE_LENGTH = 27_000_000;
/** What the headless shell needs of chromium-common, SwiftShader for a trial without a card included. */
const COMMON_FOLDER = '/usr/lib/chromium';
const COMMON_FILES = ['icudtl.dat', 'libEGL.so', 'libGLESv2.so', 'libvk_swiftshader.so', 'libvulkan.so.1', 'vk_swiftshader_icd.json', 'v8_context_snapshot.bin'];
/** Each machine has its own, which fits its loader. */
const GLIBC = /\/(libc|libm|libpthread|libdl|librt|libresolv|ld-linux[^/]*)\.so/;

function command(cwd: string, program: string, ...args: string[]): string {
  const run = spawnSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
  return run.stdout;
}

/** The package of the installed Chromium's version, whose data files are used with it. */
function download(): string {
  const version = command(ROOT, 'dpkg-query', '-W', '-f=${Version}', 'chromium-common');
  mkdirSync(DOWNLOADS, { recursive: true });
  const found = (): string | undefined => readdirSync(DOWNLOADS).find((name) => name.startsWith(`${PACKAGE}_${version}_`));
  if (!found()) command(DOWNLOADS, 'apt-get', 'download', `${PACKAGE}=${version}`);
  const file = found();
  if (file === undefined) throw new Error(`apt-get left no ${PACKAGE} of version ${version}`);
  return join(DOWNLOADS, file);
}

/** Shared libraries of a program, as the loader of this machine finds them. */
function librariesOf(program: string): string[] {
  const lines = command(ROOT, 'ldd', program).split('\n');
  const missing = lines.filter((line) => line.includes('not found'));
  if (missing.length > 0) throw new Error(`libraries are missing here: ${missing.map((line) => line.trim()).join('; ')}`);
  return lines.map((line) => / => (\/\S+)/.exec(line)?.[1]).filter((path) => path !== undefined).filter((path) => !GLIBC.test(path));
}

function pack(): void {
  const stage = join(OUT, 'stage');
  mkdirSync(join(stage, 'unpacked'), { recursive: true });
  mkdirSync(join(stage, 'lib'));
  mkdirSync(join(stage, 'common'));
  const deb = download();
  command(stage, 'dpkg-deb', '-x', deb, 'unpacked');
  for (const library of librariesOf(join(stage, 'unpacked', PROGRAM))) copyFileSync(library, join(stage, 'lib', basename(library)));
  for (const file of COMMON_FILES) copyFileSync(join(COMMON_FOLDER, file), join(stage, 'common', file));
  command(stage, 'tar', '-cJf', 'rest.tar.xz', 'lib', 'common');
  // The package goes as it is: packing its 220 MB again would take minutes to save a tenth.
  copyFileSync(deb, join(stage, 'shell.deb'));
  command(stage, 'tar', '-cf', 'all.tar', 'shell.deb', 'rest.tar.xz');
  command(stage, 'split', '-d', '-b', String(PART_BYTE_LENGTH), 'all.tar', 'chromium.part.');
  for (const name of readdirSync(stage).filter((file) => file.startsWith('chromium.part.'))) renameSync(join(stage, name), join(OUT, name));
  rmSync(stage, { recursive: true });
}

mkdirSync(OUT, { recursive: true });
rmSync(join(OUT, 'stage'), { recursive: true, force: true });
// Made once: remove it to renew it.
if (!existsSync(join(OUT, 'chromium.part.00'))) pack();
command(buildSite(), 'tar', '-cJf', join(OUT, 'page.tar.xz'), '.');
copyFileSync(join(import.meta.dirname, 'run_chromium.sh'), join(OUT, 'run.sh'));
chmodSync(join(OUT, 'run.sh'), 0o755);
for (const name of readdirSync(OUT)) console.log(`${join(OUT, name)}: ${(statSync(join(OUT, name)).size / 1e6).toFixed(1)} MB`);
