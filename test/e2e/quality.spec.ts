/** Measuring a model in the page, on WebGPU (SwiftShader): alone, then against itself as the kept baseline. */
import { SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { closeSettings, expectOpen } from './support/page_steps.ts';

test('quality: measure, keep as the baseline, compare, stop', async ({ page }) => {
  await page.goto(SITE_URL);
  await page.getByTestId('settings-toggle').click();
  const open = page.getByTestId('quality-open');
  await expect(open).toBeDisabled();
  await closeSettings(page);
  await page.getByTestId('import-files').setInputFiles(STARTER_GGUF);
  // The import asks only where there is something to choose.
  const confirm = page.getByTestId('import-confirm');
  await expect(confirm.or(page.getByTestId('context-meter'))).toBeVisible();
  if (await confirm.isVisible()) await confirm.click();
  await expectOpen(page);
  await page.getByTestId('settings-toggle').click();
  await open.click();
  const dialog = page.getByTestId('quality-dialog');
  const text = page.getByTestId('quality-text');
  const run = page.getByTestId('quality-run');
  await expect(text).toHaveValue(/<\|im_start\|>user/);

  await test.step('a run over the whole sample stops at once', async () => {
    await run.click();
    await expect(page.getByTestId('quality-progress')).toContainText(/[\d,]+ of [\d,]+ tokens/);
    await run.click();
    await expect(run).toHaveText('Measure');
    await expect(page.getByTestId('quality-progress')).toHaveCount(0);
    await expect(page.getByTestId('quality-problem')).toHaveCount(0);
  });

  await test.step('the baseline', async () => {
    await page.getByTestId('quality-file').setInputFiles({ name: 'text.txt', mimeType: 'text/plain', buffer: Buffer.from('A fox went to the river.') });
    await page.getByTestId('quality-context').fill('32');
    await page.getByTestId('quality-keep').check();
    await run.click();
    await expect(page.getByTestId('quality-perplexity')).toHaveText(/^\d+\.\d+ ± \d+\.\d+$/);
    await expect(page.getByTestId('quality-kl')).toHaveCount(0);
  });

  await test.step('the same again is compared', async () => {
    await page.getByTestId('quality-keep').uncheck();
    await run.click();
    await expect(page.getByTestId('quality-kl')).toHaveText(/^0\.0000 ± 0\.0000/);
    await expect(page.getByTestId('quality-agreement')).toHaveText('100.0 ± 0.0 %');
    await keepScreenshot(page, 'quality');
  });

  await test.step('another text is not', async () => {
    await text.fill('Something else entirely.');
    await run.click();
    await expect(page.getByTestId('quality-note')).toContainText('another text');
    await expect(page.getByTestId('quality-kl')).toHaveCount(0);
  });

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // Escape closed the dialog alone, and the keyboard is back where it was.
  await expect(open).toBeFocused();
});
