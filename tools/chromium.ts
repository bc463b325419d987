/** Finds a Chromium that starts, or installs one. Used by `npm test`; never answers with a browser that doesn't run. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** True where the program starts and says its version (Ubuntu's /usr/bin/chromium-browser may be an empty stub). */
function starts(path: string): boolean {
  return existsSync(path) && spawnSync(path, ['--version', '--no-sandbox'], { timeout: 30_000 }).status === 0;
}

function playwrightPath(): string {
  try {
    return chromium.executablePath();
  } catch {
    return '';
  }
}

function install(command: string, args: readonly string[]): boolean {
  console.log(`$ ${command} ${args.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: INSTALL_TIMEOUT_MS, env }).status === 0;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Path of a Chromium that starts: CHROMIUM_PATH, Debian's, Playwright's; else one that Playwright or (as root) apt
 * installs now.
 * @throws Error with one sentence that says what to do.
 */
export function ensureChromium(): string {
  const named = process.env['CHROMIUM_PATH'];
  if (named) {
    if (starts(named)) {
      return named;
    }
    throw new Error(`CHROMIUM_PATH is ${named}, which does not start: point it to a Chromium, or unset it.`);
  }
  const found = ['/usr/bin/chromium', playwrightPath()].find(starts);
  if (found) {
    return found;
  }
  const steps: readonly (() => boolean)[] = [
    () => install('npx', ['playwright', 'install', ...(isRoot() ? ['--with-deps'] : []), 'chromium']),
    () => isRoot() && install('apt-get', ['update']) && install('apt-get', ['install', '-y', '--no-install-recommends', 'chromium']),
  ];
  for (const step of steps) {
    if (step()) {
      const installed = [playwrightPath(), '/usr/bin/chromium'].find(starts);
      if (installed) {
        return installed;
      }
    }
  }
  throw new Error(
    'The tests need a Chromium, none was found and none could be installed: install one'
    + ' (Debian: apt-get install chromium; elsewhere: npx playwright install --with-deps chromium) or set CHROMIUM_PATH.',
  );
}
