import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../context.ts';
import type { StarterModel } from '../state/starter.ts';
import { Icon } from './icons.tsx';

/** The message box. Enter sends, Shift + Enter makes a new line, Escape stops the answer. */
export function Composer(): JSX.Element {
  const { app } = useApp();
  const { chats, conversation, session } = app;
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const live = conversation.live.value;
  const opened = session.model.value;
  const elsewhere = live !== null && live.chatId !== chats.currentId.value;
  const coming = app.modelComing.value;
  const canSend = (opened !== null || coming) && live === null && conversation.waitingChatId.value === null && text.trim() !== '';

  // Grows with its text up to the height that the style sheet allows.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  const send = (): void => {
    if (!canSend) return;
    setText('');
    void conversation.send(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form class="composer" aria-label="Write a message" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <textarea ref={box} id="message" rows={1} value={text} aria-label="Message" data-testid="composer-input"
        placeholder={placeholderOf(opened?.info.modelName ?? (coming ? comingName(app.starter.value) : null), elsewhere)}
        onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
      {live === null
        ? (
          <button type="submit" class="send" aria-label="Send" title="Send (Enter)" data-testid="send" disabled={!canSend}>
            <Icon name="send" size={20} />
          </button>
        )
        : (
          <button type="button" class="send stop" aria-label={elsewhere ? 'Stop the answer in another chat' : 'Stop the answer'} title="Stop (Esc)" data-testid="stop"
            disabled={live.stopping.value} onClick={() => void conversation.stop()}>
            <span class="stop-square" aria-hidden="true" />
          </button>
        )}
    </form>
  );
}

function comingName(starter: StarterModel | null): string {
  return starter?.title ?? 'the model that is on its way';
}

function placeholderOf(modelName: string | null, elsewhere: boolean): string {
  if (modelName === null) return 'Open a model to chat';
  return elsewhere ? 'An answer is still being written in another chat' : `Message ${modelName}`;
}
