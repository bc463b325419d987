import { describe, expect, it } from 'vitest';
import type { BackendInfo } from '../../../src/compute/ops.ts';
import type { DroppedFile, HostApi, ImportChoice, ImportPreview, ModelSummary } from '../../../src/hosts/api.ts';
import type { ExpertConversion } from '../../../src/storage/conversion_report.ts';
import { blockOf, defaultChoice, fitNotes, fitOf, hasChoice } from '../../../src/ui/state/import_fit.ts';
import { createImportFlow } from '../../../src/ui/state/import_flow.ts';
import { createLibrary } from '../../../src/ui/state/library.ts';
import { createNotices } from '../../../src/ui/state/notices.ts';
import { createTasks } from '../../../src/ui/state/tasks.ts';

const GB = 1e9;
const WEBGPU: BackendInfo = { kind: 'webgpu', label: 'WebGPU', adapter: '', features: [], fallbackReason: null };
const REFERENCE: BackendInfo = { ...WEBGPU, kind: 'reference' };

/** 16 GB as it is, 3 GB in 2 bits, 7 with the FP4 tier, 4 in 3 bits; the tier isn't uploaded. */
const CHOICES = ([['keep', 16, 16, 16], ['w2', 2.25, 3, 3], ['w2+fp4', 2.25, 7, 3], ['w3', 3.25, 4, 4]] as const)
  .map(([conversion, expertBitsPerWeight, storageGb, gpuGb]): ImportChoice => ({
    conversion, refusal: null, present: null, expertBitsPerWeight, expertByteLength: storageGb * GB,
    storageByteLength: storageGb * GB, gpuByteLength: gpuGb * GB,
  }));

interface Room {
  readonly storageGb?: number | null;
  readonly gpuGb?: number | null;
  readonly change?: Partial<Record<ExpertConversion, Partial<ImportChoice>>>;
}

function preview({ storageGb = 100, gpuGb = 100, change = {} }: Room = {}): ImportPreview {
  return {
    name: 'M', architecture: 'qwen3moe', container: 'gguf', expertFormats: ['BF16'], layerCount: 2, expertCount: 8, expertUsedCount: 2,
    choices: CHOICES.map((choice) => ({ ...choice, ...change[choice.conversion] })),
    freeStorageByteLength: storageGb === null ? null : storageGb * GB,
    gpu: { backend: gpuGb === null ? REFERENCE : WEBGPU, provenByteLength: gpuGb === null ? null : gpuGb * GB, askedByteLength: 16 * GB },
  };
}

const refused = { refusal: 'no' };

describe('which way to import is preselected', () => {
  const cases: readonly [string, Room, ExpertConversion][] = [
    ['as it is where that fits', {}, 'keep'],
    ['exactly fitting is fitting', { storageGb: 16, gpuGb: 16 }, 'keep'],
    ['most bits where the disk is small', { storageGb: 15 }, 'w3'],
    ['most bits where the GPU is small', { gpuGb: 15 }, 'w3'],
    ['of equal bits the smaller', { gpuGb: 3.5 }, 'w2'],
    ['2 bits where nothing fits', { storageGb: 1 }, 'w2'],
    ['what is possible where nothing fits', { storageGb: 1, change: { 'w2': refused, 'w2+fp4': refused } }, 'keep'],
    ['never what is refused', { gpuGb: 5, change: { 'w3': refused } }, 'w2'],
    ['unknown storage and no GPU are no reason against it', { storageGb: null, gpuGb: null }, 'keep'],
    ['what was cut off', { change: { 'w2+fp4': { present: 'partial' } } }, 'w2+fp4'],
    ['what was cut off, however full the disk is now', { storageGb: 1, change: { 'w3': { present: 'partial' } } }, 'w3'],
    ['what is there already needs no storage', { storageGb: 1, change: { 'keep': { present: 'ready' } } }, 'keep'],
  ];
  it.each(cases)('%s', (_what, room, expected) => {
    expect(defaultChoice(preview(room))).toBe(expected);
  });

  it('is only asked for a model with experts that can be converted', () => {
    expect(hasChoice(preview())).toBe(true);
    expect(hasChoice(preview({ change: { 'w2': refused, 'w2+fp4': refused } }))).toBe(true);
    expect(hasChoice(preview({ change: { 'w2': refused, 'w2+fp4': refused, 'w3': refused } }))).toBe(false);
    expect(hasChoice({ ...preview(), expertCount: 0 })).toBe(false);
  });
});

describe('what a choice needs', () => {
  const notesOf = (room: Room): string[] => {
    const shown = preview(room);
    return fitNotes(shown.choices[0], shown).map(({ kind, text }) => `${kind} ${text}`);
  };

  it('is told against what there is', () => {
    expect(notesOf({})).toEqual(['ok Storage: 16.0 GB needed, 100 GB free', 'ok GPU memory: 16.0 GB needed, at least 100 GB could be allocated']);
    expect(notesOf({ storageGb: 2, gpuGb: 8 })).toEqual([
      'warn Storage: 16.0 GB needed, only 2.0 GB free', 'warn GPU memory: only 8.0 GB of the 16.0 GB needed could be allocated',
    ]);
    expect(notesOf({ storageGb: null, gpuGb: null })).toEqual([
      'info Storage: 16.0 GB; this browser does not tell how much is free', 'info GPU memory: none, models run on the CPU here',
    ]);
    const untried: ImportPreview = { ...preview(), gpu: { ...preview().gpu, provenByteLength: null } };
    expect(fitNotes(untried.choices[0], untried)[1].text).toBe('GPU memory: 16.0 GB needed; how much there is could not be tried');
    expect(defaultChoice(untried)).toBe('keep');
    expect(notesOf({ change: { keep: { present: 'ready' } } })[0]).toBe('ok Storage: nothing more, it is in your library');
    expect(notesOf({ change: { keep: { present: 'partial' } } })[0]).toBe('info Storage: 16.0 GB, a part of it is written already');
  });

  it('blocks it where the disk is too small, never where GPU memory is not proven', () => {
    const noGpu = preview({ gpuGb: 1 });
    expect(fitOf(noGpu.choices[0], noGpu)).toEqual({ storage: 'ok', gpu: 'short' });
    expect(blockOf(noGpu.choices[0], noGpu)).toBeNull();
    const small = preview({ storageGb: 5 });
    expect(blockOf(small.choices[0], small)).toMatch(/it needs 16\.0 GB of browser storage and 5\.0 GB are free\. Choose fewer bits/);
    const full = preview({ storageGb: 1 });
    expect(blockOf(full.choices[1], full)).toMatch(/Delete a model or free disk space\.$/);
  });
});

describe('the way of dropped files', () => {
  const MODEL = { id: 'm', name: 'M', state: 'ready' } as ModelSummary;

  function page(previewImport: () => Promise<ImportPreview>) {
    const notices = createNotices();
    const imported: ExpertConversion[] = [];
    const host = {
      previewImport,
      importFiles: async (_files: readonly DroppedFile[], conversion: ExpertConversion) => {
        imported.push(conversion);
        return MODEL;
      },
      listModels: async () => [],
    } as unknown as HostApi;
    const library = createLibrary({
      host, notices, tasks: createTasks(() => 0), download: async () => undefined, onRefreshed: () => undefined, onChanged: () => undefined,
    });
    return { flow: createImportFlow(library), imported, notices };
  }
  const asked = async (flow: ReturnType<typeof createImportFlow>): Promise<void> => expect.poll(() => flow.pending.value).not.toBeNull();

  it('asks, and imports as selected', async () => {
    const { flow, imported } = page(async () => preview({ gpuGb: 15 }));
    const running = flow.run([]);
    await asked(flow);
    expect(flow.selected.value).toBe('w3');
    expect(imported).toEqual([]);
    flow.selected.value = 'w2';
    flow.confirm();
    expect(flow.pending.value).toBeNull();
    expect(await running).toBe(MODEL);
    expect(imported).toEqual(['w2']);
  });

  it('imports at once where there is nothing to choose', async () => {
    const { flow, imported } = page(async () => ({ ...preview(), expertCount: 0 }));
    expect(await flow.run([])).toBe(MODEL);
    expect(imported).toEqual(['keep']);
  });

  it('ends where it is cancelled, and where another drop takes its place', async () => {
    const { flow, imported } = page(async () => preview());
    const cancelled = flow.run([]);
    await asked(flow);
    flow.cancel();
    expect(await cancelled).toBeNull();
    const replaced = flow.run([]);
    await asked(flow);
    const last = flow.run([]);
    expect(await replaced).toBeNull();
    await asked(flow);
    flow.confirm();
    expect(await last).toBe(MODEL);
    expect(imported).toEqual(['keep']);
  });

  it('says why files can’t be read, as for an import', async () => {
    const { flow, imported, notices } = page(async () => {
      throw new Error('a.gguf is cut off');
    });
    expect(await flow.run([])).toBeNull();
    expect(notices.list.value).toMatchObject([{ kind: 'error', text: 'a.gguf is cut off.', hint: 'Your library is as it was. Try another file or folder.' }]);
    expect(imported).toEqual([]);
  });

  it('a second drop while the first is read is refused and leaves the first alone', async () => {
    let finish: (value: ImportPreview) => void = () => undefined;
    const { flow, notices } = page(() => new Promise((done) => {
      finish = done;
    }));
    const first = flow.run([]);
    expect(await flow.run([])).toBeNull();
    expect(notices.list.value[0].text).toContain('still running');
    finish(preview());
    await asked(flow);
    flow.confirm();
    expect(await first).toBe(MODEL);
  });
});
