/** The import dialog and the conversion report, on a scripted host: test/e2e/support/scripted_imports.ts tells what each file name does. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { SCRIPTED_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { expectOpen } from './support/page_steps.ts';

test.use({ webgpu: false, viewport: { width: 1360, height: 860 }, colorScheme: 'light' });

async function pick(page: Page, name: string, query = ''): Promise<void> {
  await page.goto(SCRIPTED_URL + query);
  await expect(page.getByTestId('model-item').first()).toBeAttached();
  await page.getByTestId('import-files').setInputFiles({ name, mimeType: '', buffer: Buffer.from('GGUF') });
}

test('shows what each choice needs; arrows choose, Enter imports', async ({ page }) => {
  await pick(page, 'model.gguf');
  const dialog = page.getByRole('dialog', { name: 'Import Qwen3 30B A3B Instruct' });
  await expect(dialog).toContainText('qwen3moe · safetensors · 48 layers × 128 experts, 8 for each token');
  await expect(dialog.getByRole('radio')).toHaveCount(4);
  // Neither storage nor GPU has room for the experts as they are.
  const largest = dialog.getByRole('radio', { name: '3-bit experts' });
  await expect(largest).toBeFocused();
  await expect(largest).toBeChecked();
  await expect(largest).toHaveAccessibleDescription(/3\.25 bits a weight\s· 11\.8 GB of experts\s· 14\.9 GB in all.*Fits\. Storage: 14\.9 GB needed, 31\.6 GB free/);
  await expect(dialog.getByRole('radio', { name: 'Keep as is (BF16 experts)' }))
    .toHaveAccessibleDescription(/Warning\. GPU memory: only 24\.0 GB of the 61\.1 GB needed could be allocated/);
  await expect(page.getByTestId('import-choice-w2-fp4')).toHaveAccessibleDescription(/The settings can have the hottest experts use theirs/);
  await keepScreenshot(page, 'import-dialog');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(page.getByTestId('import-choice-w2')).toBeChecked();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expectOpen(page);
  await expect(page.getByTestId('model-item').first()).toContainText('11.2 GB · 2-bit experts');
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
});

test('Escape and Cancel leave everything as it was; what can’t be read or converted is not asked about', async ({ page }) => {
  await pick(page, 'model.gguf');
  const dialog = page.getByTestId('import-dialog');
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.getByTestId('import-files').setInputFiles({ name: 'model.gguf', mimeType: '', buffer: Buffer.from('GGUF') });
  await page.getByTestId('import-cancel').click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId('progress')).toHaveCount(0);
  await expect(page.getByTestId('error')).toHaveCount(0);
  await expect(page.getByTestId('model-item')).toHaveCount(3);

  await page.getByTestId('import-files').setInputFiles({ name: 'broken.gguf', mimeType: '', buffer: Buffer.from('GGUF') });
  await expect(page.getByTestId('error')).toContainText('broken.gguf is cut off');
  await expect(page.getByTestId('error')).toContainText('Your library is as it was');
  await page.getByTestId('import-files').setInputFiles({ name: 'plain.gguf', mimeType: '', buffer: Buffer.from('GGUF') });
  await expect(page.getByTestId('model-item')).toHaveCount(4);
  await expectOpen(page);
  await expect(page.getByTestId('error')).toHaveCount(0);
});

test('a choice that is refused says why, one that has no room can’t be confirmed, one that the GPU may refuse can', async ({ page }) => {
  await pick(page, 'w2.gguf', '?smallgpu');
  const confirm = page.getByTestId('import-confirm');
  for (const refused of ['w2', 'w2-fp4']) await expect(page.getByTestId(`import-choice-${refused}`)).toBeDisabled();
  await expect(page.getByTestId('import-choice-w2')).toHaveAccessibleDescription('Not possible: its experts have 2.25 bits a weight already');
  await expect(page.getByTestId('import-choice-w3')).toHaveAccessibleDescription(/Warning\. GPU memory: only 8\.0 GB of the 14\.9 GB needed/);
  await page.getByTestId('import-choice-w3').check();
  await expect(confirm).toBeEnabled();
  // Arrows pass what is refused by.
  await page.keyboard.press('ArrowUp');
  await expect(page.getByTestId('import-choice-keep')).toBeChecked();
  await expect(confirm).toBeDisabled();
  await expect(confirm).toHaveAccessibleDescription(/There is no room for it: it needs 61\.1 GB of browser storage and 31\.6 GB are free/);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('import-dialog')).toBeVisible();

  await pick(page, 'model.gguf', '?full');
  await expect(page.getByTestId('import-choice-w2')).toBeChecked();
  await expect(confirm).toBeDisabled();
  await expect(page.getByTestId('import-block')).toContainText('Delete a model or free disk space.');
});

test('an import that was cut off is offered first; a form that is in the library opens', async ({ page }) => {
  await pick(page, 'resume-known.gguf');
  const partial = page.getByTestId('import-choice-w3');
  await expect(partial).toBeChecked();
  await expect(page.getByRole('radio', { name: '3-bit experts Resume' })).toBeFocused();
  await expect(page.getByTestId('import-confirm')).toHaveText('Resume import');
  await page.getByRole('radio', { name: '2-bit experts In your library' }).check();
  await expect(page.getByTestId('import-confirm')).toHaveText('Open');
  await page.getByTestId('import-confirm').click();
  await expectOpen(page);
  await expect(page.getByTestId('model-item')).toHaveCount(3);
});

test('a converted model has a report to look at and to save, and says why it can’t be exported', async ({ page }) => {
  await pick(page, 'small.gguf');
  await expect(page.getByTestId('import-choice-keep')).toBeChecked();
  await page.getByTestId('import-choice-w2-fp4').check();
  await page.getByTestId('import-confirm').click();
  await expectOpen(page);
  const button = page.getByRole('button', { name: 'Conversion report of Qwen3 30B A3B Instruct' });
  await button.press('Enter');
  const report = page.getByTestId('report-dialog');
  await expect(report.getByTestId('report-summary')).toHaveText([
    /^Relative RMS 0\.36, cosine 0\.93, sign bias \+0\.0002, mean error .* over 18,432 matrices$/, /^Relative RMS 0\.11, cosine 0\.99/,
  ]);
  await expect(report.getByRole('row')).toHaveCount(2 * (2 + 48 * 3));
  await expect(report.getByRole('listitem').first()).toHaveText('Layer 17, expert 42, down: relative RMS 0.560, cosine 0.828');
  await keepScreenshot(page, 'conversion-report');
  const download = page.waitForEvent('download');
  await report.getByTestId('report-csv').click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe('Qwen3-30B-A3B-Instruct-conversion.csv');
  expect(readFileSync(await saved.path(), 'utf8').trimEnd().split('\n')).toHaveLength(1 + 2 * 18_432);
  await page.keyboard.press('Escape');
  await expect(report).toBeHidden();
  await expect(button).toBeFocused();

  const exportButton = page.getByTestId('model-export').first();
  await expect(exportButton).toHaveAttribute('aria-disabled', 'true');
  await expect(exportButton).toHaveAccessibleDescription(/original can’t be exported/);
  await exportButton.press('Enter');
  await expect(page.getByTestId('info')).toContainText('Keep your own file.');
});

test.describe('phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'dark' });

  test('dialog and report fit 360 px', async ({ page }) => {
    await pick(page, 'small.gguf');
    await page.getByTestId('import-choice-w3').tap();
    await keepScreenshot(page, 'phone-import-dialog');
    const overflow = () => page.evaluate(() => [...document.querySelectorAll('dialog[open] .sheet-body')].map((body) => body.scrollWidth - body.clientWidth));
    expect(await overflow()).toEqual([0]);
    await page.getByTestId('import-confirm').tap();
    await expect(page.getByTestId('model-item').first()).toContainText('3-bit experts');
    await expect(page.getByTestId('progress')).toHaveCount(0);
    await page.getByTestId('sidebar-toggle').tap();
    await page.getByTestId('model-report').tap();
    await expect(page.getByTestId('report-table')).toBeVisible();
    await keepScreenshot(page, 'phone-conversion-report');
    expect(await overflow()).toEqual([0]);
  });
});
