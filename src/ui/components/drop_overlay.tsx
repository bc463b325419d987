import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../context.ts';
import { filesOfDrop } from '../lib/drop_files.ts';
import { sentenceOf } from '../state/notices.ts';
import { Icon } from './icons.tsx';

/** Makes the whole window a drop zone for files and folders, and shows it while something is dragged over. */
export function DropOverlay(): JSX.Element | null {
  const { app } = useApp();
  const [over, setOver] = useState(false);

  useEffect(() => {
    // Enter and leave come for every element crossed: the drag has left when all that were entered were left.
    let depth = 0;
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const listeners: { [Type in 'dragenter' | 'dragover' | 'dragleave' | 'drop']: (event: DragEvent) => void } = {
      dragenter: (event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        depth++;
        setOver(true);
      },
      dragover: (event) => {
        if (!carriesFiles(event) || event.dataTransfer === null) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
      },
      dragleave: () => {
        depth = Math.max(0, depth - 1);
        if (depth === 0) setOver(false);
      },
      drop: (event) => {
        depth = 0;
        setOver(false);
        if (!carriesFiles(event) || event.dataTransfer === null) return;
        event.preventDefault();
        filesOfDrop(event.dataTransfer).then(
          (files) => app.addFiles(files),
          (error: unknown) => app.notices.show({ kind: 'error', text: sentenceOf(error) }),
        );
      },
    };
    const entries = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [type, listener] of entries) window.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of entries) window.removeEventListener(type, listener);
    };
  }, [app]);

  if (!over) return null;
  return (
    <div class="drop-overlay" data-testid="drop-overlay">
      <div class="drop-card">
        <Icon name="download" size={40} />
        <strong>Drop the model here</strong>
        <span>A .gguf file, all its shards, or a folder with safetensors</span>
      </div>
    </div>
  );
}
