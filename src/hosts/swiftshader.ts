/** Finds SwiftShader, the software Vulkan driver that ships inside Chromium, for machines without a GPU driver. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface SwiftShader {
  /** Driver manifest for VK_DRIVER_FILES. */
  readonly icdPath: string;
  /** Vulkan loader that Chromium brings for machines that have none. */
  readonly loaderPath: string;
}

/** Folders of browsers that Playwright installed: <cache>/chromium-1234/chrome-linux/. */
function playwrightFolders(): string[] {
  const cache = process.env['PLAYWRIGHT_BROWSERS_PATH'] ?? join(homedir(), '.cache', 'ms-playwright');
  if (!existsSync(cache)) {
    return [];
  }
  return readdirSync(cache)
    .filter((name) => name.startsWith('chromium'))
    .flatMap((name) => readdirSync(join(cache, name)).map((inner) => join(cache, name, inner)));
}

/** SwiftShader of CHROMIUM_PATH's browser, Debian's Chromium, Chrome or Playwright's browsers; null where none has it. */
export function findSwiftShader(): SwiftShader | null {
  const named = process.env['CHROMIUM_PATH'];
  const folders = [
    ...(named && existsSync(named) ? [dirname(realpathSync(named))] : []),
    '/usr/lib/chromium',
    '/opt/google/chrome',
    ...playwrightFolders(),
  ];
  for (const folder of folders) {
    const icdPath = join(folder, 'vk_swiftshader_icd.json');
    const loaderPath = join(folder, 'libvulkan.so.1');
    if (existsSync(icdPath) && existsSync(loaderPath)) {
      return { icdPath, loaderPath };
    }
  }
  return null;
}
