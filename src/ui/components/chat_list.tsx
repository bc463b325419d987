import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { formatDate } from '../lib/format.ts';
import { Icon } from './icons.tsx';

export function ChatList(): JSX.Element {
  const { app } = useApp();
  const { chats, layout } = app;
  const select = (id: string): void => {
    chats.select(id);
    if (layout.compact.peek()) layout.sidebarOpen.value = false;
  };
  return (
    <nav class="panel chats" aria-label="Chats">
      <h2>Chats</h2>
      {chats.list.value.length === 0 && <p class="empty">What you talk about is kept here, in this browser only.</p>}
      <ul>
        {chats.list.value.map((chat) => {
          const selected = chat.id === chats.currentId.value;
          return (
            <li key={chat.id} class={`row${selected ? ' selected' : ''}`} data-testid="chat-item">
              <button type="button" class="row-main" aria-current={selected ? 'true' : undefined} onClick={() => select(chat.id)}>
                <span class="row-title">{chat.title}</span>
                <span class="row-note">{formatDate(chat.updatedAt, Date.now())}</span>
              </button>
              <button type="button" class="icon-button quiet" aria-label={`Delete chat “${chat.title}”`} data-testid="delete-chat"
                onClick={() => app.deleteChat(chat.id, chat.title)}>
                <Icon name="trash" size={16} />
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
