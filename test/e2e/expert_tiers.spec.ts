/** A model of which the GPU holds half: the chat works, the settings say so, and nothing is lost when the device is. */
import { SITE_URL } from './support/addresses.ts';
import { beforeWorker, expect, test } from './support/browser.ts';
import { QWEN3_GGUF } from './support/models.ts';
import { chat, closeSettings, expectOpen, importPath, send, setNumber } from './support/page_steps.ts';

/** Keeps the worker's devices, and destroys the latest when a page asks for that. */
const LOSABLE_DEVICES = `
  const devices = [];
  const requestDevice = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...request) {
    const device = await requestDevice.apply(this, request);
    devices.push(device);
    return device;
  };
  const orders = new BroadcastChannel('test-devices');
  orders.onmessage = () => devices.forEach((device) => device.destroy())`;

test('half of the experts on the GPU: chosen, shown, kept over a reload, and over a lost device', async ({ context, page }) => {
  await beforeWorker(context, LOSABLE_DEVICES);
  await page.goto(SITE_URL);
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  const answers = page.getByTestId('message-assistant').getByTestId('markdown');
  const placement = page.getByTestId('expert-placement');

  await setNumber(page, 'temperature', '0');
  await setNumber(page, 'maxTokens', '24');
  await expect(placement).toHaveText(/^Experts: all on the GPU \([\d.]+ .B\)$/);
  await closeSettings(page);
  await chat(page, 'Tell me a story');
  const resident = await answers.first().textContent();

  await page.getByTestId('settings-toggle').click();
  await page.getByTestId('setting-gpuExperts').selectOption('50%');
  await page.getByTestId('reopen').click();
  await expectOpen(page);
  await expect(placement).toHaveText(/^Experts: 50 % on the GPU \([\d.]+ .B\), all in RAM once they were used$/);
  await closeSettings(page);
  await page.getByTestId('regenerate').click();
  await expect(page.getByTestId('answer-stats')).toHaveCount(1);
  await expect(answers.first()).toHaveText(resident ?? '');

  await page.reload();
  await expectOpen(page);
  await page.getByTestId('settings-toggle').click();
  await expect(placement).toContainText('50 % on the GPU');
  await closeSettings(page);

  await page.getByTestId('new-chat').click();
  await send(page, 'Tell me a story');
  await expect(answers.first()).not.toBeEmpty();
  await page.evaluate((order) => {
    const orders = new BroadcastChannel('test-devices');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel's takes none
    orders.postMessage(order);
  }, 'lose');
  await expect(page.getByTestId('answer-stats')).toHaveCount(1);
  await expect(answers.first()).toHaveText(resident ?? '');
  await expect(page.getByTestId('error')).toHaveCount(0);
  await expect(page.getByTestId('info')).toContainText('The graphics device was lost');
});

test('a stored expert that changed is named, and the model can be imported again', async ({ page }) => {
  await page.goto(SITE_URL);
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  // Beside the page, where nothing holds the files.
  await page.goto(`${SITE_URL}manifest.webmanifest`);
  await page.evaluate(async () => {
    const models = await (await navigator.storage.getDirectory()).getDirectoryHandle('hotset-models');
    for await (const folder of models.values()) {
      const file = await (folder as FileSystemDirectoryHandle).getFileHandle('experts.pack');
      const byte = new Uint8Array(await (await file.getFile()).slice(100, 101).arrayBuffer());
      const writable = await file.createWritable({ keepExistingData: true });
      await writable.write({ type: 'write', position: 100, data: byte.map((value) => value ^ 1) });
      await writable.close();
    }
  });
  await page.goto(SITE_URL);
  const error = page.getByTestId('error');
  await expect(error).toContainText('The stored model is damaged (expert 0 of layer 0 has changed since the import)');
  await error.getByRole('button', { name: 'Delete the damaged copy' }).click();
  await page.getByTestId('confirm').click();
  await expect(page.getByTestId('model-item')).toHaveCount(0);
  await importPath(page, QWEN3_GGUF);
  await expect(page.getByTestId('model-item')).toHaveAttribute('data-state', 'ready');
  await expect(error).toHaveCount(0);
});
