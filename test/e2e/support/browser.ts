/** Chromium with WebGPU on SwiftShader and a profile of its own, so that OPFS works and starts empty. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, test as base, type BrowserContext, type Page } from '@playwright/test';

export { expect } from '@playwright/test';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';
const QUIET_FLAGS = ['--disable-background-networking', '--disable-quic', '--disable-component-update', '--disable-sync'];
const WEBGPU_FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

export interface BrowserOptions {
  /** False: a browser as it is without a WebGPU adapter. */
  webgpu: boolean;
  /** True: as on a first visit, the site's demo model opens by itself. */
  demo: boolean;
}

interface BrowserFixtures {
  /** Fails the test if the page throws or logs an error. */
  pageErrors: string[];
}

export const test = base.extend<BrowserOptions & BrowserFixtures>({
  webgpu: [true, { option: true }],
  demo: [false, { option: true }],

  context: async ({ webgpu, demo, viewport, colorScheme, deviceScaleFactor, hasTouch, isMobile }, use) => {
    const profile = await mkdtemp(join(tmpdir(), 'hotset-e2e-'));
    const named = process.env.CHROMIUM_PATH ?? DEBIAN_CHROMIUM;
    const context: BrowserContext = await chromium.launchPersistentContext(profile, {
      executablePath: existsSync(named) ? named : undefined,
      args: ['--no-sandbox', ...QUIET_FLAGS, ...(webgpu ? WEBGPU_FLAGS : [])],
      viewport, colorScheme, deviceScaleFactor, hasTouch, isMobile,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // As someone who has cancelled it before: most tests want another model, at once.
    if (!demo) await context.addInitScript(() => localStorage.setItem('hotset.demo', '"declined"'));
    await use(context);
    await context.close();
    await rm(profile, { recursive: true, force: true });
  },

  page: async ({ context, pageErrors }, use) => {
    const page = context.pages()[0] ?? (await context.newPage());
    page.on('pageerror', (error) => pageErrors.push(error.message));
    page.on('console', (message) => {
      // Chromium logs every refused fetch; the page handles those itself.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) pageErrors.push(message.text());
    });
    await use(page);
  },

  pageErrors: [async ({}, use) => {
    const errors: string[] = [];
    await use(errors);
    if (errors.length > 0) throw new Error(`The page reported errors:\n${errors.join('\n')}`);
  }, { auto: true }],
});

/** Puts a script in front of the page's worker, whose world tests can't reach otherwise. */
export async function beforeWorker(context: BrowserContext, script: string): Promise<void> {
  await context.route(/\/assets\/worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${script};\n${await response.text()}` });
  });
}

/** Keeps a screenshot as an artifact of the run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `test-results/screenshots/${name}.png`, animations: 'disabled' });
}
