import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { Icon } from './icons.tsx';

/** Errors and hints, each one sentence and what to do; the regions exist from the start, so readers announce them. */
export function AlertRegion(): JSX.Element {
  const { app } = useApp();
  const { list, dismiss } = app.notices;
  const render = (kind: 'error' | 'info'): JSX.Element[] =>
    list.value.filter((notice) => notice.kind === kind).map((notice) => (
      <div key={notice.id} class={`notice ${kind}`} data-testid={kind}>
        <Icon name={kind === 'error' ? 'alert' : 'info'} />
        <div class="notice-text">
          <p>{notice.text}</p>
          {notice.hint !== null && <p class="hint">{notice.hint}</p>}
          {notice.action !== null && (
            <button type="button" class="button small" onClick={() => { dismiss(notice.id); notice.action?.run(); }}>
              {notice.action.label}
            </button>
          )}
        </div>
        <button type="button" class="icon-button" aria-label="Dismiss" data-testid={`${kind}-dismiss`} onClick={() => dismiss(notice.id)}>
          <Icon name="close" />
        </button>
      </div>
    ));
  return (
    <div class="notices">
      <div role="alert">{render('error')}</div>
      <div role="status">{render('info')}</div>
    </div>
  );
}
