import type { JSX } from 'preact';
import type { ModelSummary } from '../../hosts/api.ts';
import { useApp } from '../context.ts';
import { CONVERSION_NAMES, formatNames } from '../lib/conversions.ts';
import { formatBytes, formatDate } from '../lib/format.ts';
import { ExportButton } from './export_button.tsx';
import { Icon } from './icons.tsx';

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
    <li class={`row model${open ? ' selected' : ''}${model.conversion === 'keep' ? '' : ' converted'}`} data-testid="model-item" data-state={model.state}>
      <button type="button" class="row-main" data-testid="model-open" disabled={busy || partial || open} aria-current={open ? 'true' : undefined}
        aria-label={open ? `${model.name} is open` : `Open ${model.name}`} onClick={openModel}>
        <span class="row-head">
          <span class="row-title">{model.name}</span>
          {open && <span class="tag">Open</span>}
          {partial && <span class="tag warn">Unfinished</span>}
        </span>
        <span class="row-note">
          {partial ? 'Drop the same files again to go on.' : <>{formatBytes(model.byteLength)} · <WhatIsIn model={model} /></>}
        </span>
        <span class="row-note">
          {[model.architecture, model.container === 'gguf' ? 'GGUF' : 'safetensors', formatDate(model.importedAt, Date.now())].join(' · ')}
        </span>
      </button>
      <span class="row-actions">
        {!partial && model.conversion !== 'keep' && (
          <button type="button" class="icon-button quiet" aria-label={`Conversion report of ${model.name}`} title="Conversion report"
            data-testid="model-report" onClick={() => void app.reportView.open(model)}>
            <Icon name="report" size={16} />
          </button>
        )}
        {!partial && <ExportButton model={model} busy={busy} />}
        <button type="button" class="icon-button quiet" aria-label={`${partial ? 'Discard' : 'Delete'} ${model.name}`} title={partial ? 'Discard' : 'Delete'}
          data-testid={partial ? 'model-discard' : 'model-delete'} disabled={busy} onClick={() => app.deleteModel(model)}>
          <Icon name="trash" size={16} />
        </button>
      </span>
    </li>
  );
}

/** Formats of the weights; of a converted model, what its experts have become. */
function WhatIsIn({ model: { conversion, formats } }: { model: ModelSummary }): JSX.Element {
  if (conversion !== 'keep') return <span class="converted-note">{CONVERSION_NAMES[conversion]}</span>;
  return <>{formatNames(formats.map((entry) => entry.format))}</>;
}
