/** A model of which the GPU holds half: the chat works, the settings say so, and nothing is lost when the device is. */
import { SITE_URL } from './support/addresses.ts';
import { beforeWorker, expect, keepScreenshot, orderWorkers, test } from './support/browser.ts';
import { QWEN3_GGUF, STARTER_GGUF } from './support/models.ts';
import { chat, closeSettings, confirmImport, expectOpen, importPath, send, setNumber } from './support/page_steps.ts';

/** Keeps the worker's devices, and destroys them after as many readbacks as a page orders: in the middle of an answer. */
const LOSABLE_DEVICES = `
  const devices = [];
  const requestDevice = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...request) {
    const device = await requestDevice.apply(this, request);
    devices.push(device);
    return device;
  };
  let left = Infinity;
  const mapAsync = GPUBuffer.prototype.mapAsync;
  GPUBuffer.prototype.mapAsync = function (...range) {
    left -= 1;
    if (left === 0) devices.forEach((device) => device.destroy());
    return mapAsync.apply(this, range);
  };
  const orders = new BroadcastChannel('test-devices');
  orders.onmessage = ({ data }) => { left = data; orders.postMessage('heard'); }`;

/** An answer's 24 tokens take a readback each, and its prompt some before. */
const READBACKS_LEFT = 20;

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
  await setNumber(page, 'ramExpertGigabytes', '0');
  await expect(placement).toHaveText(/^Experts: 50 % on the GPU \([\d.]+ .B\), the rest from storage$/);
  await expect(page.getByTestId('reopen')).toHaveCount(0);
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
  await orderWorkers(page, 'test-devices', READBACKS_LEFT);
  await send(page, 'Tell me a story');
  // The other device compiles every kernel anew.
  await expect(page.getByTestId('answer-stats')).toHaveCount(1, { timeout: 60_000 });
  await expect(answers.first()).toHaveText(resident ?? '');
  await expect(page.getByTestId('error')).toHaveCount(0);
  await expect(page.getByTestId('info')).toContainText('The graphics device was lost');
});

test('approximations are chosen in the settings, and the chat, its answers and the profile say what they do', async ({ page }) => {
  await page.goto(SITE_URL);
  await page.getByTestId('import-files').setInputFiles(STARTER_GGUF);
  await confirmImport(page, 'w2-fp4');
  await expectOpen(page);
  const label = page.getByTestId('approximations');
  await setNumber(page, 'temperature', '0');
  await setNumber(page, 'maxTokens', '12');
  await chat(page, 'Tell me a story');
  await expect(label).toHaveCount(0);
  await expect(page.getByTestId('answer-approximation')).toHaveCount(0);

  await page.getByTestId('setting-fp4Copies').selectOption('20%');
  await page.getByTestId('setting-unsureAgain').check();
  await setNumber(page, 'unsurePercent', '90');
  await setNumber(page, 'missTolerance', '2');
  await page.getByTestId('setting-gpuExperts').selectOption('50%');
  await page.getByTestId('reopen').click();
  await expectOpen(page);
  await expect(label).toHaveText('Approximate: FP4 copies of 20 % of experts · unsure tokens again · up to 2 experts skipped');
  await expect(page.getByTestId('expert-placement')).toContainText(/^Experts: 50 % on the GPU \([\d.]+ .B\) with [\d.]+ .B of FP4 copies,/);
  await page.getByTestId('profile-toggle').click();
  await chat(page, 'And another');
  // A model of random weights is unsure of every token.
  await expect(page.getByTestId('answer-approximation')).toHaveText(
    /^Approximate: FP4 copies of 20 % of experts \([1-9]\d* moved in\) · [1-9]\d* unsure tokens? again · [1-9]\d* experts? skipped$/);
  await expect(page.getByTestId('profile-copies')).toContainText(/^FP4 copies: [1-9]\d* of [1-9]\d*; \d+\.\d\d moved in a token/);
  await expect(page.getByTestId('profile-heat-text')).toContainText('Blue ones run from an FP4 copy.');
  await page.getByTestId('profile-heat-text').scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'approximations-profile');
  await page.getByTestId('settings-toggle').click();
  await page.getByTestId('setting-missTolerance').scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'approximations');

  await page.getByTestId('setting-backend').selectOption('reference');
  await page.getByTestId('reopen').click();
  await expectOpen(page);
  await expect(label).toHaveCount(0);
  for (const place of ['info', 'approximations-ignored']) await expect(page.getByTestId(place)).toContainText('the CPU runs all experts as they are stored');
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
