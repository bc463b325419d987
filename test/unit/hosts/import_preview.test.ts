import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/compute/ops.ts';
import { createReferenceBackend } from '../../../src/compute/reference/backend.ts';
import { importDroppedFiles, readDroppedModel } from '../../../src/hosts/browser_import.ts';
import { previewModel } from '../../../src/hosts/import_preview.ts';
import { EXPERT_CONVERSIONS, type ExpertConversion } from '../../../src/storage/conversion_report.ts';
import { createInThreadConverter } from '../../../src/storage/expert_converter.ts';
import { createLibrary, type ModelLibrary } from '../../../src/storage/library.ts';
import { createMemoryStore } from '../../../src/storage/memory.ts';

async function dropped() {
  const bytes = await readFile(new URL('../../vectors/starter/starter.gguf', import.meta.url));
  return [{ path: 'starter.gguf', file: new File([bytes], 'starter.gguf') }];
}

async function importAs(library: ModelLibrary, conversion: ExpertConversion, signal = new AbortController().signal) {
  return importDroppedFiles({
    library, files: await dropped(), conversion, signal, quota: async () => ({}), onProgress: () => undefined,
    onIdentified: () => undefined, openConverter: async () => createInThreadConverter(),
  });
}

describe('the preview of an import', () => {
  it('tells exactly what each choice will store, and what is there already', async () => {
    const library = createLibrary(createMemoryStore(), () => 0);
    const stored = [];
    for (const conversion of EXPERT_CONVERSIONS) stored.push(await importAs(library, conversion));
    const preview = await previewModel(await readDroppedModel(await dropped()), {
      library, backend: createReferenceBackend(), estimate: { quota: 1000, usage: 300 },
    });
    expect(preview.choices.map(({ conversion }) => conversion)).toEqual(EXPERT_CONVERSIONS);
    expect(preview.choices.map(({ storageByteLength }) => storageByteLength)).toEqual(stored.map(({ byteLength }) => byteLength));
    expect(preview.choices.every(({ refusal, present }) => refusal === null && present === 'ready')).toBe(true);
    expect(preview.freeStorageByteLength).toBe(700);
    expect(preview.gpu).toMatchObject({ provenByteLength: null, backend: { kind: 'reference' } });
    expect(preview.choices.slice(1).map(({ expertBitsPerWeight }) => expertBitsPerWeight)).toEqual([2.25, 2.25, 3.25]);
  });

  it('asks the device for the largest choice and passes on what it proved', async () => {
    const asked: number[] = [];
    const backend: Backend = {
      ...createReferenceBackend(),
      async proveMemory(byteLength) {
        asked.push(byteLength);
        return { askedByteLength: 100, provenByteLength: 60 };
      },
    };
    const preview = await previewModel(await readDroppedModel(await dropped()), {
      library: createLibrary(createMemoryStore(), () => 0), backend, estimate: {},
    });
    expect(asked).toEqual([Math.max(...preview.choices.map(({ gpuByteLength }) => gpuByteLength))]);
    expect(preview.gpu).toMatchObject({ askedByteLength: 100, provenByteLength: 60 });
    expect(preview.freeStorageByteLength).toBeNull();
    expect(preview.choices.every(({ present }) => present === null)).toBe(true);
  });
});
