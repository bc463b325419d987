import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { formatBytes } from '../lib/format.ts';
import { isOf } from '../state/first_visit.ts';
import { ModelItem } from './model_item.tsx';
import { PickButtons } from './pick_buttons.tsx';

/** The models kept in this browser, and how much room they take. */
export function ModelLibrary(): JSX.Element {
  const { app } = useApp();
  const models = app.library.models.value;
  // Without any model, the chat column offers them.
  const absent = models.length === 0 ? [] : app.starters.value.filter((starter) => !models.some((model) => isOf(model, starter)));
  return (
    <section class="panel models" aria-label="Models" data-testid="library">
      <h2>Models</h2>
      {models.length === 0 && app.ready.value && <p class="empty">Drop a GGUF file or a safetensors folder anywhere on this page.</p>}
      <ul>{models.map((model) => <ModelItem key={model.id} model={model} />)}</ul>
      <PickButtons />
      {absent.map((starter) => (
        <button key={starter.file} type="button" class="link" data-testid="starter-add" title={starter.note}
          disabled={app.tasks.current.value !== null} onClick={() => void app.addStarter(starter)}>
          Load {starter.title}
        </button>
      ))}
      <StorageMeter />
    </section>
  );
}

const STORAGE_NAMES = { opfs: 'Private file system', indexeddb: 'IndexedDB', memory: 'Memory only' } as const;

function StorageMeter(): JSX.Element | null {
  const { app } = useApp();
  const environment = app.environment.value;
  if (environment === null) return null;
  const { storage, persisted, usedBytes, quotaBytes } = environment;
  const fraction = usedBytes !== null && quotaBytes !== null && quotaBytes > 0 ? Math.min(1, usedBytes / quotaBytes) : 0;
  const kept = storage === 'memory'
    ? 'Models last until this tab is closed: the browser offers no storage here.'
    : persisted ? 'Kept until you delete it.' : 'The browser may clear this when the disk is full.';
  return (
    <div class="storage" data-testid="storage-used">
      <div class="context-bar" aria-hidden="true"><span style={{ transform: `scaleX(${fraction})` }} /></div>
      {usedBytes !== null && quotaBytes !== null && <p>{formatBytes(usedBytes)} of {formatBytes(quotaBytes)} used</p>}
      <p data-testid="storage-persisted">{STORAGE_NAMES[storage]}. {kept}</p>
    </div>
  );
}
