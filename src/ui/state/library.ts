import { signal, type ReadonlySignal } from '@preact/signals';
import type { DroppedFile, HostApi, ImportPreview, ModelSummary } from '../../hosts/api.ts';
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import { sentenceOf, type NoticeState } from './notices.ts';
import type { TaskState } from './tasks.ts';

export interface LibraryState {
  readonly models: ReadonlySignal<readonly ModelSummary[]>;
  refresh(): Promise<void>;
  /** Reads dropped or picked files without storing anything; resolves with null where that failed (a notice says why). */
  preview(files: readonly DroppedFile[]): Promise<ImportPreview | null>;
  /** Imports dropped or picked files as one model; resolves with null where that failed (a notice says why). */
  importFiles(files: readonly DroppedFile[], conversion: ExpertConversion): Promise<ModelSummary | null>;
  remove(model: ModelSummary): Promise<void>;
  exportModel(model: ModelSummary): Promise<void>;
}

export interface LibraryServices {
  readonly host: HostApi;
  readonly notices: NoticeState;
  readonly tasks: TaskState;
  /** Hands a blob to the browser's downloads. */
  readonly download: (name: string, blob: Blob) => Promise<void>;
  /** Called when the list was read again: more or less may be stored now. */
  readonly onRefreshed: () => void;
  /** Called when this tab has changed what is stored. */
  readonly onChanged: () => void;
}

export function createLibrary({ host, notices, tasks, download, onRefreshed, onChanged }: LibraryServices): LibraryState {
  const models = signal<readonly ModelSummary[]>([]);

  const refresh = async (): Promise<void> => {
    try {
      models.value = [...(await host.listModels())].sort((a, b) => b.importedAt - a.importedAt);
    } catch (error) {
      notices.show({ kind: 'error', text: `The model library could not be read: ${sentenceOf(error)}`, hint: 'Reload the page.' });
    }
    onRefreshed();
  };
  const changed = async (): Promise<void> => {
    onChanged();
    await refresh();
  };

  const showRefusal = (error: unknown, partialKept: boolean): void => {
    // Errors of the storage say by themselves what to do.
    const hint = error instanceof Error && ['StorageError', 'DamagedModelError'].includes(error.name) ? null : partialKept
      ? 'What was written is kept: drop the same files again to go on, or discard it in the library.'
      : 'Your library is as it was. Try another file or folder.';
    notices.show({ kind: 'error', text: sentenceOf(error), hint });
  };

  const preview = async (files: readonly DroppedFile[]): Promise<ImportPreview | null> => {
    try {
      return await tasks.run(`Reading ${nameOf(files)}`, [], () => host.previewImport(files));
    } catch (error) {
      showRefusal(error, false);
      return null;
    }
  };

  const importFiles = async (files: readonly DroppedFile[], conversion: ExpertConversion): Promise<ModelSummary | null> => {
    let cancelled: 'no' | 'paused' | 'discarded' = 'no';
    const cancel = (how: 'paused' | 'discarded') => (): void => {
      cancelled = how;
      void host.cancelImport(how === 'discarded');
    };
    const actions = [
      { label: 'Pause', hint: 'Keep what is written; drop the same files again to go on', run: cancel('paused') },
      { label: 'Cancel', hint: 'Stop and discard what is written', run: cancel('discarded') },
    ];
    const partials = (): number => models.peek().filter((model) => model.state === 'partial').length;
    const partialsBefore = partials();
    try {
      const title = `Importing ${nameOf(files)}`;
      const imported = await tasks.run(title, actions, (report) => host.importFiles(files, conversion, report));
      await changed();
      return imported;
    } catch (error) {
      await changed();
      if (cancelled === 'no') {
        showRefusal(error, partials() > partialsBefore);
      } else if (cancelled === 'paused') {
        notices.show({ kind: 'info', text: 'Import paused. Drop the same files again to go on.' });
      }
      return null;
    }
  };

  const exportModel = async (model: ModelSummary): Promise<void> => {
    try {
      const files = await tasks.run(`Exporting ${model.name}`, [], (report) => host.exportModel(model.id, report));
      for (const { name, blob } of files) await download(name, blob);
    } catch (error) {
      notices.show({ kind: 'error', text: `${model.name} could not be exported: ${sentenceOf(error)}` });
    }
  };

  const remove = async (model: ModelSummary): Promise<void> => {
    try {
      await host.deleteModel(model.id);
    } catch (error) {
      notices.show({ kind: 'error', text: `${model.name} could not be deleted: ${sentenceOf(error)}` });
    }
    await changed();
  };

  return { models, refresh, preview, importFiles, remove, exportModel };
}

/** What to call a set of dropped files: its folder, or its file. */
function nameOf(files: readonly DroppedFile[]): string {
  if (files.length === 0) return 'nothing';
  const [first] = files;
  const slash = first.path.indexOf('/');
  if (slash > 0) return first.path.slice(0, slash);
  return files.length === 1 ? first.path : `${files.length} files`;
}
