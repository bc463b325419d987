import type { JSX } from 'preact';
import type { ModelSummary } from '../../hosts/api.ts';
import { useApp } from '../context.ts';
import { formatBytes, formatDate } from '../lib/format.ts';
import { Icon } from './icons.tsx';

/** Formats shown by name; the rest is counted. */
const SHOWN_FORMATS = 2;

export function ModelItem({ model }: { model: ModelSummary }): JSX.Element {
  const { app } = useApp();
  const open = app.session.model.value?.id === model.id;
  const busy = app.tasks.current.value !== null;
  const partial = model.state === 'partial';
  const openModel = (): void => {
    if (app.layout.compact.peek()) app.layout.sidebarOpen.value = false;
    app.notices.clear();
    void app.session.open(model);
  };
  return (
    <li class={`row model${open ? ' selected' : ''}`} data-testid="model-item" data-state={model.state}>
      <button type="button" class="row-main" data-testid="model-open" disabled={busy || partial || open} aria-current={open ? 'true' : undefined}
        aria-label={open ? `${model.name} is open` : `Open ${model.name}`} onClick={openModel}>
        <span class="row-head">
          <span class="row-title">{model.name}</span>
          {open && <span class="tag">Open</span>}
          {partial && <span class="tag warn">Unfinished</span>}
        </span>
        <span class="row-note">{partial ? 'Drop the same files again to go on.' : `${formatBytes(model.byteLength)} · ${formatsOf(model)}`}</span>
        <span class="row-note">
          {[model.architecture, model.container === 'gguf' ? 'GGUF' : 'safetensors', formatDate(model.importedAt, Date.now())].join(' · ')}
        </span>
      </button>
      <span class="row-actions">
        {!partial && (
          <button type="button" class="icon-button quiet" aria-label={`Export ${model.name}`} title="Export as it was imported" data-testid="model-export"
            disabled={busy} onClick={() => void app.library.exportModel(model)}>
            <Icon name="download" size={16} />
          </button>
        )}
        <button type="button" class="icon-button quiet" aria-label={`${partial ? 'Discard' : 'Delete'} ${model.name}`} title={partial ? 'Discard' : 'Delete'}
          data-testid={partial ? 'model-discard' : 'model-delete'} disabled={busy} onClick={() => app.deleteModel(model)}>
          <Icon name="trash" size={16} />
        </button>
      </span>
    </li>
  );
}

function formatsOf({ formats }: ModelSummary): string {
  const names = formats.map((entry) => entry.format);
  const more = names.length - SHOWN_FORMATS;
  return names.slice(0, SHOWN_FORMATS).join(', ') + (more > 0 ? ` +${more}` : '');
}
