import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { Icon } from './icons.tsx';

/** Buttons that open the browser's pickers for files or for a folder. */
export function PickButtons(): JSX.Element {
  const { app } = useApp();
  const busy = app.tasks.current.value !== null;
  const pick = (id: string) => (): void => document.getElementById(id)?.click();
  return (
    <div class="pick-buttons">
      <button type="button" class="button" disabled={busy} onClick={pick('pick-files')}>
        <Icon name="upload" /> Choose files
      </button>
      <button type="button" class="button" disabled={busy} onClick={pick('pick-folder')}>
        <Icon name="folder" /> Choose a folder
      </button>
    </div>
  );
}
