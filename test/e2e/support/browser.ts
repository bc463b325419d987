/** Chromium with WebGPU on SwiftShader; each test's storage starts empty. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium, test as base, type Browser, type BrowserContext, type BrowserContextOptions, type LaunchOptions, type Page,
} from '@playwright/test';

export { expect } from '@playwright/test';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';
const QUIET_FLAGS = ['--disable-background-networking', '--disable-quic', '--disable-component-update', '--disable-sync'];
const WEBGPU_FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

export interface BrowserOptions {
  /** False: a browser as it is without a WebGPU adapter. */
  webgpu: boolean;
  /** True: as on a first visit, the site's demo model opens by itself. */
  demo: boolean;
  /** True: a browser of its own, with a profile on the disk, as people have one. */
  ownProfile: boolean;
}

interface BrowserFixtures {
  /** Fails the test if the page throws or logs an error. */
  pageErrors: string[];
}

interface WorkerFixtures {
  /** Browsers that tests share: to start one takes longer than most tests. */
  browsers: (webgpu: boolean) => Promise<Browser>;
}

function launchOptions(webgpu: boolean): LaunchOptions {
  const named = process.env.CHROMIUM_PATH ?? DEBIAN_CHROMIUM;
  return {
    executablePath: existsSync(named) ? named : undefined,
    args: ['--no-sandbox', ...QUIET_FLAGS, ...(webgpu ? WEBGPU_FLAGS : [])],
  };
}

export const test = base.extend<BrowserOptions & BrowserFixtures, WorkerFixtures>({
  webgpu: [true, { option: true }],
  demo: [false, { option: true }],
  ownProfile: [false, { option: true }],

  browsers: [async ({}, use) => {
    const open = new Map<boolean, Promise<Browser>>();
    await use((webgpu) => {
      const browser = open.get(webgpu) ?? chromium.launch(launchOptions(webgpu));
      open.set(webgpu, browser);
      return browser;
    });
    for (const browser of open.values()) await (await browser).close();
  }, { scope: 'worker' }],

  context: async ({ browsers, webgpu, demo, ownProfile, viewport, colorScheme, deviceScaleFactor, hasTouch, isMobile }, use) => {
    const options: BrowserContextOptions = {
      viewport, colorScheme, deviceScaleFactor, hasTouch, isMobile, permissions: ['clipboard-read', 'clipboard-write'],
    };
    const profile = ownProfile ? await mkdtemp(join(tmpdir(), 'hotset-e2e-')) : null;
    const context = profile === null ? await (await browsers(webgpu)).newContext(options)
      : await chromium.launchPersistentContext(profile, { ...launchOptions(webgpu), ...options });
    // As someone who has cancelled it before: most tests want another model, at once.
    if (!demo) await context.addInitScript(() => localStorage.setItem('hotset.demo', '"declined"'));
    await use(context);
    await context.close();
    if (profile !== null) await rm(profile, { recursive: true, force: true });
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

/** Gives the page's workers an order that what beforeWorker() gave them listens for, and waits until one has heard it. */
export async function orderWorkers(page: Page, channel: string, order: number): Promise<void> {
  await page.evaluate(([name, number]) => new Promise((heard) => {
    const orders = new BroadcastChannel(name);
    orders.addEventListener('message', heard);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel's takes none
    orders.postMessage(number);
  }), [channel, order] as const);
}
