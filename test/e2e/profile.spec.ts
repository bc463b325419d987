/** The profile panel: on a scripted host for its looks, on the real one for its numbers and exports. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { SCRIPTED_URL, SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, setNumber } from './support/page_steps.ts';

async function download(page: Page, button: string): Promise<string> {
  const coming = page.waitForEvent('download');
  await page.getByTestId(button).click();
  return readFile(await (await coming).path(), 'utf8');
}

async function openScripted(page: Page, query: string): Promise<void> {
  await page.goto(`${SCRIPTED_URL}${query}`);
  await page.getByTestId('model-open').first().click();
  await expectOpen(page);
}

test.describe('wide', () => {
  test.use({ webgpu: false, viewport: { width: 1440, height: 900 }, colorScheme: 'light' });

  test('a model whose experts are fetched: shares, split, heat map, last steps; settings and profile change places', async ({ page }) => {
    await openScripted(page, '?paged');
    await page.getByTestId('settings-toggle').click();
    await page.getByTestId('profile-toggle').click();
    await expect(page.getByTestId('settings')).toBeHidden();
    await expect(page.getByTestId('profile-empty')).toContainText('Send a message');
    await chat(page, 'How does a mixture of experts work?');
    await expect(page.getByTestId('profile-zero-miss')).toHaveText(/^\d+ %$/);
    await expect(page.getByTestId('profile-found')).toContainText(/On the device 9\d\.\d %, RAM \d\.\d %, storage \d\.\d %/);
    await expect(page.getByTestId('profile-read')).toHaveText(/MB|kB/);
    await expect(page.getByTestId('profile-time')).toContainText(/GPU[\d.]+ ms.*Fetching experts[\d.]+ ms/);
    await expect(page.getByTestId('profile-pool')).toContainText('1,536 of 1,536 slots');
    await expect(page.getByTestId('profile-heat-text')).toContainText('48 layers × 128 experts. Hottest: expert');
    await expect(page.getByTestId('profile-steps').getByRole('row')).toHaveCount(9);
    await page.getByTestId('profile-heat').hover({ position: { x: 5, y: 5 } });
    await expect(page.getByTestId('profile-heat-text')).toContainText(/^Layer \d+, expert \d+: [\d,]+ tokens/);
    await page.mouse.move(200, 200);
    await keepScreenshot(page, 'profile-light');
    await page.getByTestId('theme-toggle').click();
    await keepScreenshot(page, 'profile-dark');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('profile')).toBeHidden();
  });

  test('a model whose experts are all there says so', async ({ page }) => {
    await openScripted(page, '');
    await page.getByTestId('profile-toggle').click();
    await chat(page, 'short');
    await expect(page.getByTestId('profile-resident')).toContainText('All experts are on the device');
    await expect(page.getByTestId('profile-zero-miss')).toHaveText('100 %');
    await expect(page.getByTestId('profile-found')).toHaveCount(0);
    await expect(page.getByTestId('profile-heat-text')).toContainText('Hottest');
  });
});

test.describe('phone', () => {
  test.use({ webgpu: false, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });

  test('the panel lies over the chat, reached from the settings, and nothing is cut off', async ({ page }) => {
    await page.goto(`${SCRIPTED_URL}?paged`);
    await page.getByTestId('sidebar-toggle').click();
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await page.keyboard.press('Escape');
    await page.getByTestId('settings-toggle').click();
    await page.getByTestId('profile-open').click();
    const panel = page.getByTestId('profile');
    await expect(panel).toBeVisible();
    await page.getByRole('button', { name: 'Close profile' }).click();
    await expect(panel).toBeHidden();
    // Steps are recorded while the panel is open, so the message is sent under it.
    await page.getByTestId('composer-input').fill('endless, please');
    await page.getByTestId('send').click();
    await page.getByTestId('settings-toggle').click();
    await page.getByTestId('profile-open').click();
    await expect(page.getByTestId('profile-zero-miss')).toHaveText(/%/);
    await keepScreenshot(page, 'profile-phone');
    expect(await panel.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
    await panel.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await keepScreenshot(page, 'profile-phone-end');
  });
});

test('the real host: numbers come with the tokens, and exports parse', async ({ page }) => {
  await page.goto(SITE_URL);
  await importPath(page, STARTER_GGUF);
  await expectOpen(page);
  await setNumber(page, 'maxTokens', '10');
  await closeSettings(page);
  await page.getByTestId('profile-toggle').click();
  await page.getByTestId('profile-devtools').check();
  await chat(page, 'Hello there');
  await expect(page.getByTestId('profile-token-time')).toHaveText(/^[\d.]+ ms$/);
  await expect(page.getByTestId('profile-heat-text')).toContainText('Hottest: expert');
  await expect(page.getByTestId('profile-steps')).toContainText('Token');

  const trace = JSON.parse(await download(page, 'profile-save-trace')) as { readonly traceEvents: readonly { readonly name: string; readonly ph: string }[] };
  expect(trace.traceEvents.filter(({ name, ph }) => name === 'decode step' && ph === 'X').length).toBeGreaterThan(0);
  const [header, ...lines] = (await download(page, 'profile-save-csv')).trimEnd().split('\n');
  expect(header).toMatch(/^step,isDecode,startMs,durationMs,/);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.split(',')).toHaveLength(header.split(',').length);
  expect(await page.evaluate(() => 'hotset' in window)).toBe(false);
  await keepScreenshot(page, 'profile-real');
});
