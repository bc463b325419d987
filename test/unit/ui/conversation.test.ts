import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, GenerateEvent, GenerateRequest } from '../../../src/engine/types.ts';
import type { AnswerResult, HostApi } from '../../../src/hosts/api.ts';
import type { Chat, ChatStore } from '../../../src/ui/state/chat_store.ts';
import { createChats } from '../../../src/ui/state/chats.ts';
import { createConversation } from '../../../src/ui/state/conversation.ts';
import { createLibrary } from '../../../src/ui/state/library.ts';
import { createNotices } from '../../../src/ui/state/notices.ts';
import { createPreferenceStore } from '../../../src/ui/state/preferences.ts';
import type { OpenedModel, SessionState } from '../../../src/ui/state/session.ts';
import { createSettings } from '../../../src/ui/state/settings.ts';
import { createTasks } from '../../../src/ui/state/tasks.ts';

const CONTEXT_LENGTH = 100;
const ANSWER_TOKENS = 5;
const APPLIED = { tierShare: 0.1, gate: 0.6, missTolerance: 0 };
const COUNTS = { promotions: 3, gatedSteps: 1, toleratedMisses: 0 };
/** Each message takes ten tokens. */
const countTokens = (messages: readonly ChatMessage[]): number => messages.length * 10;

const noPreferences = () => createPreferenceStore('', () => {
  throw new Error('none in Node');
});

function mapStore(stored: Map<string, Chat>): ChatStore {
  return {
    load: async () => [...stored.values()],
    get: async (id) => stored.get(id) ?? null,
    put: async (chat) => void stored.set(chat.id, chat),
    remove: async (id) => void stored.delete(id),
  };
}

/** A page with a host that refuses what is longer than the context, and answers in one token otherwise. */
function page(onEvent: (event: GenerateEvent) => void = () => undefined, failure: Error | null = null, first: GenerateEvent | null = null) {
  const requests: (readonly ChatMessage[])[] = [];
  const host = {
    async generate(request: GenerateRequest, tell: (event: GenerateEvent) => void): Promise<AnswerResult> {
      const messages = request.input.kind === 'chat' ? request.input.messages : [];
      requests.push(messages);
      if (failure !== null) throw failure;
      const prompt = countTokens(messages);
      if (prompt > CONTEXT_LENGTH) throw Object.assign(new Error('The conversation is too long.'), { name: 'ContextFullError' });
      const emit = (event: GenerateEvent): void => {
        tell(event);
        onEvent(event);
      };
      if (first !== null) tell(first);
      emit({ kind: 'prefill', done: 0, total: 10, reused: prompt - 10 });
      emit({ kind: 'prefill', done: 10, total: 10, reused: prompt - 10 });
      emit({ kind: 'token', token: 1, text: 'yes' });
      return {
        tokens: [1], text: 'yes', stopReason: 'end', promptTokens: prompt, reusedTokens: prompt - 10, prefillMs: 1, timeToFirstTokenMs: 1,
        decodeMs: 1, tokensPerSecond: null, contextUsed: prompt + ANSWER_TOKENS,
        approximation: prompt > 10 ? COUNTS : null,
      };
    },
    stop: async () => undefined,
    countTokens: async (messages: readonly ChatMessage[]) => countTokens(messages),
  } as unknown as HostApi;
  const stored = new Map<string, Chat>();
  const told: string[] = [];
  const notices = createNotices();
  const chats = createChats(mapStore(stored), noPreferences(), notices, (id) => told.push(id));
  const model = { id: 'm', info: { modelName: 'Tiny', contextLength: CONTEXT_LENGTH, approximations: { applied: APPLIED } } } as unknown as OpenedModel;
  const open = signal<OpenedModel | null>(model);
  const session = { model: open } as unknown as SessionState;
  const modelComing = signal(false);
  const repair = (id: string) => ({ label: `Repair ${id}`, run: () => undefined });
  const conversation = createConversation({ host, chats, settings: createSettings(noPreferences()), session, modelComing, notices, repair, randomSeed: () => 1 });
  return { model, open, modelComing, requests, stored, told, notices, chats, conversation };
}

describe('context meter', () => {
  it('counts what was found in the cache while the rest of the prompt is read', async () => {
    const seen: (number | null)[] = [];
    const { conversation } = page(() => seen.push(conversation.contextUsed.value));
    await conversation.send('one');
    await conversation.send('two');
    // One message, then three: ten tokens are read in each turn, and one is written.
    expect(seen).toEqual([0, 10, 11, 20, 30, 31]);
    expect(conversation.contextUsed.value).toBe(30 + ANSWER_TOKENS);
  });
});

describe('an answer that was changed by approximations', () => {
  it('keeps which they were, and what they did', async () => {
    const { conversation, chats } = page();
    await conversation.send('one');
    await conversation.send('two');
    const [, first, , second] = chats.current.value!.turns;
    expect(first.stats).not.toHaveProperty('approximation');
    expect(second.stats!.approximation).toEqual({ applied: APPLIED, counts: COUNTS });
  });
});

describe('a conversation longer than the context', () => {
  it('goes on without its oldest messages, in half of the context', async () => {
    const { requests, notices, chats, conversation } = page();
    for (let i = 0; i < 6; i++) await conversation.send(`question ${i}`);
    // 11 messages are one too many; the shortest cut that leaves 5 (questions 3 to 5) is at turn 6.
    const [notice] = notices.list.value;
    expect(notice.action?.label).toBe('Go on without the oldest messages');
    notice.action?.run();
    await expect.poll(() => chats.current.value?.turns.at(-1)?.content).toBe('yes');
    expect(requests.at(-1)?.map(({ content }) => content)).toEqual(['question 3', 'yes', 'question 4', 'yes', 'question 5']);
    expect(chats.current.value).toMatchObject({ omittedTurns: 6, turns: { length: 12 } });

    await conversation.send('question 6');
    expect(requests.at(-1)?.length).toBe(7);
    // Back to a message that was left out: the shortened conversation is sent from its beginning.
    await conversation.edit(chats.current.value!.turns[2].id, 'another question');
    expect(requests.at(-1)?.map(({ content }) => content)).toEqual(['question 0', 'yes', 'another question']);
  });
});

describe('an answer that fails', () => {
  it('offers a way on that fits', async () => {
    for (const [name, label] of [['Error', 'Try again'], ['DamagedModelError', 'Repair m']]) {
      const { notices, chats, conversation } = page(undefined, Object.assign(new Error('It failed.'), { name }));
      await conversation.send('one');
      expect(notices.list.value).toMatchObject([{ text: 'It failed.', action: { label } }]);
      expect(chats.current.value?.turns.map(({ content }) => content)).toEqual(['one']);
    }
  });

  it('is none where a lost device is replaced: that is told, and what it means for FP4 copies; the answer is whole', async () => {
    for (const [tierShare, told] of [[0, /the answer goes on\.$/], [0.1, /FP4 copies .* in other words\.$/]] as const) {
      const { model, open, notices, chats, conversation } = page(undefined, null, { kind: 'recovering', reason: 'The GPU was lost (test).' });
      open.value = { ...model, info: { ...model.info, approximations: { applied: { ...APPLIED, tierShare }, ignored: null } } };
      await conversation.send('one');
      expect(notices.list.value).toMatchObject([{ kind: 'info', text: expect.stringMatching(told) }]);
      expect(notices.list.value[0].text).toContain('The graphics device was lost');
      expect(chats.current.value?.turns.at(-1)?.content).toBe('yes');
    }
  });
});

describe('a message written while the model is on its way', () => {
  it('waits, and is answered once when the model is open', async () => {
    const { model, open, modelComing, requests, chats, conversation } = page();
    open.value = null;
    await conversation.send('nobody will come');
    expect(chats.list.value).toEqual([]);
    modelComing.value = true;
    await conversation.send('one');
    await conversation.send('two');
    expect(conversation.waitingChatId.value).toBe(chats.currentId.value);
    expect(requests).toEqual([]);
    open.value = model;
    modelComing.value = false;
    await expect.poll(() => chats.current.value?.turns.map(({ content }) => content)).toEqual(['one', 'yes']);
    expect(requests.length).toBe(1);
    expect(conversation.waitingChatId.value).toBeNull();
  });

  it('stays unanswered where no model comes', async () => {
    const { model, open, modelComing, requests, chats, conversation } = page();
    open.value = null;
    modelComing.value = true;
    await conversation.send('one');
    modelComing.value = false;
    expect(conversation.waitingChatId.value).toBeNull();
    open.value = model;
    expect(requests).toEqual([]);
    expect(chats.current.value?.turns.length).toBe(1);
  });
});

describe('several tabs', () => {
  it('tell each other what they stored, and read it', async () => {
    const here = page();
    await here.conversation.send('one');
    const id = here.chats.currentId.value!;
    await expect.poll(() => new Set(here.told)).toEqual(new Set([id]));
    const changed = { ...here.stored.get(id)!, title: 'From elsewhere' };
    here.stored.set(id, changed);
    await here.chats.refresh(id);
    expect(here.chats.current.value).toEqual(changed);
    here.stored.delete(id);
    await here.chats.refresh(id);
    expect(here.chats.list.value).toEqual([]);
    expect(here.chats.currentId.value).toBeNull();
  });
});

describe('a failed import', () => {
  const failing = (failure: Error) => {
    const notices = createNotices();
    const importFiles = async () => {
      throw failure;
    };
    const host = { importFiles, listModels: async () => [] } as unknown as HostApi;
    const library = createLibrary({
      host, notices, tasks: createTasks(() => 0), download: async () => undefined, onRefreshed: () => undefined, onChanged: () => undefined,
    });
    return { library, notices };
  };

  it('gives one piece of advice: the storage’s own, or another file', async () => {
    const full = failing(Object.assign(new Error('There is no room; delete a model.'), { name: 'StorageError' }));
    expect(await full.library.importFiles([], 'keep')).toBeNull();
    expect(full.notices.list.value).toMatchObject([{ text: 'There is no room; delete a model.', hint: null }]);
    const broken = failing(new Error('a.gguf is cut off'));
    expect(await broken.library.importFiles([], 'keep')).toBeNull();
    expect(broken.notices.list.value).toMatchObject([{ hint: 'Your library is as it was. Try another file or folder.' }]);
  });
});
