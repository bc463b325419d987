import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ModelSummary } from '../../hosts/api.ts';
import { useApp } from '../context.ts';
import { Icon } from './icons.tsx';

const WHY_NOT = 'Its experts were converted, so the original can’t be exported. Keep your own file.';

/** Exports a model as it was imported; for a converted one, says why that can't be done (by key and click as well). */
export function ExportButton({ model, busy }: { model: ModelSummary; busy: boolean }): JSX.Element {
  const { app } = useApp();
  const id = useId();
  const converted = model.conversion !== 'keep';
  const press = (): void => {
    if (converted) app.notices.show({ kind: 'info', text: `${model.name} can’t be exported.`, hint: WHY_NOT });
    else void app.library.exportModel(model);
  };
  return (
    <>
      <button type="button" class="icon-button quiet" aria-label={`Export ${model.name}`} title={converted ? WHY_NOT : 'Export as it was imported'}
        data-testid="model-export" disabled={busy} aria-disabled={converted ? 'true' : undefined} aria-describedby={converted ? id : undefined}
        onClick={press}>
        <Icon name="download" size={16} />
      </button>
      {converted && <span id={id} hidden>{WHY_NOT}</span>}
    </>
  );
}
