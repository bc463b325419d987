import type { JSX, TargetedEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import { useApp } from '../context.ts';
import { filesOfInput } from '../lib/drop_files.ts';
import { AlertRegion } from './alert_region.tsx';
import { ApproximationNote } from './approximation_note.tsx';
import { ChatView } from './chat_view.tsx';
import { Composer } from './composer.tsx';
import { ConfirmDialog } from './confirm_dialog.tsx';
import { DropOverlay } from './drop_overlay.tsx';
import { useFocusKeeper } from './focus_keeper.ts';
import { Header } from './header.tsx';
import { ImportDialog } from './import_dialog.tsx';
import { ProfilePanel } from './profile_panel.tsx';
import { ReportDialog } from './report_dialog.tsx';
import { QualityDialog } from './quality_dialog.tsx';
import { SettingsDrawer } from './settings_drawer.tsx';
import { Sidebar } from './sidebar.tsx';
import { TaskCard } from './task_card.tsx';
import { WebGpuBanner } from './webgpu_banner.tsx';

/** The page: sidebar, chat column, settings drawer, and what lies over them. */
export function App(): JSX.Element {
  const { app } = useApp();
  const { layout, conversation } = app;
  useFocusKeeper();

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // A dialog takes the key for itself.
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      if (conversation.live.peek() !== null) void conversation.stop();
      else if (layout.settingsOpen.peek()) layout.settingsOpen.value = false;
      else if (layout.profileOpen.peek()) layout.profileOpen.value = false;
      else if (layout.compact.peek()) layout.sidebarOpen.value = false;
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [app]);

  const overlaid = layout.compact.value && (layout.sidebarOpen.value || layout.settingsOpen.value || layout.profileOpen.value);
  const closePanels = (): void => {
    layout.sidebarOpen.value = false;
    layout.settingsOpen.value = false;
    layout.profileOpen.value = false;
  };
  const panels = [
    layout.sidebarOpen.value && ' with-sidebar', layout.settingsOpen.value && ' with-settings', layout.profileOpen.value && ' with-profile',
  ];
  return (
    <div class={`layout${panels.filter(Boolean).join('')}`}>
      <a class="skip-link" href="#message">Skip to the message box</a>
      <Sidebar />
      <div class="main-column" inert={overlaid}>
        <Header />
        <main class="main" id="main">
          <WebGpuBanner />
          <ChatView />
          <div class="dock">
            <AlertRegion />
            <TaskCard />
            <ApproximationNote />
            <Composer />
          </div>
        </main>
      </div>
      {overlaid && <button type="button" class="scrim" aria-label="Close panel" onClick={closePanels} />}
      <SettingsDrawer />
      <ProfilePanel />
      <FileInputs />
      <DropOverlay />
      <ImportDialog />
      <ReportDialog />
      <ConfirmDialog />
      <QualityDialog />
      <div class="visually-hidden" aria-live="polite" data-testid="announcer">{conversation.announcement.value}</div>
    </div>
  );
}

/** The two hidden pickers; buttons anywhere on the page click them by id. */
function FileInputs(): JSX.Element {
  const { app } = useApp();
  const take = (event: TargetedEvent<HTMLInputElement>): void => {
    const input = event.currentTarget;
    const files = filesOfInput(input.files ?? []);
    // So that picking the same file again is a change too.
    input.value = '';
    void app.addFiles(files);
  };
  return (
    <div hidden>
      <input id="pick-files" type="file" multiple accept=".gguf,.safetensors,.json,.jinja,.model,.txt" data-testid="import-files" aria-label="Model files" onChange={take} />
      <input id="pick-folder" type="file" ref={(input) => input?.setAttribute('webkitdirectory', '')} data-testid="import-folder" aria-label="Model folder" onChange={take} />
    </div>
  );
}
