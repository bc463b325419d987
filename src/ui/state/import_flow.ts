import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { DroppedFile, ImportPreview, ModelSummary } from '../../hosts/api.ts';
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import { defaultChoice, hasChoice } from './import_fit.ts';
import type { LibraryState } from './library.ts';

/**
 * The way of dropped files into the library: previewed, asked about where there is something to choose, imported. The
 * first and the last step are tasks; between them the import is pending.
 */
export interface ImportFlow {
  /** A model that was read and waits for how to store it; null while none does. */
  readonly pending: ReadonlySignal<ImportPreview | null>;
  /** How to store it. */
  readonly selected: Signal<ExpertConversion>;
  /** Resolves with the model in the library; with null where that failed (a notice says why) or was cancelled. */
  run(files: readonly DroppedFile[]): Promise<ModelSummary | null>;
  /** Imports the pending model as selected. */
  confirm(): void;
  cancel(): void;
}

export function createImportFlow(library: Pick<LibraryState, 'preview' | 'importFiles'>): ImportFlow {
  const pending = signal<ImportPreview | null>(null);
  const selected = signal<ExpertConversion>('keep');
  let answer: (conversion: ExpertConversion | null) => void = () => undefined;
  const settle = (conversion: ExpertConversion | null): void => {
    pending.value = null;
    answer(conversion);
  };
  const ask = (preview: ImportPreview): Promise<ExpertConversion | null> => new Promise((done) => {
    answer = done;
    batch(() => {
      pending.value = preview;
      selected.value = defaultChoice(preview);
    });
  });

  return {
    pending,
    selected,
    async run(files) {
      // Another drop takes the place of one that waits for its answer.
      settle(null);
      const preview = await library.preview(files);
      if (preview === null) return null;
      const conversion = hasChoice(preview) ? await ask(preview) : 'keep';
      return conversion === null ? null : library.importFiles(files, conversion);
    },
    confirm: () => settle(selected.peek()),
    cancel: () => settle(null),
  };
}
