import { defineConfig } from '@playwright/test';
import { DEV_URL, SITE_URL } from './test/e2e/support/addresses.ts';

const SITE_DIR = '.cache/e2e-site';
const portOf = (url: string): string => new URL(url).port;

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results/e2e',
  // The software adapter keeps two cores busy, but much of a test is waiting: for frames, clicks and the browser's processes.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: 'list',
  webServer: [
    {
      command: `npx vite build --mode e2e --outDir ${SITE_DIR} && npx vite preview --outDir ${SITE_DIR} --port ${portOf(SITE_URL)} --strictPort`,
      url: SITE_URL,
      timeout: 90_000,
    },
    { command: `npm start -- --port ${portOf(DEV_URL)} --strictPort`, url: DEV_URL, timeout: 90_000 },
  ],
});
