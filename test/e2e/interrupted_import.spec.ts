/** Imports that a closed tab or a full storage cuts off: gone on with, or discarded. File reads are slowed so that there is a middle. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from '@playwright/test';
import { SITE_URL } from './support/addresses.ts';
import { beforeWorker, expect, test } from './support/browser.ts';
import { QWEN3_GGUF } from './support/models.ts';
import { expectOpen, importPath } from './support/page_steps.ts';

const SLOW_READS = `
  const arrayBuffer = Blob.prototype.arrayBuffer;
  Blob.prototype.arrayBuffer = async function () {
    await new Promise((done) => setTimeout(done, 50));
    return arrayBuffer.call(this);
  }`;

test.beforeEach(async ({ context }) => beforeWorker(context, SLOW_READS));

async function openPage(page: Page): Promise<void> {
  await page.goto(SITE_URL);
  await expect(page.getByTestId('storage-persisted')).toContainText('Private file system');
}

/** Starts an import; the first percentage that it shows. */
async function importFrom(page: Page): Promise<number> {
  const first = page.evaluate(() => new Promise<number>((done) => {
    const observer = new MutationObserver(() => {
      const percent = document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow') ?? null;
      if (percent === null) return;
      observer.disconnect();
      done(Number(percent));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  }));
  await importPath(page, QWEN3_GGUF);
  return first;
}

/** Starts an import and closes its tab in the middle; a new tab. */
async function cutOffImport(context: BrowserContext, page: Page): Promise<Page> {
  await openPage(page);
  expect(await importFrom(page)).toBe(0);
  await expect.poll(async () => Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'))).toBeGreaterThan(60);
  await page.close();
  const next = await context.newPage();
  await openPage(next);
  await expect(next.getByTestId('model-item')).toHaveAttribute('data-state', 'partial');
  await expect(next.getByTestId('model-open')).toBeDisabled();
  return next;
}

test('a closed tab’s import goes on where it was, and gives the model bit for bit', async ({ context, page }) => {
  const next = await cutOffImport(context, page);
  expect(await importFrom(next)).toBeGreaterThan(30);
  await expectOpen(next);
  await expect(next.getByTestId('model-item')).toHaveCount(1);
  const download = next.waitForEvent('download');
  await next.getByTestId('model-export').click();
  expect(readFileSync(await (await download).path()).equals(readFileSync(QWEN3_GGUF))).toBe(true);
});

test.describe('a profile on the disk, whose quota can be set', () => {
  test.use({ ownProfile: true });

  test('an import for which the room shrinks under way says so, and goes on when there is some again', async ({ context, page }) => {
    await openPage(page);
    const session = await context.newCDPSession(page);
    const setQuota = (quotaSize?: number) => session.send('Storage.overrideQuotaForOrigin', { origin: new URL(SITE_URL).origin, quotaSize });
    await importFrom(page);
    await expect.poll(async () => Number(await page.getByRole('progressbar').getAttribute('aria-valuenow'))).toBeGreaterThan(30);
    await setQuota(100_000);
    await expect(page.getByTestId('error')).toContainText('The storage ran full during the import; free some space and drop the same files again to go on');
    await expect(page.getByTestId('model-item')).toHaveAttribute('data-state', 'partial');
    await setQuota();
    await importPath(page, QWEN3_GGUF);
    await expectOpen(page);
    await expect(page.getByTestId('model-item')).toHaveAttribute('data-state', 'ready');
  });
});

test('a closed tab’s import can be discarded, from the library or by cancelling the next', async ({ context, page }) => {
  const next = await cutOffImport(context, page);
  await next.getByTestId('model-discard').click();
  await next.getByTestId('confirm').click();
  await expect(next.getByTestId('model-item')).toHaveCount(0);
  await next.reload();
  await expect(next.getByTestId('welcome-first')).toBeVisible();
  expect(await importFrom(next)).toBe(0);
  await next.getByTestId('progress-pause').click();
  await expect(next.getByTestId('model-item')).toHaveAttribute('data-state', 'partial');
  await importFrom(next);
  await next.getByTestId('progress-cancel').click();
  await expect(next.getByTestId('model-item')).toHaveCount(0);
  await expect(next.getByTestId('error')).toHaveCount(0);
});
