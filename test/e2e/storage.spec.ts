/** What the browser gives to keep models in: little, another kind, or shared with another tab. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { SITE_URL } from './support/addresses.ts';
import { beforeWorker, expect, test } from './support/browser.ts';
import { allowReadbacks, holdable } from './support/held_readbacks.ts';
import { QWEN3_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, send, setNumber } from './support/page_steps.ts';

test.describe('a profile on the disk, whose quota can be set', () => {
  test.use({ ownProfile: true });

  test('a model that the browser has no room for is refused before anything is written', async ({ context, page }) => {
    await page.goto(SITE_URL);
    await expect(page.getByTestId('storage-persisted')).toBeVisible();
    // Chromium's estimate doesn't tell of this limit.
    const session = await context.newCDPSession(page);
    await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(SITE_URL).origin, quotaSize: 300_000 });
    await importPath(page, QWEN3_GGUF);
    const error = page.getByTestId('error');
    await expect(error.locator('p')).toHaveText([/^".+" needs 0\.01 GB of browser storage and .+; delete a model or free disk space, then try again\.$/]);
    await expect(page.getByTestId('model-item')).toHaveCount(0);
    await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(SITE_URL).origin });
    await importPath(page, QWEN3_GGUF);
    await expectOpen(page);
    await expect(error).toHaveCount(0);
  });
});

test('without OPFS, IndexedDB keeps the model: chat, reload, chat, export, delete', async ({ context, page }) => {
  await beforeWorker(context, 'delete StorageManager.prototype.getDirectory');
  await page.goto(SITE_URL);
  await expect(page.getByTestId('storage-persisted')).toContainText('IndexedDB');
  await setNumber(page, 'maxTokens', '3');
  await closeSettings(page);
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  await chat(page, 'One');
  await page.reload();
  await expectOpen(page);
  await chat(page, 'Two');
  const download = page.waitForEvent('download');
  await page.getByTestId('model-export').click();
  expect(readFileSync(await (await download).path()).equals(readFileSync(QWEN3_GGUF))).toBe(true);
  await page.getByTestId('model-delete').click();
  await page.getByTestId('confirm').click();
  await expect(page.getByTestId('model-item')).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId('library')).toContainText('Drop a GGUF file');
});

test('two tabs see each other’s models and messages, chat with one model at the same time, and neither takes it away', async ({
  context, page, pageErrors,
}) => {
  await holdable(context);
  await page.goto(SITE_URL);
  await expect(page.getByTestId('welcome-first')).toBeVisible();
  await setNumber(page, 'temperature', '0');
  await setNumber(page, 'maxTokens', '8');
  await closeSettings(page);
  const other = await context.newPage();
  other.on('pageerror', (error) => pageErrors.push(error.message));
  await other.goto(SITE_URL);
  await expect(other.getByTestId('welcome-first')).toBeVisible();
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  await expect(other.getByTestId('model-item')).toHaveAttribute('data-state', 'ready');
  const answerIn = (tab: Page) => tab.getByTestId('message-assistant').getByTestId('markdown').last();
  await chat(page, 'Said in the first tab');
  const undisturbed = await answerIn(page).textContent() ?? '';
  await other.getByTestId('chat-item').getByRole('button', { name: /^Said in the first tab/ }).click();
  await expect(other.getByTestId('message-user')).toHaveText('Said in the first tab');
  await expect(answerIn(other)).toHaveText(undisturbed);

  // The first tab is in the middle of an answer all the while that the other opens the model and chats.
  await page.getByTestId('new-chat').click();
  await allowReadbacks(page, 6);
  await send(page, 'Said in the first tab');
  await expect(answerIn(page)).not.toBeEmpty();
  await other.reload();
  await expectOpen(other);
  await other.getByTestId('new-chat').click();
  await chat(other, 'Said in the first tab');
  await expect(answerIn(other)).toHaveText(undisturbed);
  await expect(page.getByTestId('stop')).toBeVisible();
  await allowReadbacks(page, Infinity);
  await expect(page.getByTestId('answer-stats')).toHaveCount(1);
  await expect(answerIn(page)).toHaveText(undisturbed);

  await other.getByTestId('model-delete').click();
  await other.getByTestId('confirm').click();
  await expect(other.getByTestId('error')).toContainText('open in another tab; close it there');
  await expect(other.getByTestId('model-item')).toHaveCount(1);
  await chat(page, 'And on');
});
