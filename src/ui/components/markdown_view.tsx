import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../context.ts';

/** How long a copy button says that it has copied. */
const COPIED_MILLIS = 1500;

/** Markdown as HTML. A live text is parsed again at most once a frame, and only its changed blocks are replaced. */
export function MarkdownView({ text, live }: { text: string; live: boolean }): JSX.Element {
  const { markdown } = useApp();
  const shown = useFrameThrottled(text, live);
  const blocks = useMemo(() => markdown.blocks(shown), [markdown, shown]);
  return (
    <div class={`markdown${live ? ' live' : ''}`} data-testid="markdown" onClick={copyCode}>
      {blocks.map((html, index) => <div key={index} class="block" dangerouslySetInnerHTML={{ __html: html }} />)}
    </div>
  );
}

function useFrameThrottled(text: string, live: boolean): string {
  const [shown, setShown] = useState(text);
  const latest = useRef(text);
  const frame = useRef(0);
  latest.current = text;
  useEffect(() => {
    if (!live || frame.current !== 0) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      setShown(latest.current);
    });
  }, [text, live]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return live ? shown : text;
}

/** One listener for the copy buttons of all code blocks, which are plain HTML. */
function copyCode(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-copy]') : null;
  const code = button?.closest('.code-block')?.querySelector('code');
  if (button === null || code === null || code === undefined) return;
  navigator.clipboard.writeText(code.textContent ?? '').then(
    () => flash(button, 'Copied'),
    () => flash(button, 'Not allowed'),
  );
}

function flash(button: HTMLButtonElement, label: string): void {
  button.textContent = label;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_MILLIS);
}
