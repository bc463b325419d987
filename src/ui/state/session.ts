import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { EngineInfo } from '../../engine/types.ts';
import type { HostApi, ModelSummary } from '../../hosts/api.ts';
import type { LibraryState } from './library.ts';
import { sentenceOf, type NoticeState } from './notices.ts';
import type { PreferenceStore } from './preferences.ts';
import type { SettingsState } from './settings.ts';
import type { TaskState } from './tasks.ts';

export interface OpenedModel {
  readonly id: string;
  readonly info: EngineInfo;
  /** What was asked for, to tell when a changed setting needs a reopening. */
  readonly requested: { readonly contextLength: number; readonly backend: string };
}

export interface SessionState {
  readonly model: ReadonlySignal<OpenedModel | null>;
  /** Which model is being opened; null while none is. */
  readonly openingId: ReadonlySignal<string | null>;
  /** True where the context length or back end setting differs from what the model was opened with. */
  readonly needsReopen: ReadonlySignal<boolean>;
  open(model: Pick<ModelSummary, 'id' | 'name'>): Promise<void>;
  reopen(): Promise<void>;
  close(): Promise<void>;
  /** Opens what was open before the reload, unless that opening is what ended the page. */
  restore(): Promise<void>;
}

export interface SessionServices {
  readonly host: HostApi;
  readonly notices: NoticeState;
  readonly tasks: TaskState;
  readonly settings: SettingsState;
  readonly preferences: PreferenceStore;
  readonly library: LibraryState;
}

/** Which model is open, and on what. */
export function createSession(services: SessionServices): SessionState {
  const { host, notices, tasks, settings, preferences, library } = services;
  const model = signal<OpenedModel | null>(null);
  const openingId = signal<string | null>(null);
  const needsReopen = computed(() => {
    const opened = model.value;
    if (opened === null) return false;
    const { contextLength, backend } = settings.values.value;
    const clip = (length: number): number => Math.min(length, opened.info.trainedContextLength);
    return backend !== opened.requested.backend || clip(contextLength) !== clip(opened.requested.contextLength);
  });

  const open = async ({ id, name }: Pick<ModelSummary, 'id' | 'name'>): Promise<void> => {
    let cancelled = false;
    const cancel = {
      label: 'Cancel',
      hint: 'Stop opening this model',
      run: () => {
        cancelled = true;
        void host.closeModel();
      },
    };
    const { contextLength, backend } = settings.values.peek();
    const requested = { contextLength, backend };
    try {
      await tasks.run(`Opening ${name}`, [cancel], async (report) => {
        batch(() => {
          model.value = null;
          openingId.value = id;
        });
        preferences.write('opening', id);
        const info = await host.openModel(id, requested, report);
        batch(() => {
          model.value = { id, info, requested };
          openingId.value = null;
        });
        preferences.write('model', id);
      });
    } catch (error) {
      if (!cancelled) {
        notices.show({
          kind: 'error',
          text: sentenceOf(error),
          hint: 'The model is still in your library. A shorter context (in the settings) takes less memory.',
        });
      }
    } finally {
      openingId.value = null;
      preferences.write('opening', null);
    }
  };

  const openById = async (id: unknown): Promise<void> => {
    const summary = library.models.peek().find((entry) => entry.id === id && entry.state === 'ready');
    if (summary !== undefined) await open(summary);
  };

  void host.watchDevice((sentence) => {
    const lost = model.peek();
    model.value = null;
    notices.show({
      kind: 'error',
      text: sentence,
      hint: 'The chat is kept.',
      action: { label: 'Open the model again', run: () => void openById(lost?.id ?? preferences.read('model')) },
    });
  });

  return {
    model,
    openingId,
    needsReopen,
    open,
    reopen: () => openById(model.peek()?.id),
    async close() {
      model.value = null;
      preferences.write('model', null);
      await host.closeModel();
    },
    async restore() {
      const id = preferences.read('model');
      if (typeof id !== 'string') return;
      if (preferences.read('opening') === id) {
        preferences.write('opening', null);
        notices.show({
          kind: 'info',
          text: 'The page ended last time while it opened a model, so it was not opened again by itself.',
          action: { label: 'Open it', run: () => void openById(id) },
        });
        return;
      }
      await openById(id);
    },
  };
}
