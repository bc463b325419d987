/** The page by itself, on a scripted host: looks, keyboard, roles, and states that a real model can't be made to reach. */
import { SCRIPTED_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { chat, confirmImport, expectOpen, send, setNumber } from './support/page_steps.ts';

test.use({ webgpu: false });

test.describe('wide', () => {
  test.use({ viewport: { width: 1360, height: 860 }, colorScheme: 'light' });

  test('answers are sanitised markdown with copyable code and safe links', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await chat(page, 'How does a mixture of experts work?');
    const answer = page.getByTestId('markdown');
    await expect(answer.getByRole('heading', { name: 'What happens in one layer' })).toBeVisible();
    await expect(answer.getByRole('table')).toBeVisible();
    const link = answer.getByRole('link', { name: 'the paper' });
    await expect(link).toHaveAttribute('target', '_blank');
    await expect(link).toHaveAttribute('rel', /noopener/);
    expect(await answer.locator('script, img').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await expect(answer.getByRole('button', { name: 'Copy code' })).toHaveText('Copied');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^def moe\(/);
    await expect(page.getByTestId('answer-stats')).toContainText('47.3 tok/s · first token 118 ms');
    await keepScreenshot(page, 'light');
    await page.getByTestId('settings-toggle').click();
    await keepScreenshot(page, 'light-settings');
  });

  test('dark follows the system, the toggle overrides it and is kept', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${SCRIPTED_URL}?chatml`);
    const root = page.locator('html');
    await expect(root).toHaveAttribute('data-theme', 'dark');
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await expect(page.getByTestId('chatml-note')).toContainText('ChatML');
    await chat(page, 'How does a mixture of experts work?');
    await keepScreenshot(page, 'dark');
    await page.getByTestId('theme-toggle').click();
    await expect(root).toHaveAttribute('data-theme', 'light');
    await page.reload();
    await expect(root).toHaveAttribute('data-theme', 'light');
  });

  test('long steps show bytes, rate and remaining time, and can be cancelled', async ({ page }) => {
    await page.goto(`${SCRIPTED_URL}?slow`);
    await page.getByTestId('model-open').first().click();
    const detail = page.getByTestId('progress-detail');
    await expect(detail).toHaveText(/Uploading to the GPU · .+ of 18\.6 GB · .+\/s · .+ left/);
    await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', /\d+/);
    await keepScreenshot(page, 'progress');
    await page.getByTestId('progress-cancel').click();
    await expect(page.getByTestId('progress')).toHaveCount(0);
    await expect(page.getByTestId('error')).toHaveCount(0);

    await page.getByTestId('import-files').setInputFiles({ name: 'model.gguf', mimeType: '', buffer: Buffer.from('GGUF') });
    await confirmImport(page, 'w3');
    await expect(detail).toContainText('Importing');
    await page.getByTestId('progress-pause').click();
    await expect(page.getByTestId('info')).toContainText('Drop the same files again');
  });

  test('a lost device says so and offers to open the model again', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await send(page, 'please lose the device');
    await expect(page.getByRole('alert')).toContainText('The GPU was lost');
    await page.getByRole('button', { name: 'Open the model again' }).click();
    await expectOpen(page);
    await expect(page.getByTestId('message-user')).toHaveText(['please lose the device']);
  });

  test('keyboard: Enter sends, Shift+Enter breaks the line, Escape stops; finished answers are announced', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('short');
    await box.press('Shift+Enter');
    await box.pressSequentially('two lines');
    await expect(box).toHaveValue('short\ntwo lines');
    await box.press('Enter');
    await expect(page.getByTestId('answer-stats')).toHaveCount(1);
    await expect(page.getByTestId('announcer')).toContainText('You said: short');

    await send(page, 'an endless answer');
    await expect(page.getByTestId('message-assistant').last()).toHaveAttribute('aria-busy', 'true');
    await expect(page.getByTestId('message-assistant').last()).toContainText('router');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('answer-stats').last()).toHaveAttribute('data-stop-reason', 'stopped');
    await expect(page.getByTestId('message-assistant').last()).toHaveAttribute('aria-busy', 'false');
  });

  test('keyboard: the focus is in the message box after its place has gone', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    const box = page.getByRole('textbox', { name: 'Message' });
    await page.getByTestId('model-open').first().press('Enter');
    await expect(box).toBeFocused();
    await expectOpen(page);
    await send(page, 'an endless answer');
    await page.getByTestId('stop').press('Enter');
    await expect(box).toBeFocused();
    // Keys don't wait for a button to be enabled, as clicks do.
    await expect(page.getByTestId('regenerate')).toBeEnabled();
    await page.getByTestId('regenerate').press('Enter');
    await expect(box).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('edit-message')).toBeEnabled();
    await page.getByTestId('edit-message').press('Enter');
    await page.getByTestId('edit-input').press('Escape');
    await expect(box).toBeFocused();
    await page.getByTestId('delete-chat').press('Enter');
    // A key pressed before the dialog is there would go to the button below it.
    await expect(page.getByTestId('confirm')).toBeVisible();
    await page.getByTestId('confirm').press('Enter');
    await expect(page.getByTestId('chat-item')).toHaveCount(0);
    await expect(box).toBeFocused();
  });

  test('an answer that no parser can nest is shown as it is', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await chat(page, 'loop');
    expect(await page.getByTestId('markdown').textContent()).toBe('>'.repeat(5000));
    await chat(page, 'short');
  });

  test('a page that ended while it opened a model does not open it again by itself', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await page.goto(`${SCRIPTED_URL}?slow`);
    await expect(page.getByTestId('progress')).toContainText('Opening Qwen3 30B A3B Instruct');
    await page.goto(SCRIPTED_URL);
    await expect(page.getByTestId('info')).toContainText('was not opened again by itself');
    await page.getByRole('button', { name: 'Open it' }).click();
    await expectOpen(page);
  });

  test('settings are kept, bounded, and a longer context asks to open the model again', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await setNumber(page, 'temperature', '9');
    await expect(page.getByTestId('setting-temperature')).toHaveValue('2');
    await page.getByTestId('system-prompt').fill('Answer in rhyme.');
    await setNumber(page, 'contextLength', '8192');
    await page.getByTestId('reopen').click();
    await expect(page.getByTestId('context-meter')).toHaveAttribute('aria-valuemax', '8192');
    await page.reload();
    await page.getByTestId('settings-toggle').press('Enter');
    await expect(page.getByRole('button', { name: 'Close settings' })).toBeFocused();
    await expect(page.getByTestId('system-prompt')).toHaveValue('Answer in rhyme.');
    await expect(page.getByTestId('setting-temperature')).toHaveValue('2');
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('settings-toggle')).toBeFocused();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByTestId('settings-toggle').press('Enter');
    await expect(page.getByRole('button', { name: 'Close settings' })).toBeFocused();
  });

  test('every control has a name and the landmarks are there', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    await page.getByTestId('model-open').first().click();
    await expectOpen(page);
    await chat(page, 'short');
    await page.getByTestId('settings-toggle').click();
    for (const role of ['banner', 'main'] as const) await expect(page.getByRole(role)).toHaveCount(1);
    await expect(page.getByRole('complementary', { name: 'Chats and models' })).toBeVisible();
    await expect(page.getByRole('complementary', { name: 'Settings' })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Chats' })).toBeVisible();
    await expect(page.getByRole('meter', { name: 'Context used' })).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    for (const role of ['button', 'textbox', 'slider', 'spinbutton', 'combobox'] as const) {
      for (const control of await page.getByRole(role).all()) {
        const name = await control.evaluate((element) => {
          const labels = (element as HTMLInputElement).labels;
          return element.getAttribute('aria-label') ?? (labels?.length ? labels[0].textContent : element.textContent);
        });
        expect(name?.trim(), `${role} ${await control.evaluate((element) => element.outerHTML)}`).not.toBe('');
      }
    }
  });
});

test.describe('phone', () => {
  test.use({ viewport: { width: 375, height: 760 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'light' });

  test('fits 375 px, panels lie over the chat', async ({ page }) => {
    await page.goto(SCRIPTED_URL);
    const sidebar = page.getByRole('complementary', { name: 'Chats and models' });
    await expect(sidebar).toHaveCount(0);
    await page.getByTestId('sidebar-toggle').click();
    await expect(sidebar).toBeVisible();
    await keepScreenshot(page, 'phone-sidebar');
    await page.getByTestId('model-open').first().click();
    await expect(sidebar).toHaveCount(0);
    await expectOpen(page);
    await chat(page, 'How does a mixture of experts work?');
    await keepScreenshot(page, 'phone-chat');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.getByTestId('settings-toggle').click();
    await keepScreenshot(page, 'phone-settings');
    await page.getByRole('button', { name: 'Close panel' }).click({ position: { x: 10, y: 300 } });
    await expect(page.getByRole('complementary', { name: 'Settings' })).toHaveCount(0);
  });
});
