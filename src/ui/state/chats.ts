import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { AnswerStats, Chat, ChatStore, ChatTurn } from './chat_store.ts';
import { sentenceOf, type NoticeState } from './notices.ts';
import type { PreferenceStore } from './preferences.ts';

export interface ChatsState {
  /** Newest first. */
  readonly list: ReadonlySignal<readonly Chat[]>;
  readonly currentId: ReadonlySignal<string | null>;
  /** null: a new chat with nothing said yet. */
  readonly current: ReadonlySignal<Chat | null>;
  load(): Promise<void>;
  select(id: string | null): void;
  remove(id: string): void;
  /** Appends a turn; with a null chat, starts one and selects it. */
  append(chatId: string | null, role: ChatTurn['role'], content: string): { chatId: string; turnId: string };
  setContent(chatId: string, turnId: string, content: string, stats: AnswerStats | null): void;
  /** Leaves so many turns at the start out of what is sent from now on. */
  omit(chatId: string, turnCount: number): void;
  /** Reads a chat again that another tab has changed or deleted. */
  refresh(id: string): Promise<void>;
  /** Drops a turn (with `inclusive`) and all after it. */
  truncate(chatId: string, turnId: string, inclusive: boolean): void;
}

const TITLE_LENGTH = 60;

/** @param onStored called with a chat's id when this tab has changed or deleted it */
export function createChats(
  store: ChatStore, preferences: PreferenceStore, notices: NoticeState, onStored: (id: string) => void,
): ChatsState {
  const list = signal<readonly Chat[]>([]);
  const currentId = signal<string | null>(null);
  const current = computed(() => list.value.find((chat) => chat.id === currentId.value) ?? null);

  const failed = (error: unknown): void =>
    notices.show({
      kind: 'error',
      text: `This chat could not be saved: ${sentenceOf(error)}`,
      hint: 'It stays here until you reload; free some disk space or leave the private window.',
    });

  const select = (id: string | null): void => {
    currentId.value = id;
    preferences.write('chat', id);
  };

  const change = (chatId: string, edit: (chat: Chat) => Chat): void => {
    const chat = list.peek().find((entry) => entry.id === chatId);
    if (chat === undefined) return;
    const next = { ...edit(chat), updatedAt: Date.now() };
    list.value = [next, ...list.peek().filter((entry) => entry.id !== chatId)];
    store.put(next).then(() => onStored(chatId), failed);
  };

  return {
    list,
    currentId,
    current,
    select,
    async load() {
      try {
        list.value = await store.load();
      } catch (error) {
        notices.show({ kind: 'error', text: `Earlier chats could not be read: ${sentenceOf(error)}` });
      }
      const last = preferences.read('chat');
      if (typeof last === 'string' && list.peek().some((chat) => chat.id === last)) currentId.value = last;
    },
    remove(id) {
      list.value = list.peek().filter((chat) => chat.id !== id);
      if (currentId.peek() === id) select(null);
      store.remove(id).then(() => onStored(id), failed);
    },
    async refresh(id) {
      const chat = await store.get(id).catch(() => null);
      const others = list.peek().filter((entry) => entry.id !== id);
      list.value = chat === null ? others : [chat, ...others].sort((a, b) => b.updatedAt - a.updatedAt);
      if (chat === null && currentId.peek() === id) currentId.value = null;
    },
    omit(chatId, turnCount) {
      change(chatId, (chat) => ({ ...chat, omittedTurns: turnCount }));
    },
    append(to, role, content) {
      const chatId = to ?? crypto.randomUUID();
      if (to === null) {
        const now = Date.now();
        list.value = [{ id: chatId, title: titleOf(content), createdAt: now, updatedAt: now, turns: [] }, ...list.peek()];
        select(chatId);
      }
      const turn: ChatTurn = { id: crypto.randomUUID(), role, content, stats: null };
      change(chatId, (chat) => ({ ...chat, turns: [...chat.turns, turn] }));
      return { chatId, turnId: turn.id };
    },
    setContent(chatId, turnId, content, stats) {
      change(chatId, (chat) => {
        const turns = chat.turns.map((turn) => (turn.id === turnId ? { ...turn, content, stats } : turn));
        const first = turns[0];
        return { ...chat, turns, title: first?.id === turnId ? titleOf(first.content) : chat.title };
      });
    },
    truncate(chatId, turnId, inclusive) {
      change(chatId, (chat) => {
        const index = chat.turns.findIndex((turn) => turn.id === turnId);
        if (index < 0) return chat;
        const turns = chat.turns.slice(0, inclusive ? index : index + 1);
        // Cut back into what was left out: the beginning may fit again.
        const omittedTurns = omittedOf(chat) < turns.length ? omittedOf(chat) : 0;
        return { ...chat, turns, omittedTurns };
      });
    },
  };
}

/** Turns at the start of a chat that are no longer sent. */
export function omittedOf({ omittedTurns }: Chat): number {
  return omittedTurns ?? 0;
}

/** First line of the first message, cut at a word. */
export function titleOf(content: string): string {
  const line = content.trim().split('\n', 1)[0].replace(/\s+/g, ' ');
  if (line === '') return 'New chat';
  if (line.length <= TITLE_LENGTH) return line;
  const cut = line.slice(0, TITLE_LENGTH);
  const space = cut.lastIndexOf(' ');
  return `${space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut}…`;
}
