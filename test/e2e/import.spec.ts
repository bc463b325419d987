/** Every way into the library and out of it. */
import { readFileSync } from 'node:fs';
import { SITE_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { breakFolder, OLMOE_GGUF, QWEN3_GGUF, safetensorsFolder } from './support/models.ts';
import { chat, closeSettings, confirmImport, dropPaths, dropSynthetic, expectOpen, importPath, setNumber } from './support/page_steps.ts';

test.beforeEach(async ({ page }) => {
  await page.goto(SITE_URL);
  await expect(page.getByTestId('welcome-first')).toBeVisible();
  await setNumber(page, 'maxTokens', '4');
  await closeSettings(page);
});

test('drop a GGUF, chat, reload, chat again without a second drop', async ({ page }) => {
  await dropPaths(page, [QWEN3_GGUF]);
  await confirmImport(page);
  await expectOpen(page);
  const item = page.getByTestId('model-item');
  await expect(item).toContainText(/kB|MB/);
  await expect(item).toContainText('qwen3moe');
  await expect(item).toContainText('GGUF');
  await chat(page, 'One');
  await page.reload();
  await expectOpen(page);
  await chat(page, 'Two');
  await expect(page.getByTestId('message-assistant')).toHaveCount(2);
});

test('drop a safetensors folder; without a chat template ChatML stands in and the page says so', async ({ page }) => {
  const folder = safetensorsFolder('qwen3_moe');
  try {
    breakFolder(folder.path, 'tokenizer_config.json', null);
    await dropPaths(page, [folder.path]);
    await confirmImport(page);
    await expectOpen(page);
    await expect(page.getByTestId('model-item')).toContainText('safetensors');
    await expect(page.getByTestId('chatml-note')).toBeVisible();
    await chat(page, 'Hello');
  } finally {
    folder.remove();
  }
});

test('pick a folder, then a file; switch between the two; export gives the same bytes', async ({ page }) => {
  const folder = safetensorsFolder('mixtral');
  try {
    await importPath(page, folder.path, 'import-folder');
    await expectOpen(page);
  } finally {
    folder.remove();
  }
  await importPath(page, OLMOE_GGUF);
  await expect(page.getByTestId('model-item')).toHaveCount(2);
  await expectOpen(page);
  const opened = page.getByTestId('model-item').filter({ hasText: 'Open' });
  await expect(opened).toContainText('olmoe');

  const download = page.waitForEvent('download');
  await opened.hover();
  await opened.getByTestId('model-export').click();
  const exported = await download;
  expect(exported.suggestedFilename()).toBe('olmoe.gguf');
  expect(readFileSync(await exported.path()).equals(readFileSync(OLMOE_GGUF))).toBe(true);

  await page.getByTestId('model-item').filter({ hasText: 'mixtral' }).getByTestId('model-open').click();
  await expect(opened).toContainText('mixtral');
  await expectOpen(page);
});

test('a drop without file system entries works too, and the same file twice stays one model', async ({ page }) => {
  const bytes = readFileSync(QWEN3_GGUF);
  await dropSynthetic(page, 'first.gguf', bytes);
  await confirmImport(page);
  await expectOpen(page);
  await dropSynthetic(page, 'again.gguf', bytes);
  await expect(page.getByTestId('import-dialog')).toContainText('In your library');
  await confirmImport(page);
  await expectOpen(page);
  await expect(page.getByTestId('model-item')).toHaveCount(1);
  await expect(page.getByTestId('error')).toHaveCount(0);
});
