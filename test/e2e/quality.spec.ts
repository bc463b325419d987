/** Measuring a model in the page, on WebGPU (SwiftShader): alone, against itself, and with 2-bit experts. */
import { SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { closeSettings, confirmImport, expectOpen, importPath } from './support/page_steps.ts';

test('quality: stop, measure, keep as the baseline, compare with itself and with 2-bit experts', async ({ page }) => {
  await page.goto(SITE_URL);
  await page.getByTestId('settings-toggle').click();
  const open = page.getByTestId('quality-open');
  await expect(open).toBeDisabled();
  await closeSettings(page);
  await importPath(page, STARTER_GGUF);
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
  });

  await test.step('Escape closes the dialog alone, and the keyboard is back where it was', async () => {
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(open).toBeFocused();
  });

  await test.step('the same file with 2-bit experts is compared with it', async () => {
    await page.getByTestId('import-files').setInputFiles(STARTER_GGUF);
    await confirmImport(page, 'w2');
    await expect(page.getByTestId('model-item')).toHaveCount(2);
    await expectOpen(page);
    await open.click();
    await run.click();
    await expect(page.getByTestId('quality-baseline')).toHaveText('Starter (random weights)');
    await expect(page.getByTestId('quality-kl')).toHaveText(/^0\.0*[1-9]\d* ± /);
    await keepScreenshot(page, 'quality');
  });

  await test.step('another text is not', async () => {
    await text.fill('Something else entirely.');
    await run.click();
    await expect(page.getByTestId('quality-note')).toContainText('another text');
    await expect(page.getByTestId('quality-kl')).toHaveCount(0);
  });
});
