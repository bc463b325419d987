/** A first visit as it is: the demo model comes by itself, and stays away once it was deleted. */
import { SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { chat, closeSettings, expectOpen, setNumber } from './support/page_steps.ts';

test.use({ demo: true, viewport: { width: 1360, height: 860 }, colorScheme: 'light' });

/** The software adapter, perhaps beside other work: half a minute to open, a few tokens a second for a story. */
const SLOWLY = { timeout: 90_000 };

test('the demo model opens by itself, answers its examples, and does not come back after it was deleted', async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto(SITE_URL);
  const welcome = page.getByTestId('welcome-starter');
  await expect(welcome).toContainText('A small demo model made for this page; bring your own for real work.');
  await expect(welcome).toContainText('Drop a model of your own');

  await test.step('a message written meanwhile is answered when the model is open', async () => {
    await setNumber(page, 'temperature', '0');
    // The beginning of a story is enough of it.
    await setNumber(page, 'maxTokens', '40');
    await closeSettings(page);
    await keepScreenshot(page, 'demo-loading');
    await page.getByTestId('example').filter({ hasText: '34 + 48' }).click();
    await expect(page.getByTestId('message-user')).toHaveText('What is 34 + 48?');
    await expect(page.getByTestId('answer-stats')).toHaveCount(1, SLOWLY);
    await expect(page.getByTestId('message-assistant')).toContainText('82');
    await expectOpen(page);
  });

  await test.step('a new chat offers the examples again', async () => {
    await page.getByTestId('new-chat').click();
    await expect(page.getByTestId('example').first()).toBeEnabled();
    await keepScreenshot(page, 'demo-first-visit');
    await setNumber(page, 'temperature', '0.7');
    await setNumber(page, 'seed', '5');
    await closeSettings(page);
    await page.getByTestId('example').filter({ hasText: 'story' }).click();
    await expect(page.getByTestId('message-assistant')).toContainText(/fox.*kite/s, SLOWLY);
    await expect(page.getByTestId('answer-stats')).toHaveCount(1, SLOWLY);
    await chat(page, 'What is the capital of Japan?');
    await expect(page.getByTestId('message-assistant').last()).toContainText('Tokyo');
    await keepScreenshot(page, 'demo-chat');
  });

  await test.step('deleted, it comes back by a button only', async () => {
    await page.getByTestId('model-delete').click();
    await page.getByTestId('confirm').click();
    await expect(page.getByTestId('model-item')).toHaveCount(0);
    await page.reload();
    await page.getByTestId('new-chat').click();
    await expect(page.getByTestId('welcome-first')).toBeVisible();
    await expect(page.getByTestId('progress')).toHaveCount(0);
    await page.getByTestId('starter-load').click();
    // It was opened to its end above, in many seconds.
    await expect(page.getByTestId('model-item')).toHaveAttribute('data-state', 'ready', SLOWLY);
    await expect(page.getByTestId('progress')).toContainText('Opening');
    await expect(page.getByTestId('error')).toHaveCount(0);
  });
});

test('without its file one sentence says so, and models can be dropped', async ({ page }) => {
  await page.route('**/models/hotset-demo.gguf', (route) => route.abort());
  await page.goto(SITE_URL);
  await expect(page.getByTestId('error').locator('p')).toHaveText([/^Hotset demo can't be downloaded \(.+\)\.$/, /drop a model of your own/]);
  await expect(page.getByTestId('welcome-first')).toContainText('Drop a model anywhere');
});
