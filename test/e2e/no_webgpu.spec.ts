import { SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, setNumber } from './support/page_steps.ts';

test.use({ webgpu: false });

test('without WebGPU the page says why and how to turn it on, and the reference back end answers', async ({ page }) => {
  await page.goto(SITE_URL);
  const banner = page.getByTestId('webgpu-banner');
  await expect(banner).toBeVisible();
  await banner.getByText('How to turn WebGPU on').click();
  await expect(banner.getByRole('listitem').first()).toContainText('graphics acceleration');
  await expect(page.getByTestId('backend-label')).toContainText('Reference');
  await keepScreenshot(page, 'no-webgpu');

  await setNumber(page, 'maxTokens', '4');
  await closeSettings(page);
  await importPath(page, STARTER_GGUF);
  await expectOpen(page);
  await chat(page, 'Hello');
  await expect(page.getByTestId('message-assistant')).toBeVisible();
  await expect(page.getByTestId('backend-label')).toContainText('Reference');
});
