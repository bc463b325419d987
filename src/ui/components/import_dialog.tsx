import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ImportPreview } from '../../hosts/api.ts';
import { useApp } from '../context.ts';
import { formatCount } from '../lib/format.ts';
import { blockOf } from '../state/import_fit.ts';
import { ImportChoiceOption } from './import_choice.tsx';

/** Asks how a dropped model's experts are to be stored: arrows choose, Enter imports, Escape cancels. */
export function ImportDialog(): JSX.Element {
  const { app } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const preview = app.importFlow.pending.value;

  // Before anyone looks where the focus of the removed content has gone: under an open dialog nothing can take it.
  useLayoutEffect(() => {
    if (preview === null) {
      dialog.current?.close();
      return;
    }
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>('input:checked')?.focus();
  }, [preview]);

  const closed = (): void => {
    // The event comes late: another drop may have opened the dialog again.
    if (dialog.current?.open === false) app.importFlow.cancel();
  };
  return (
    <dialog ref={dialog} class="sheet import" aria-labelledby="import-title" data-testid="import-dialog" onClose={closed}>
      {preview !== null && <ImportForm preview={preview} />}
    </dialog>
  );
}

function ImportForm({ preview }: { preview: ImportPreview }): JSX.Element {
  const { app } = useApp();
  const { selected, confirm, cancel } = app.importFlow;
  const choice = preview.choices.find((entry) => entry.conversion === selected.value);
  const block = choice === undefined ? null : blockOf(choice, preview);
  const confirmLabel = choice?.present === 'ready' ? 'Open' : choice?.present === 'partial' ? 'Resume import' : 'Import';
  const submit = (event: Event): void => {
    event.preventDefault();
    confirm();
  };
  return (
    <form class="sheet-form" onSubmit={submit}>
      <header class="sheet-head">
        <h2 id="import-title">Import {preview.name}</h2>
        <p class="hint">{factsOf(preview)}</p>
      </header>
      <div class="sheet-body">
        <fieldset class="import-choices">
          <legend>How to store the experts</legend>
          {preview.choices.map((entry) => <ImportChoiceOption key={entry.conversion} choice={entry} preview={preview} />)}
        </fieldset>
        <p class="hint">
          Fewer bits are lossy. Only the converted experts are stored, so the model can’t be exported again: keep your own file.
          A report of what was lost stays with the model.
        </p>
      </div>
      <footer class="sheet-foot">
        <p id="import-block" class="import-block" role="status" data-testid="import-block">{block}</p>
        <button type="button" class="button" data-testid="import-cancel" onClick={cancel}>Cancel</button>
        <button type="submit" class="button primary" data-testid="import-confirm" disabled={block !== null} aria-describedby="import-block">
          {confirmLabel}
        </button>
      </footer>
    </form>
  );
}

/** 'qwen3moe · GGUF · 48 layers × 128 experts, 8 for each token' */
function factsOf({ architecture, container, layerCount, expertCount, expertUsedCount }: ImportPreview): string {
  return [
    architecture,
    container === 'gguf' ? 'GGUF' : 'safetensors',
    `${formatCount(layerCount)} layers × ${formatCount(expertCount)} experts, ${formatCount(expertUsedCount)} for each token`,
  ].join(' · ');
}
