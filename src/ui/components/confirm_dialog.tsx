import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../context.ts';

/** Asks before something is lost; the browser's modal dialog keeps the focus and closes on Escape. */
export function ConfirmDialog(): JSX.Element {
  const { app } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const question = app.confirmation.value;

  useEffect(() => {
    if (question !== null) dialog.current?.showModal();
    else dialog.current?.close();
  }, [question]);

  const close = (): void => {
    app.confirmation.value = null;
  };
  return (
    <dialog ref={dialog} class="confirm" aria-labelledby="confirm-title" onClose={close}>
      <h2 id="confirm-title">{question?.title}</h2>
      <p>{question?.text}</p>
      <div class="confirm-actions">
        <button type="button" class="button" onClick={close}>Keep it</button>
        <button type="button" class="button danger" data-testid="confirm" onClick={() => { close(); question?.run(); }}>
          {question?.confirmLabel}
        </button>
      </div>
    </dialog>
  );
}
