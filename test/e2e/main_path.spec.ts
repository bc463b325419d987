/** From the first model to the last one deleted, on WebGPU (SwiftShader), without a mock in between. */
import { SITE_URL } from './support/addresses.ts';
import { expect, keepScreenshot, test } from './support/browser.ts';
import { STARTER_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, send, setNumber } from './support/page_steps.ts';

test.use({ ownProfile: true });

test('one model: import, chat, stop, reload, edit, regenerate, delete', async ({ page }) => {
  await page.goto(SITE_URL);
  await expect(page.getByTestId('welcome-first')).toBeVisible();
  await expect(page.getByTestId('storage-persisted')).toContainText('Private file system');
  await keepScreenshot(page, 'no-model');

  await test.step('import a model', async () => {
    await importPath(page, STARTER_GGUF);
    await expectOpen(page);
    await expect(page.getByTestId('backend-label')).toContainText('WebGPU');
    await expect(page.getByTestId('model-item')).toHaveCount(1);
    await expect(page.getByTestId('webgpu-banner')).toContainText('software adapter');
  });

  await test.step('chat', async () => {
    await setNumber(page, 'maxTokens', '12');
    await setNumber(page, 'seed', '7');
    await closeSettings(page);
    await chat(page, 'Hello there');
    await expect(page.getByTestId('message-user')).toHaveText('Hello there');
    await expect(page.getByTestId('answer-stats')).toContainText(/first token .+ · \d+ tokens?/);
    await expect(page.getByTestId('context-meter')).toHaveAttribute('aria-valuenow', /^[1-9]/);
    await keepScreenshot(page, 'starter-chat');
  });

  await test.step('stop', async () => {
    await setNumber(page, 'maxTokens', '100000');
    await setNumber(page, 'seed', '11');
    await closeSettings(page);
    await send(page, 'Now write a very long story');
    await expect(page.getByTestId('stop')).toBeVisible();
    await expect(page.getByTestId('message-assistant').last()).not.toBeEmpty();
    await page.getByTestId('stop').click();
    const stats = page.getByTestId('answer-stats').last();
    await expect(page.getByTestId('answer-stats')).toHaveCount(2);
    await expect(stats).toHaveAttribute('data-stop-reason', 'stopped');
  });

  await test.step('reload: chats, settings and the open model are there again', async () => {
    await page.reload();
    await expectOpen(page);
    await expect(page.getByTestId('message-user')).toHaveText(['Hello there', 'Now write a very long story']);
    await page.getByTestId('settings-toggle').click();
    await expect(page.getByTestId('setting-seed')).toHaveValue('11');
    await setNumber(page, 'maxTokens', '8');
    await closeSettings(page);
    await chat(page, 'And again');
    await expect(page.getByTestId('answer-stats').last()).toHaveAttribute('data-stop-reason', /max_tokens|end/);
  });

  await test.step('regenerate with the same seed gives the same answer', async () => {
    const answer = page.getByTestId('message-assistant').last().getByTestId('markdown');
    const before = await answer.textContent();
    await page.getByTestId('regenerate').click();
    await expect(page.getByTestId('answer-stats')).toHaveCount(3);
    await expect(answer).toHaveText(before ?? '');
  });

  await test.step('edit the first message: everything after it is written again', async () => {
    await page.getByTestId('message-user').first().hover();
    await page.getByTestId('edit-message').first().click();
    await page.getByTestId('edit-input').fill('Good morning');
    await page.getByTestId('edit-save').click();
    await expect(page.getByTestId('answer-stats')).toHaveCount(1);
    await expect(page.getByTestId('message-user')).toHaveText(['Good morning']);
    await expect(page.getByTestId('chat-item')).toContainText('Good morning');
  });

  await test.step('a second chat, then both deleted', async () => {
    await page.getByTestId('new-chat').click();
    await expect(page.getByTestId('message-user')).toHaveCount(0);
    await chat(page, 'Another subject');
    await expect(page.getByTestId('chat-item')).toHaveCount(2);
    for (const left of [1, 0]) {
      await page.getByTestId('chat-item').first().hover();
      await page.getByTestId('delete-chat').first().click();
      await page.getByTestId('confirm').click();
      await expect(page.getByTestId('chat-item')).toHaveCount(left);
    }
  });

  await test.step('delete the model', async () => {
    await page.getByTestId('model-item').hover();
    await page.getByTestId('model-delete').click();
    await page.getByTestId('confirm').click();
    await expect(page.getByTestId('model-item')).toHaveCount(0);
    await page.reload();
    await expect(page.getByTestId('welcome-first')).toBeVisible();
  });
});
