import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../context.ts';
import type { ChatTurn } from '../state/chat_store.ts';
import { Icon } from './icons.tsx';

/** A user's message, which can be changed and answered again from there, or answered at all where that failed. */
export function UserMessage({ turn, last }: { turn: ChatTurn; last: boolean }): JSX.Element {
  const { app } = useApp();
  const [draft, setDraft] = useState<string | null>(null);
  const ready = app.session.model.value !== null && app.conversation.live.value === null;

  if (draft !== null) {
    const save = (): void => {
      setDraft(null);
      void app.conversation.edit(turn.id, draft);
    };
    return (
      <article class="message user editing" aria-label="You, editing">
        <EditBox value={draft} onInput={setDraft} onCancel={() => setDraft(null)} onSave={save} />
        <div class="edit-actions">
          <button type="button" class="button small" onClick={() => setDraft(null)}>Cancel</button>
          <button type="button" class="button small primary" data-testid="edit-save" disabled={!ready || draft.trim() === ''} onClick={save}>
            Save and answer again
          </button>
        </div>
      </article>
    );
  }
  return (
    <article class="message user" aria-label="You" data-testid="message-user">
      <div class="bubble">{turn.content}</div>
      <div class="message-actions">
        {last && ready && (
          <button type="button" class="icon-button quiet" aria-label="Answer this message" title="Answer this message" data-testid="answer-again"
            onClick={() => void app.conversation.regenerate()}>
            <Icon name="retry" size={16} />
          </button>
        )}
        <button type="button" class="icon-button quiet" aria-label="Edit this message" data-testid="edit-message" disabled={!ready} onClick={() => setDraft(turn.content)}>
          <Icon name="edit" size={16} />
        </button>
      </div>
    </article>
  );
}

interface EditBoxProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onSave: () => void;
  readonly onCancel: () => void;
}

function EditBox({ value, onInput, onSave, onCancel }: EditBoxProps): JSX.Element {
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(value.length, value.length);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (value.trim() !== '') onSave();
    }
  };
  return (
    <textarea ref={box} class="grow" aria-label="Edit your message" data-testid="edit-input" value={value}
      onInput={(event) => onInput(event.currentTarget.value)} onKeyDown={onKeyDown} />
  );
}
