/** Each bad input shows one clear sentence and leaves the library as it was. */
import type { Page } from '@playwright/test';
import { SITE_URL } from './support/addresses.ts';
import { expect, test } from './support/browser.ts';
import { breakFolder, lyingGguf, patchedGguf, QWEN3_GGUF, safetensorsFolder, truncatedGguf } from './support/models.ts';
import { expectOpen, importPath } from './support/page_steps.ts';

interface BadFile {
  readonly what: string;
  readonly name: string;
  readonly bytes: () => Buffer;
  readonly says: RegExp;
}

const BAD_FILES: readonly BadFile[] = [
  { what: 'truncated', name: 'cut.gguf', bytes: truncatedGguf, says: /cut\.gguf/ },
  { what: 'wrong magic', name: 'letter.gguf', bytes: () => Buffer.from('Dear reader, this is no model. '.repeat(40)), says: /letter\.gguf/ },
  { what: 'lying lengths', name: 'liar.gguf', bytes: lyingGguf, says: /liar\.gguf/ },
  { what: 'unknown architecture', name: 'odd.gguf', bytes: () => patchedGguf('qwen3moe', 'qwen9moe', 'general.architecture'), says: /qwen9moe.*supported/ },
  { what: 'missing tensor', name: 'torn.gguf', bytes: () => patchedGguf('output_norm.weight', 'output_nose.weight'), says: /torn\.gguf.*output_no/ },
  { what: 'no model at all', name: 'notes.txt', bytes: () => Buffer.from('milk, bread'), says: /notes\.txt.*GGUF/ },
];

interface BadFolder {
  readonly what: string;
  readonly file: string;
  readonly content: string | null;
  readonly says: RegExp;
}

const BAD_FOLDERS: readonly BadFolder[] = [
  { what: 'missing tokenizer', file: 'tokenizer.json', content: null, says: /tokenizer/ },
  { what: 'missing config', file: 'config.json', content: null, says: /config\.json/ },
  {
    what: 'missing shard', file: 'model.safetensors.index.json', says: /model-00002-of-00002\.safetensors/,
    content: JSON.stringify({ weight_map: { 'model.embed_tokens.weight': 'model-00002-of-00002.safetensors' } }),
  },
];

/** One error, one sentence, and the library with its one model as before. */
async function expectRefused(page: Page, says: RegExp): Promise<void> {
  const error = page.getByTestId('error');
  await expect(error).toHaveCount(1);
  const sentence = (await error.locator('p').first().textContent()) ?? '';
  expect(sentence).toMatch(says);
  expect(sentence).not.toMatch(/\n|undefined|\[object|TypeError/);
  await expect(page.getByTestId('model-item')).toHaveCount(1);
  await expect(page.getByTestId('model-item')).toHaveAttribute('data-state', 'ready');
  await expect(page.getByRole('alert')).toContainText('Your library is as it was');
  await page.getByTestId('error-dismiss').click();
  await expect(error).toHaveCount(0);
}

test('bad files and folders are refused with one sentence each', async ({ page }) => {
  await page.goto(SITE_URL);
  await importPath(page, QWEN3_GGUF);
  await expectOpen(page);
  for (const { what, name, bytes, says } of BAD_FILES) {
    await test.step(what, async () => {
      await page.getByTestId('import-files').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: bytes() });
      await expectRefused(page, says);
    });
  }
  for (const { what, file, content, says } of BAD_FOLDERS) {
    await test.step(what, async () => {
      const folder = safetensorsFolder('qwen3_moe');
      try {
        breakFolder(folder.path, file, content);
        await page.getByTestId('import-folder').setInputFiles(folder.path);
        await expectRefused(page, says);
      } finally {
        folder.remove();
      }
    });
  }
  // The model that was open before is still open and still answers.
  await expectOpen(page);
});
