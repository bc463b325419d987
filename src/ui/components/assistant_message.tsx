import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { splitThinking } from '../lib/markdown.ts';
import type { ChatTurn } from '../state/chat_store.ts';
import type { LiveAnswer } from '../state/conversation.ts';
import { AnswerStatsLine } from './answer_stats.tsx';
import { CopyButton } from './copy_button.tsx';
import { Icon } from './icons.tsx';
import { MarkdownView } from './markdown_view.tsx';

/** An answer: while it is written, and afterwards. */
export function AssistantMessage({ turn, last }: { turn: ChatTurn; last: boolean }): JSX.Element {
  const { app } = useApp();
  const live = app.conversation.live.value;
  const current = live?.turnId === turn.id ? live : null;
  return (
    <article class="message assistant" aria-label="Answer" aria-busy={current !== null} data-testid="message-assistant">
      {current !== null ? <LiveBody live={current} /> : <AnswerBody text={turn.content} />}
      {current === null && (
        <div class="message-foot">
          <div class="message-actions">
            <CopyButton text={turn.content} label="Copy answer" />
            {last && (
              <button type="button" class="icon-button quiet" aria-label="Answer again" title="Answer again" data-testid="regenerate"
                disabled={live !== null || app.session.model.value === null} onClick={() => void app.conversation.regenerate()}>
                <Icon name="retry" size={16} />
              </button>
            )}
          </div>
          {turn.stats !== null && <AnswerStatsLine stats={turn.stats} />}
        </div>
      )}
    </article>
  );
}

function LiveBody({ live }: { live: LiveAnswer }): JSX.Element {
  const prefill = live.prefill.value;
  const text = live.text.value;
  if (prefill === null) return <AnswerBody text={text} live />;
  const percent = prefill.total > 0 ? Math.round((prefill.done / prefill.total) * 100) : 0;
  return (
    <>
      {/* What was written before a device was lost stays in sight while the chat is read again. */}
      {text !== '' && <AnswerBody text={text} live />}
      <p class="thinking-dots" data-testid="reading">Reading{prefill.total > 0 && percent < 100 ? ` · ${percent} %` : ''}<span aria-hidden="true" /></p>
    </>
  );
}

function AnswerBody({ text, live = false }: { text: string; live?: boolean }): JSX.Element {
  const { thinking, answer, stillThinking } = splitThinking(text);
  return (
    <>
      {thinking !== '' && (
        <details class="thoughts" open={stillThinking && live}>
          <summary>{stillThinking && live ? 'Thinking…' : 'Thoughts'}</summary>
          <MarkdownView text={thinking} live={live && stillThinking} />
        </details>
      )}
      {text === '' && !live ? <p class="hint">No answer was written.</p> : <MarkdownView text={answer} live={live && !stillThinking} />}
    </>
  );
}
