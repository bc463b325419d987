import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { DroppedFile, EnvironmentInfo, HostApi, ModelSummary } from '../../hosts/api.ts';
import type { ChatStore } from './chat_store.ts';
import { createChats, type ChatsState } from './chats.ts';
import { createConversation, type ConversationState } from './conversation.ts';
import { declineDemo, demoToOpen, isOf } from './first_visit.ts';
import { createImportFlow, type ImportFlow } from './import_flow.ts';
import { createLayout, type LayoutState } from './layout.ts';
import { createLibrary, type LibraryState } from './library.ts';
import { createNotices, sentenceOf, type Notice, type NoticeState } from './notices.ts';
import type { PreferenceStore } from './preferences.ts';
import { createProfile, type ProfileState } from './profile.ts';
import { createReportView, type ReportView } from './report_view.ts';
import { createQuality, fetchSampleText, type QualityState } from './quality.ts';
import { createSession, type SessionState } from './session.ts';
import { createSettings, type SettingsState } from './settings.ts';
import { downloadStarter, fetchStarterModels, type StarterModel } from './starter.ts';
import type { TabChannel } from './tab_news.ts';
import { createTasks, type TaskState } from './tasks.ts';

/** A question that must be answered before something is lost. */
export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly run: () => void;
}

/** Everything the page knows; components get it through context. */
export interface AppState {
  readonly environment: ReadonlySignal<EnvironmentInfo | null>;
  readonly starters: ReadonlySignal<readonly StarterModel[]>;
  /** The site's model that is open or on its way, with its examples; null for a model of one's own. */
  readonly starter: ReadonlySignal<StarterModel | null>;
  /** True while a model is on its way: downloaded, imported or opened. */
  readonly modelComing: ReadonlySignal<boolean>;
  /** False until chats and library are read. */
  readonly ready: ReadonlySignal<boolean>;
  readonly confirmation: Signal<Confirmation | null>;
  readonly settings: SettingsState;
  readonly layout: LayoutState;
  readonly notices: NoticeState;
  readonly tasks: TaskState;
  readonly chats: ChatsState;
  readonly library: LibraryState;
  readonly importFlow: ImportFlow;
  readonly reportView: ReportView;
  readonly session: SessionState;
  readonly conversation: ConversationState;
  readonly quality: QualityState;
  readonly profile: ProfileState;
  /** Imports and opens what was dropped or picked; asks first how to store its experts. */
  addFiles(files: readonly DroppedFile[]): Promise<void>;
  addStarter(model: StarterModel): Promise<void>;
  deleteModel(model: ModelSummary): void;
  deleteChat(id: string, title: string): void;
  start(): Promise<void>;
}

export interface AppServices {
  readonly host: HostApi;
  readonly chatStore: ChatStore;
  readonly preferences: PreferenceStore;
  readonly tabs: TabChannel;
  readonly window: Window & typeof globalThis;
  /** Where the site's files are, ending in '/'. */
  readonly base: string;
  readonly download: (name: string, blob: Blob) => Promise<void>;
}

export function createAppState({ host, chatStore, preferences, tabs, window, base, download }: AppServices): AppState {
  const environment = signal<EnvironmentInfo | null>(null);
  const starters = signal<readonly StarterModel[]>([]);
  const ready = signal(false);
  const confirmation = signal<Confirmation | null>(null);
  const notices = createNotices();
  const tasks = createTasks(() => window.performance.now());
  const settings = createSettings(preferences);
  const layout = createLayout(window, settings);
  const chats = createChats(chatStore, preferences, notices, (id) => tabs.tell({ kind: 'chat', id }));

  const refreshEnvironment = async (): Promise<void> => {
    try {
      environment.value = await host.environment();
    } catch (error) {
      notices.show({ kind: 'error', text: sentenceOf(error), hint: 'Reload the page.' });
    }
  };
  const library = createLibrary({
    host, notices, tasks, download,
    onRefreshed: () => void refreshEnvironment(),
    onChanged: () => tabs.tell({ kind: 'models' }),
  });
  const importFlow = createImportFlow(library);
  const reportView = createReportView({ host, notices, download });
  /** A way on from a damaged copy; the notice that offers it is shown long after all here is made. */
  const repair = (id: string): Notice['action'] => {
    const model = library.models.peek().find((entry) => entry.id === id);
    if (model === undefined) return null;
    const site = starters.peek().find((entry) => isOf(model, entry));
    if (site === undefined) return { label: 'Delete the damaged copy', run: () => deleteModel(model) };
    return {
      label: 'Download it again',
      run: async () => {
        notices.clear();
        if (session.model.peek()?.id === id) await session.close();
        await library.remove(model);
        await loadStarter(site);
      },
    };
  };
  const session = createSession({ host, notices, tasks, settings, preferences, library, repair });
  // Steps of bringing a model follow each other with gaps; a count spans them.
  const bringing = signal(0);
  const bring = async (work: () => Promise<void>): Promise<void> => {
    bringing.value++;
    try {
      await work();
    } finally {
      bringing.value--;
    }
  };
  const modelComing = computed(() => bringing.value > 0 || session.openingId.value !== null);
  const starterComing = signal<StarterModel | null>(null);
  const starter = computed(() => {
    const id = session.model.value?.id ?? session.openingId.value;
    if (id === null) return starterComing.value;
    const model = library.models.value.find((entry) => entry.id === id);
    return starters.value.find((entry) => model !== undefined && isOf(model, entry)) ?? null;
  });
  const randomSeed = (): number => window.crypto.getRandomValues(new Uint32Array(1))[0];
  const conversation = createConversation({ host, chats, settings, session, modelComing, notices, repair, randomSeed });
  const quality = createQuality({
    host, session, conversation, fetchSample: () => fetchSampleText(base, window.fetch.bind(window)),
  });

  const profile = createProfile({ host, notices, open: layout.profileOpen, download });

  tabs.listen((news) => {
    if (news.kind === 'models') void library.refresh();
    // The answer that is written here is newer than what is stored of it.
    else if (conversation.live.peek()?.chatId !== news.id) void chats.refresh(news.id);
  });

  effect(() => {
    const title = chats.current.value?.title;
    window.document.title = title === undefined ? 'Hotset' : `${title} · Hotset`;
  });

  /** The demo model's coming, where the page has begun it by itself. */
  let ownDemo: Promise<void> | null = null;

  const addFiles = async (files: readonly DroppedFile[]): Promise<void> => {
    notices.clear();
    if (files.length === 0) {
      notices.show({ kind: 'error', text: 'There was no file in what you dropped.', hint: 'Drop a .gguf file or a folder with safetensors files.' });
      return;
    }
    // One's own model goes before the page's.
    if (ownDemo !== null) {
      tasks.current.peek()?.actions.find(({ label }) => label === 'Cancel')?.run();
      await ownDemo;
    }
    await bring(async () => {
      const model = await importFlow.run(files);
      if (model !== null) await session.open(model);
    });
  };

  const loadStarter = (model: StarterModel): Promise<void> => bring(async () => {
    starterComing.value = model;
    const abort = new AbortController();
    const cancel = { label: 'Cancel', hint: 'Stop downloading', run: () => abort.abort() };
    try {
      const file = await tasks.run(`Downloading ${model.title}`, [cancel], (report) =>
        downloadStarter(base, model, window.fetch.bind(window), report, abort.signal));
      // As it is: the site chose its formats.
      const imported = await library.importFiles([file], 'keep');
      if (imported === null) declineDemo(preferences);
      else await session.open(imported);
    } catch (error) {
      if (abort.signal.aborted) declineDemo(preferences);
      else notices.show({ kind: 'error', text: sentenceOf(error), hint: 'Try again later, or drop a model of your own anywhere on this page.' });
    } finally {
      starterComing.value = null;
    }
  });

  const deleteModel = (model: ModelSummary): void => {
    const partial = model.state === 'partial';
    confirmation.value = {
      title: partial ? `Discard the import of ${model.name}?` : `Delete ${model.name}?`,
      text: 'It is removed from this browser. Your own file stays where it is, and chats are kept.',
      confirmLabel: partial ? 'Discard' : 'Delete',
      run: async () => {
        notices.clear();
        if (starters.peek().some((entry) => isOf(model, entry))) declineDemo(preferences);
        if (session.model.peek()?.id === model.id) await session.close();
        await library.remove(model);
      },
    };
  };

  return {
    environment, starters, starter, modelComing, ready, confirmation, settings, layout, notices, tasks, chats, library, importFlow, reportView,
    session, conversation, quality, profile,
    addFiles,
    addStarter(model) {
      notices.clear();
      return loadStarter(model);
    },
    deleteModel,
    deleteChat(id, title) {
      confirmation.value = {
        title: 'Delete this chat?',
        text: `“${title}” is removed from this browser.`,
        confirmLabel: 'Delete',
        run: () => chats.remove(id),
      };
    },
    async start() {
      const [models] = await Promise.all([
        fetchStarterModels(base, window.fetch.bind(window)), chats.load(), library.refresh(),
      ]);
      const demo = demoToOpen(models, library.models.peek(), preferences);
      // At once, so that the page never shows that there is no model while one is about to come.
      const opening = batch(() => {
        starters.value = models;
        ready.value = true;
        return demo === null ? bring(() => session.restore()) : loadStarter(demo);
      });
      if (demo !== null) ownDemo = opening;
      await opening;
      ownDemo = null;
    },
  };
}
