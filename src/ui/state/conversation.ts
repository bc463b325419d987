import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ChatMessage } from '../../engine/types.ts';
import type { AnswerResult, HostApi, OpenedInfo } from '../../hosts/api.ts';
import type { AnswerStats, Chat } from './chat_store.ts';
import { omittedOf, type ChatsState } from './chats.ts';
import { sentenceOf, type Notice, type NoticeState } from './notices.ts';
import { isDamage, type SessionState } from './session.ts';
import { samplingOf, type SettingsState } from './settings.ts';

/** The answer that is being written. */
export interface LiveAnswer {
  readonly chatId: string;
  readonly turnId: string;
  readonly text: Signal<string>;
  readonly tokens: Signal<number>;
  /** Prompt tokens read so far; null once the first token is there. */
  readonly prefill: Signal<{ readonly done: number; readonly total: number } | null>;
  readonly stopping: Signal<boolean>;
}

export interface ConversationState {
  readonly live: ReadonlySignal<LiveAnswer | null>;
  /** Tokens of the context in use; null while unknown. */
  readonly contextUsed: ReadonlySignal<number | null>;
  /** Text of the latest finished answer, for screen readers. */
  readonly announcement: ReadonlySignal<string>;
  /** The chat whose message is answered as soon as the model that is on its way is open. */
  readonly waitingChatId: ReadonlySignal<string | null>;
  /** Sends a message; while a model is on its way, keeps it until that is open. */
  send(text: string): Promise<void>;
  /** Replaces a user message and answers again from there. */
  edit(turnId: string, text: string): Promise<void>;
  /** Writes the last answer again. */
  regenerate(): Promise<void>;
  stop(): Promise<void>;
}

export interface ConversationServices {
  readonly host: HostApi;
  readonly chats: ChatsState;
  readonly settings: SettingsState;
  readonly session: SessionState;
  /** True while a model is on its way: downloaded, imported or opened. */
  readonly modelComing: ReadonlySignal<boolean>;
  readonly notices: NoticeState;
  /** What to offer where the stored model is damaged. */
  readonly repair: (modelId: string) => Notice['action'];
  readonly randomSeed: () => number;
}

/** A closed tab loses at most this much of an answer. */
const SAVE_INTERVAL_MILLIS = 2000;
const COUNT_DELAY_MILLIS = 250;
const RECOVERING = 'The graphics device was lost: the model is being loaded again, then the answer goes on.';
const COPIES_START_AGAIN = 'Which experts have FP4 copies is found out anew, so the answer may go on in other words.';

export function createConversation(services: ConversationServices): ConversationState {
  const { host, chats, settings, session, modelComing, notices, repair, randomSeed } = services;
  const live = signal<LiveAnswer | null>(null);
  const contextUsed = signal<number | null>(null);
  const announcement = signal('');
  const waitingChatId = signal<string | null>(null);

  const answer = async (chatId: string): Promise<void> => {
    const opened = session.model.peek();
    const chat = chats.list.peek().find((entry) => entry.id === chatId);
    if (opened === null || chat === undefined || live.peek() !== null) return;
    const request = messagesOf(chat, settings.values.peek().systemPrompt);
    const { turnId } = chats.append(chatId, 'assistant', '');
    const current: LiveAnswer = {
      chatId, turnId, text: signal(''), tokens: signal(0), prefill: signal({ done: 0, total: 0 }), stopping: signal(false),
    };
    live.value = current;
    let savedAt = Date.now();
    try {
      const values = settings.values.peek();
      const result = await host.generate(
        { input: { kind: 'chat', messages: request }, sampling: samplingOf(values, randomSeed), maxTokens: values.maxTokens },
        (event) => {
          // Events cross threads: some may arrive after the result, which has the whole text.
          if (live.peek() !== current || event.kind === 'queued') return;
          if (event.kind === 'recovering') {
            const copies = opened.info.approximations.applied.tierShare > 0 ? ` ${COPIES_START_AGAIN}` : '';
            notices.show({ kind: 'info', text: `${RECOVERING}${copies}` });
            current.prefill.value = { done: 0, total: 0 };
            return;
          }
          if (event.kind === 'prefill') {
            current.prefill.value = { done: event.done, total: event.total };
            contextUsed.value = event.reused + event.done;
            return;
          }
          current.prefill.value = null;
          current.tokens.value++;
          current.text.value += event.text;
          contextUsed.value = (contextUsed.peek() ?? 0) + 1;
          if (Date.now() - savedAt > SAVE_INTERVAL_MILLIS) {
            savedAt = Date.now();
            chats.setContent(chatId, turnId, current.text.peek(), null);
          }
        },
      );
      chats.setContent(chatId, turnId, result.text, statsOf(result, opened.info));
      contextUsed.value = result.contextUsed;
      announcement.value = result.text;
    } catch (error) {
      const text = current.text.peek();
      if (text === '') chats.truncate(chatId, turnId, true);
      else chats.setContent(chatId, turnId, text, null);
      notices.show({ kind: 'error', text: sentenceOf(error), action: await wayOn(error, chatId, opened.info.contextLength) });
    } finally {
      live.value = null;
    }
  };

  /** What to offer after an answer failed. */
  const wayOn = async (failure: unknown, chatId: string, contextLength: number): Promise<Notice['action']> => {
    const opened = session.model.peek();
    if (opened === null) return null;
    if (isDamage(failure)) return repair(opened.id);
    if (!(failure instanceof Error && failure.name === 'ContextFullError')) {
      return { label: 'Try again', run: () => void answer(chatId) };
    }
    const omitted = await turnsToOmit(chatId, contextLength);
    if (omitted === null) return null;
    return {
      label: 'Go on without the oldest messages',
      run: () => {
        chats.omit(chatId, omitted);
        void answer(chatId);
      },
    };
  };

  /**
   * The fewest turns to leave out so that the rest takes half of the context: then the next messages fit too, and
   * the cache of the prompt isn't lost with each of them. null where there is nothing left to leave out, or it can't
   * be counted (the model was closed).
   */
  const turnsToOmit = async (chatId: string, contextLength: number): Promise<number | null> => {
    const chat = chats.list.peek().find((entry) => entry.id === chatId);
    if (chat === undefined) return null;
    const starts = chat.turns.flatMap(({ role }, index) => (role === 'user' && index > omittedOf(chat) ? [index] : []));
    try {
      for (const start of starts) {
        const messages = messagesOf({ ...chat, omittedTurns: start }, settings.values.peek().systemPrompt);
        if (await host.countTokens(messages) <= contextLength / 2) return start;
      }
    } catch {
      return null;
    }
    return starts.at(-1) ?? null;
  };

  const stop = async (): Promise<void> => {
    const current = live.peek();
    if (current === null) return;
    current.stopping.value = true;
    await host.stop(null);
  };

  // Counts what is in the context whenever another chat, model or system prompt is chosen.
  effect(() => {
    const opened = session.model.value;
    const systemPrompt = settings.values.value.systemPrompt;
    void chats.currentId.value;
    contextUsed.value = null;
    if (opened === null || live.peek() !== null) return;
    const timer = setTimeout(() => {
      const chat = chats.current.peek();
      const messages = chat === null ? [] : messagesOf(chat, systemPrompt);
      if (live.peek() !== null) return;
      if (messages.length === 0) contextUsed.value = 0;
      else {
        host.countTokens(messages).then(
          (count) => {
            if (live.peek() === null && chats.current.peek() === chat) contextUsed.value = count;
          },
          // The meter stays empty; whatever is wrong will be said when a message is sent.
          () => undefined,
        );
      }
    }, COUNT_DELAY_MILLIS);
    return () => clearTimeout(timer);
  });

  // The message that waited is answered, or left as it is where no model came.
  effect(() => {
    const chatId = waitingChatId.value;
    const opened = session.model.value;
    if (chatId === null || (opened === null && modelComing.value)) return;
    waitingChatId.value = null;
    if (opened !== null) void answer(chatId);
  });

  // An answer whose chat was deleted has nowhere to go.
  effect(() => {
    const current = live.value;
    if (current !== null && !chats.list.value.some((chat) => chat.id === current.chatId)) void host.stop(null);
  });

  return {
    live,
    contextUsed,
    announcement,
    waitingChatId,
    stop,
    async send(text) {
      if (live.peek() !== null || waitingChatId.peek() !== null || text.trim() === '') return;
      const ready = session.model.peek() !== null;
      if (!ready && !modelComing.peek()) return;
      notices.clear();
      const { chatId } = chats.append(chats.currentId.peek(), 'user', text.trim());
      if (ready) await answer(chatId);
      else waitingChatId.value = chatId;
    },
    async edit(turnId, text) {
      const chat = chats.current.peek();
      if (chat === null || live.peek() !== null || text.trim() === '') return;
      notices.clear();
      chats.truncate(chat.id, turnId, false);
      chats.setContent(chat.id, turnId, text.trim(), null);
      await answer(chat.id);
    },
    async regenerate() {
      const chat = chats.current.peek();
      const last = chat?.turns.at(-1);
      if (chat === null || last === undefined || live.peek() !== null || session.model.peek() === null) return;
      notices.clear();
      if (last.role === 'assistant') chats.truncate(chat.id, last.id, true);
      await answer(chat.id);
    },
  };
}

/** A chat as the engine takes it, without its omitted turns and answers that never got a word. */
export function messagesOf(chat: Chat, systemPrompt: string): ChatMessage[] {
  const system: ChatMessage[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt.trim() }];
  const turns = chat.turns.slice(omittedOf(chat)).filter((turn) => turn.role === 'user' || turn.content !== '');
  return [...system, ...turns.map(({ role, content }) => ({ role, content }))];
}

function statsOf(result: AnswerResult, { modelName, approximations }: OpenedInfo): AnswerStats {
  const { tokensPerSecond, timeToFirstTokenMs, promptTokens, reusedTokens, stopReason, contextUsed, approximation } = result;
  return {
    tokens: result.tokens.length, tokensPerSecond, timeToFirstTokenMs, promptTokens, reusedTokens, stopReason, contextUsed, modelName,
    ...(approximation === null ? {} : { approximation: { applied: approximations.applied, counts: approximation } }),
  };
}
