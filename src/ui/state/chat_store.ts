import { createStore, del, get, set, values, type UseStore } from 'idb-keyval';
import type { StopReason } from '../../engine/types.ts';
import type { Approximations } from '../../experts/approximations.ts';
import type { ApproximationCounts } from '../../hosts/api.ts';

/** What is shown under an answer. */
export interface AnswerStats {
  readonly tokens: number;
  readonly tokensPerSecond: number | null;
  readonly timeToFirstTokenMs: number;
  readonly promptTokens: number;
  readonly reusedTokens: number;
  readonly stopReason: StopReason;
  readonly contextUsed: number;
  readonly modelName: string;
  /** What changed the answer, and how often; missing where nothing could. */
  readonly approximation?: { readonly applied: Approximations; readonly counts: ApproximationCounts };
}

export interface ChatTurn {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** Set on a finished answer. */
  readonly stats: AnswerStats | null;
}

export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turns: readonly ChatTurn[];
  /** Turns at the start that are no longer sent, since the whole doesn't fit into the context. */
  readonly omittedTurns?: number;
}

export interface ChatStore {
  /** Newest first. */
  load(): Promise<Chat[]>;
  /** null where there is none of this id. */
  get(id: string): Promise<Chat | null>;
  put(chat: Chat): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Chats in IndexedDB, one record each. */
export function createIdbChatStore(databaseName = 'hotset-chats'): ChatStore {
  let store: UseStore | null = null;
  const open = (): UseStore => (store ??= createStore(databaseName, 'chats'));
  return {
    load: async () => (await values<Chat>(open())).filter(isChat).sort((a, b) => b.updatedAt - a.updatedAt),
    async get(id) {
      const chat = await get<Chat>(id, open());
      return isChat(chat) ? chat : null;
    },
    put: (chat) => set(chat.id, chat, open()),
    remove: (id) => del(id, open()),
  };
}

function isChat(value: unknown): value is Chat {
  const chat = value as Partial<Chat> | null;
  return typeof chat === 'object' && chat !== null && typeof chat.id === 'string' && Array.isArray(chat.turns);
}
