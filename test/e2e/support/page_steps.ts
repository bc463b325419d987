/** What people do on the page, in the words of the tests. */
import { resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from './browser.ts';

/** Writes a message, sends it with Enter and waits until the answer is finished. */
export async function chat(page: Page, text: string): Promise<void> {
  const answers = await page.getByTestId('answer-stats').count();
  await send(page, text);
  await expect(page.getByTestId('answer-stats')).toHaveCount(answers + 1);
}

/** Writes a message and sends it with Enter. */
export async function send(page: Page, text: string): Promise<void> {
  const box = page.getByTestId('composer-input');
  await box.fill(text);
  await expect(page.getByTestId('send')).toBeEnabled();
  await box.press('Enter');
}

export async function setNumber(page: Page, setting: string, value: string): Promise<void> {
  const settings = page.getByTestId('settings-toggle');
  if ((await settings.getAttribute('aria-expanded')) === 'false') await settings.click();
  const field = page.getByTestId(`setting-${setting}`);
  await field.fill(value);
  await field.press('Tab');
}

export async function closeSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Close settings' }).click();
}

/** Waits until a model is open, by what the header says. */
export async function expectOpen(page: Page): Promise<void> {
  await expect(page.getByTestId('context-meter')).toBeVisible();
  await expect(page.getByTestId('progress')).toHaveCount(0);
}

/** Picks a model file, or a folder, of this machine and imports it as it is. */
export async function importPath(page: Page, path: string, picker: 'import-files' | 'import-folder' = 'import-files'): Promise<void> {
  await page.getByTestId(picker).setInputFiles(path);
  await confirmImport(page);
}

/** Answers the import dialog, which every small model here brings up: it could be converted. */
export async function confirmImport(page: Page, choice: 'keep' | 'w2' | 'w2-fp4' | 'w3' = 'keep'): Promise<void> {
  await page.getByTestId(`import-choice-${choice}`).check();
  await page.getByTestId('import-confirm').click();
  await expect(page.getByTestId('import-dialog')).toBeHidden();
}

/** Drops files or folders of this machine on the page, as the browser's own drag and drop does. */
export async function dropPaths(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const at = { x: 400, y: 300 };
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
  await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...at, data });
  await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...at, data });
  await expect(page.getByTestId('drop-overlay')).toBeVisible();
  await session.send('Input.dispatchDragEvent', { type: 'drop', ...at, data });
  await expect(page.getByTestId('drop-overlay')).toHaveCount(0);
  await session.detach();
}

/** Drops one file that only exists in memory: a DataTransfer made by a script, which has no file system entry. */
export async function dropSynthetic(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(async ([fileName, base64]) => {
    const content = await (await fetch(`data:application/octet-stream;base64,${base64}`)).arrayBuffer();
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], fileName));
    for (const type of ['dragenter', 'dragover', 'drop']) {
      window.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    }
  }, [name, bytes.toString('base64')] as const);
}
