import type { DevConsole } from '../../src/ui/dev_console.ts';
import { DEV_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { expectOpen } from './support/page_steps.ts';

test('npm start serves the page, its worker and the demo model', async ({ page }) => {
  await page.goto(DEV_URL);
  await expect(page.getByTestId('backend-label')).toContainText('WebGPU');
  expect(await page.evaluate(() => window.crossOriginIsolated)).toBe(true);
  await expect.poll(() => page.evaluate(async () => ('hotset' in window ? (window.hotset as DevConsole).heat() : null))).toEqual([]);
  await page.getByTestId('starter-load').click();
  // Half a minute on the software adapter beside other work.
  await expect(page.getByTestId('context-meter')).toBeVisible({ timeout: 60_000 });
  await expectOpen(page);
});
