import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { DroppedFile, EnvironmentInfo, HostApi, ModelSummary } from '../../hosts/api.ts';
import type { ChatStore } from './chat_store.ts';
import { createChats, type ChatsState } from './chats.ts';
import { createConversation, type ConversationState } from './conversation.ts';
import { createLayout, type LayoutState } from './layout.ts';
import { createLibrary, type LibraryState } from './library.ts';
import { createNotices, sentenceOf, type NoticeState } from './notices.ts';
import type { PreferenceStore } from './preferences.ts';
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
  /** False until chats and library are read. */
  readonly ready: ReadonlySignal<boolean>;
  readonly confirmation: Signal<Confirmation | null>;
  readonly settings: SettingsState;
  readonly layout: LayoutState;
  readonly notices: NoticeState;
  readonly tasks: TaskState;
  readonly chats: ChatsState;
  readonly library: LibraryState;
  readonly session: SessionState;
  readonly conversation: ConversationState;
  /** Imports and opens what was dropped or picked. */
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
  const session = createSession({ host, notices, tasks, settings, preferences, library });
  const randomSeed = (): number => window.crypto.getRandomValues(new Uint32Array(1))[0];
  const conversation = createConversation({ host, chats, settings, session, notices, randomSeed });

  tabs.listen((news) => {
    if (news.kind === 'models') void library.refresh();
    // The answer that is written here is newer than what is stored of it.
    else if (conversation.live.peek()?.chatId !== news.id) void chats.refresh(news.id);
  });

  effect(() => {
    const title = chats.current.value?.title;
    window.document.title = title === undefined ? 'Hotset' : `${title} · Hotset`;
  });

  const addFiles = async (files: readonly DroppedFile[]): Promise<void> => {
    notices.clear();
    if (files.length === 0) {
      notices.show({ kind: 'error', text: 'There was no file in what you dropped.', hint: 'Drop a .gguf file or a folder with safetensors files.' });
      return;
    }
    const model = await library.importFiles(files);
    if (model !== null) await session.open(model);
  };

  const deleteModel = (model: ModelSummary): void => {
    const partial = model.state === 'partial';
    confirmation.value = {
      title: partial ? `Discard the import of ${model.name}?` : `Delete ${model.name}?`,
      text: 'It is removed from this browser. Your own file stays where it is, and chats are kept.',
      confirmLabel: partial ? 'Discard' : 'Delete',
      run: async () => {
        notices.clear();
        if (session.model.peek()?.id === model.id) await session.close();
        await library.remove(model);
      },
    };
  };

  return {
    environment, starters, ready, confirmation, settings, layout, notices, tasks, chats, library, session, conversation,
    addFiles,
    deleteModel,
    async addStarter(model) {
      notices.clear();
      const abort = new AbortController();
      const cancel = { label: 'Cancel', hint: 'Stop downloading', run: () => abort.abort() };
      try {
        const file = await tasks.run(`Downloading ${model.title}`, [cancel], (report) =>
          downloadStarter(base, model, window.fetch.bind(window), report, abort.signal));
        await addFiles([file]);
      } catch (error) {
        if (!abort.signal.aborted) notices.show({ kind: 'error', text: sentenceOf(error) });
      }
    },
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
      starters.value = models;
      ready.value = true;
      await session.restore();
    },
  };
}
