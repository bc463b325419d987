/** Experts converted while they are imported: by real workers, into real storage, run on the GPU. */
import { SITE_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { chat, closeSettings, confirmImport, dropPaths, expectOpen, importPath, setNumber } from './support/page_steps.ts';

test('drop a model, choose 2-bit experts, chat, read the report; the same file kept as it is stands beside', async ({ page, context }) => {
  const workers: string[] = [];
  context.on('request', (request) => { if (request.url().includes('/convert_worker')) workers.push(request.url()); });
  await page.goto(SITE_URL);
  await expect(page.getByTestId('welcome-first')).toBeVisible();
  await setNumber(page, 'maxTokens', '4');
  await closeSettings(page);

  await dropPaths(page, [STARTER_GGUF]);
  await expect(page.getByTestId('import-dialog')).toContainText(/4\.\d+ bits a weight/);
  await confirmImport(page, 'w2');
  await expectOpen(page);
  const converted = page.getByTestId('model-item').filter({ hasText: '2-bit experts' });
  await expect(converted).toHaveCount(1);
  await chat(page, 'One');
  expect(workers).not.toEqual([]);

  await page.reload();
  await expectOpen(page);
  await chat(page, 'Two');
  await converted.hover();
  await expect(converted.getByTestId('model-export')).toHaveAttribute('aria-disabled', 'true');
  await converted.getByTestId('model-report').click();
  await expect(page.getByTestId('report-summary')).toContainText(/Relative RMS 0\.[23]\d, cosine 0\.9\d/);
  await expect(page.getByTestId('report-table')).toContainText('down');
  await page.getByTestId('report-close').click();

  await importPath(page, STARTER_GGUF);
  await expectOpen(page);
  await expect(page.getByTestId('model-item')).toHaveCount(2);
});
