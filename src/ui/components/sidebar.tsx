import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp } from '../context.ts';
import { ChatList } from './chat_list.tsx';
import { Icon, Logo } from './icons.tsx';
import { ModelLibrary } from './model_library.tsx';
import { usePanelFocus } from './panel_focus.ts';

/** Chats above, models below. */
export function Sidebar(): JSX.Element {
  const { app } = useApp();
  const { layout, chats } = app;
  const open = layout.sidebarOpen.value;
  const panel = useRef<HTMLElement>(null);
  usePanelFocus(panel, open && layout.compact.value);
  const startNew = (): void => {
    chats.select(null);
    if (layout.compact.peek()) layout.sidebarOpen.value = false;
    document.getElementById('message')?.focus();
  };
  return (
    <aside ref={panel} id="sidebar" class="sidebar" aria-label="Chats and models" inert={!open}>
      <div class="brand">
        <Logo /> <span>Hotset</span>
        {layout.compact.value && (
          <button type="button" class="icon-button" aria-label="Close" data-panel-close onClick={() => { layout.sidebarOpen.value = false; }}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <button type="button" class="button new-chat" data-testid="new-chat" onClick={startNew}>
        <Icon name="plus" /> New chat
      </button>
      <ChatList />
      <ModelLibrary />
    </aside>
  );
}
