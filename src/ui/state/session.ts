import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Approximations } from '../../experts/approximations.ts';
import type { ExpertBudget, ExpertPlacement } from '../../experts/budget.ts';
import type { HostApi, ModelSummary, OpenedInfo } from '../../hosts/api.ts';
import type { LibraryState } from './library.ts';
import { sentenceOf, type Notice, type NoticeState } from './notices.ts';
import type { PreferenceStore } from './preferences.ts';
import { approximationsOf, expertBudgetOf, type SettingsState } from './settings.ts';
import type { TaskState } from './tasks.ts';

export interface OpenedModel {
  readonly id: string;
  readonly info: OpenedInfo;
  /** What was asked for, to tell when a changed setting needs a reopening. */
  readonly requested: {
    readonly contextLength: number;
    readonly backend: string;
    readonly experts: ExpertBudget;
    readonly approximations: Approximations;
  };
}

export interface SessionState {
  readonly model: ReadonlySignal<OpenedModel | null>;
  /** Which model is being opened; null while none is. */
  readonly openingId: ReadonlySignal<string | null>;
  /** Where the open model's experts are now; null without a model, or with one that has no experts on a GPU. */
  readonly placement: ReadonlySignal<ExpertPlacement | null>;
  /** True where a setting that isn't applied at once differs from what the model was opened with. */
  readonly needsReopen: ReadonlySignal<boolean>;
  /** True where all that differs is the part of the GPU that experts get: the model stays open, and the chat's cache too. */
  readonly movesExperts: ReadonlySignal<boolean>;
  open(model: Pick<ModelSummary, 'id' | 'name'>): Promise<void>;
  /** Applies changed settings: another part of the GPU for experts under the running model, others by opening it again. */
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
  /** What to offer where the stored model is damaged. */
  readonly repair: (id: string) => Notice['action'];
}

/** Whether what is stored isn't what was imported; only the name of such an error crosses threads. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && error.name === 'DamagedModelError';
}

/** Plain data, made in the same order of fields. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Which model is open, and on what. */
export function createSession(services: SessionServices): SessionState {
  const { host, notices, tasks, settings, preferences, library } = services;
  const model = signal<OpenedModel | null>(null);
  const openingId = signal<string | null>(null);
  /** What of the settings differs from what the model was opened with. */
  const difference = computed((): 'none' | 'part of the GPU' | 'more' => {
    const opened = model.value;
    if (opened === null) return 'none';
    const { contextLength, backend } = settings.values.value;
    const { requested, info } = opened;
    const clip = (length: number): number => Math.min(length, info.trainedContextLength);
    if (backend !== requested.backend || clip(contextLength) !== clip(requested.contextLength)) return 'more';
    if (info.experts === null) return 'none';
    if (!isSame(approximationsOf(settings.values.value), requested.approximations)) return 'more';
    const { gpu } = expertBudgetOf(settings.values.value);
    if (isSame(gpu, requested.experts.gpu)) return 'none';
    // Trying out how much memory there is takes an opening.
    return gpu === 'auto' ? 'more' : 'part of the GPU';
  });
  const needsReopen = computed(() => difference.value !== 'none');
  const movesExperts = computed(() => difference.value === 'part of the GPU');

  /** Since the model was opened; apart from it, so that a new budget for RAM isn't taken for a new model. */
  const placementSince = signal<ExpertPlacement | null>(null);
  const placement = computed(() => model.value && (placementSince.value ?? model.value.info.experts));
  /** Budget that the open model has now. */
  let ramByteLength: number | null = null;
  const setRam = async (wanted: number | null): Promise<void> => {
    ramByteLength = wanted;
    const opened = model.peek();
    try {
      const changed = await host.setExpertRam(wanted);
      if (model.peek() === opened) placementSince.value = changed;
    } catch (error) {
      notices.show({ kind: 'error', text: sentenceOf(error) });
    }
  };
  effect(() => {
    const wanted = expertBudgetOf(settings.values.value).ramByteLength;
    if (model.value !== null && model.value.info.experts !== null && wanted !== ramByteLength) void setRam(wanted);
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
    const requested = {
      contextLength, backend, experts: expertBudgetOf(settings.values.peek()), approximations: approximationsOf(settings.values.peek()),
    };
    try {
      await tasks.run(`Opening ${name}`, [cancel], async (report) => {
        batch(() => {
          model.value = null;
          openingId.value = id;
        });
        preferences.write('opening', id);
        const info = await host.openModel(id, requested, report);
        batch(() => {
          ramByteLength = requested.experts.ramByteLength;
          placementSince.value = null;
          model.value = { id, info, requested };
          openingId.value = null;
        });
        preferences.write('model', id);
        for (const text of [info.experts?.fallbackReason ?? null, info.approximations.ignored]) {
          if (text !== null) notices.show({ kind: 'info', text });
        }
      });
    } catch (error) {
      if (!cancelled) {
        notices.show({
          kind: 'error',
          text: sentenceOf(error),
          ...(isDamage(error) ? { action: services.repair(id) } : { hint: 'The model is still in your library. A shorter context (in the settings) takes less memory.' }),
        });
      }
    } finally {
      openingId.value = null;
      preferences.write('opening', null);
    }
  };

  /** Applies a changed part of the GPU, if nothing else has changed, without opening anything. */
  const moveExperts = async (): Promise<boolean> => {
    const opened = model.peek();
    const { gpu } = expertBudgetOf(settings.values.peek());
    if (opened === null || gpu === 'auto' || !movesExperts.peek()) return false;
    const { requested, info } = opened;
    try {
      await tasks.run(`Moving the experts of ${info.modelName}`, [], async (report) => {
        const changed = await host.setExpertGpu(gpu, report);
        if (changed === null || model.peek() !== opened) return;
        batch(() => {
          placementSince.value = null;
          model.value = { ...opened, info: { ...info, ...changed }, requested: { ...requested, experts: { ...requested.experts, gpu } } };
        });
        if (changed.approximations.ignored !== null) notices.show({ kind: 'info', text: changed.approximations.ignored });
      });
    } catch (error) {
      notices.show({ kind: 'error', text: sentenceOf(error), hint: 'The experts are where they were.' });
    }
    return true;
  };

  const openById = async (id: unknown): Promise<void> => {
    const summary = library.models.peek().find((entry) => entry.id === id && entry.state === 'ready');
    if (summary !== undefined) await open(summary);
  };

  void host.watch((news) => {
    if (news.kind !== 'device-lost') return;
    const { sentence } = news;
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
    placement,
    needsReopen,
    movesExperts,
    open,
    reopen: async () => {
      if (!await moveExperts()) await openById(model.peek()?.id);
    },
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
