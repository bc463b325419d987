/** `--chromium`: builds the page where none is given, and has it measure. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { sweepOptionsOf, wholeNumberOf, type SweepArguments } from '../sweep_options.ts';
import { findChromium, runInChromium } from './driver.ts';
import type { Measurement } from './task.ts';

const CONFIG = 'tools/bench/residency/chromium/vite.config.ts';

export interface ChromiumArguments extends SweepArguments {
  readonly uploads: boolean;
  readonly reads: boolean;
  /** MiB */
  readonly 'read-file': string;
  readonly hardware: boolean;
  /** Folder of a page built before. */
  readonly site?: string;
}

/** @throws RangeError for wrong usage, Error where the page can't be built or fails */
export async function measureInChromium(values: ChromiumArguments): Promise<void> {
  const task = { measurement: measurementOf(values), hardware: values.hardware };
  const siteFolder = values.site ?? buildSite();
  await runInChromium({ chromiumPath: findChromium(), siteFolder, task, print: console.log });
}

export function measurementOf(values: ChromiumArguments): Measurement {
  if (values.reads) return { kind: 'reads', fileByteLength: wholeNumberOf('read-file', values['read-file'], 8, 65_536) * 2 ** 20 };
  return values.uploads ? { kind: 'uploads' } : { kind: 'sweep', options: sweepOptionsOf(values) };
}

/** Builds the page into a folder, by a program of its own: on a bare machine there is no Vite, and this file must load there. */
export function buildSite(): string {
  const root = resolve(import.meta.dirname, '../../../..');
  const folder = join(root, '.cache/bench-residency-site');
  const build = spawnSync('npx', ['--no-install', 'vite', 'build', '--config', CONFIG, '--outDir', folder], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (build.status !== 0) throw new Error('the page could not be built; a page built elsewhere can be given by --site');
  return folder;
}
