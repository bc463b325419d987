import type { DevConsole } from '../../src/ui/dev_console.ts';
import { DEV_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { QWEN3_GGUF } from './support/models.ts';
import { expectOpen, importPath } from './support/page_steps.ts';

test('npm start serves the page, its worker, its shaders and the demo model', async ({ page }) => {
  await page.goto(DEV_URL);
  await expect(page.getByTestId('backend-label')).toContainText('WebGPU');
  expect(await page.evaluate(() => window.crossOriginIsolated)).toBe(true);
  await expect.poll(() => page.evaluate(async () => ('hotset' in window ? (window.hotset as DevConsole).heat() : null))).toEqual([]);
  const demo = await page.request.head(`${DEV_URL}models/hotset-demo.gguf`);
  expect(Number(demo.headers()['content-length'])).toBeGreaterThan(1e6);
  // A small one opens sooner than the demo model, with the same shaders.
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
});
