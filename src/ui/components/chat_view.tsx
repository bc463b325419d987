import { Fragment, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../context.ts';
import { omittedOf } from '../state/chats.ts';
import { AssistantMessage } from './assistant_message.tsx';
import { Icon } from './icons.tsx';
import { UserMessage } from './user_message.tsx';
import { Welcome } from './welcome.tsx';

/** Nearer to the end than this counts as reading along. */
const FOLLOW_DISTANCE_PX = 80;

/** The conversation. Follows a growing answer unless the reader has scrolled away. */
export function ChatView(): JSX.Element {
  const { app } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);
  const chat = app.chats.current.value;
  const turns = chat?.turns ?? [];
  const omitted = chat === null ? 0 : omittedOf(chat);

  const toEnd = (): void => {
    const element = scroller.current;
    // The welcome of an empty chat is read from its top.
    if (element !== null) element.scrollTop = app.chats.current.peek() === null ? 0 : element.scrollHeight;
  };
  useEffect(() => {
    if (content.current === null) return;
    const observer = new ResizeObserver(() => {
      if (following.current) toEnd();
    });
    observer.observe(content.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    following.current = true;
    setAway(false);
    toEnd();
  }, [chat?.id, turns.length]);

  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    following.current = element.scrollHeight - element.scrollTop - element.clientHeight < FOLLOW_DISTANCE_PX;
    setAway(!following.current);
  };
  return (
    <div class="chat-area">
      <div ref={scroller} class="chat-scroll" onScroll={onScroll}>
        <div ref={content} class="chat" role="region" aria-label="Conversation">
          {turns.length === 0 && <Welcome />}
          <TemplateNote />
          {turns.map((turn, index) => (
            <Fragment key={turn.id}>
              {index > 0 && index === omitted && (
                <p class="omitted-note" data-testid="omitted-note">The model no longer sees what is above: the context is full.</p>
              )}
              {turn.role === 'user'
                ? <UserMessage turn={turn} last={index === turns.length - 1} />
                : <AssistantMessage turn={turn} last={index === turns.length - 1} />}
            </Fragment>
          ))}
          {chat !== null && chat.id === app.conversation.waitingChatId.value && (
            <p class="thinking-dots" data-testid="waiting">Answered as soon as the model is open<span aria-hidden="true" /></p>
          )}
        </div>
      </div>
      {away && (
        <button type="button" class="icon-button to-end" aria-label="To the end of the chat" onClick={() => { following.current = true; toEnd(); }}>
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

/** Says so where the model brought no chat template. */
function TemplateNote(): JSX.Element | null {
  const { app } = useApp();
  const opened = app.session.model.value;
  if (opened === null || opened.info.chatTemplate === 'model') return null;
  return (
    <p class="template-note" data-testid="chatml-note">
      <Icon name="info" size={16} />
      <span>{opened.info.modelName} brings no chat template, so ChatML stands in. Answers may suffer if it was trained on another.</span>
    </p>
  );
}
