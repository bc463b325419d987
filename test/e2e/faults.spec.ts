/** The browser's GPU process crashes in the middle of an answer, and again: nothing is stood in for. */
import { SITE_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { allowReadbacks, holdable } from './support/held_readbacks.ts';
import { QWEN3_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, send, setNumber } from './support/page_steps.ts';

// What a crash leaves behind is the browser's own.
test.use({ ownProfile: true });

/** An answer's 16 tokens take a readback each, and its prompt some before. */
const MIDDLE = 10;

test('a crash of the GPU process costs no text; after another one the page says how it gets the GPU back', async ({ context, page }) => {
  await holdable(context);
  await page.goto(SITE_URL);
  await setNumber(page, 'temperature', '0');
  await setNumber(page, 'maxTokens', '16');
  await closeSettings(page);
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  const answers = page.getByTestId('message-assistant').getByTestId('markdown');
  const browser = await context.browser()!.newBrowserCDPSession();
  const crashInTheMiddle = async (text: string, answer: number): Promise<void> => {
    await allowReadbacks(page, MIDDLE);
    await send(page, text);
    await expect(answers.nth(answer)).not.toBeEmpty();
    await browser.send('Browser.crashGpuProcess');
    await allowReadbacks(page, Infinity);
  };
  await chat(page, 'Tell me a story');
  const undisturbed = await answers.first().textContent();

  await page.getByTestId('new-chat').click();
  await crashInTheMiddle('Tell me a story', 0);
  await expect(page.getByTestId('answer-stats')).toHaveCount(1);
  await expect(answers.first()).toHaveText(undisturbed ?? '');
  await expect(page.getByTestId('info')).toContainText('The graphics device was lost');
  await expect(page.getByTestId('error')).toHaveCount(0);

  // Chromium gives a page no adapter for two minutes after a second crash, unless it is loaded again.
  await crashInTheMiddle('And another', 1);
  await expect(page.getByTestId('error')).toContainText('the browser gives this page no other one');
  await expect(page.getByTestId('error')).toContainText('Reload the page');
  await page.reload();
  await expectOpen(page);
  await expect(page.getByTestId('backend-label')).toContainText('WebGPU');
  await expect(page.getByTestId('message-user')).toHaveText(['Tell me a story', 'And another']);
  await expect(answers.first()).toHaveText(undisturbed ?? '');
  await page.getByTestId('regenerate').click();
  await expect(page.getByTestId('answer-stats')).toHaveCount(2);
  await expect(page.getByTestId('error')).toHaveCount(0);
});
