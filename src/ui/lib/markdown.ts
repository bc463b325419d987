import DOMPurify from 'dompurify';
import { Marked, type Token, type TokensList } from 'marked';

/** Turns a model's markdown into HTML that is safe to insert, one string for each top-level block. */
export interface MarkdownRenderer {
  blocks(markdown: string): readonly string[];
}

/** Blocks of one answer repeat with every token but the last one: a small cache spares their parsing. */
const CACHE_ENTRIES = 500;

/**
 * GitHub-flavoured markdown. Raw HTML is shown as text and pictures become links, so an answer can neither run
 * anything nor fetch anything; the result still goes through DOMPurify.
 */
export function createMarkdownRenderer(window: Window & typeof globalThis): MarkdownRenderer {
  const purify = DOMPurify(window);
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName !== 'A') return;
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  });
  const marked = new Marked({
    gfm: true,
    breaks: true,
    async: false,
    renderer: {
      html: ({ text }) => escapeHtml(text),
      image: ({ href, text }) => `<a href="${escapeHtml(href)}">${escapeHtml(text === '' ? href : text)}</a>`,
      checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
      table(token) {
        const row = (cells: typeof token.header, tag: 'th' | 'td'): string =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table-scroll"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
      },
      code({ text, lang }) {
        const language = (lang ?? '').trim().split(/\s/, 1)[0];
        return (
          `<div class="code-block"><div class="code-head"><span>${escapeHtml(language)}</span>` +
          `<button type="button" data-copy="" aria-label="Copy code">Copy</button></div>` +
          `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`
        );
      },
    },
  });
  const cache = new Map<string, string>();

  const parse = (markdown: string): readonly string[] => {
    const tokens = marked.lexer(markdown);
    // A definition that comes later turns '[text][name]' into a link.
    const links = Object.keys(tokens.links).length > 0 ? JSON.stringify(tokens.links) : '';
    return tokens.filter((token) => token.type !== 'space' && token.type !== 'def').map((token) => {
      const key = links + token.raw;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const html = purify.sanitize(marked.parser(alone(token, tokens)), { USE_PROFILES: { html: true } });
      if (cache.size >= CACHE_ENTRIES) cache.clear();
      cache.set(key, html);
      return html;
    });
  };

  return {
    blocks(markdown) {
      try {
        return parse(markdown);
      } catch (error) {
        // Thousands of nested quotes, as a model in a loop writes them, are too deep for a recursive parser.
        if (!(error instanceof RangeError)) throw error;
        return [`<p class="plain">${escapeHtml(markdown)}</p>`];
      }
    },
  };
}

/** One block as marked's parser takes it, with the link definitions of the whole text. */
function alone(token: Token, all: TokensList): TokensList {
  return Object.assign([token], { links: all.links });
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** A reasoning model's answer: what it thought in <think> tags, and what it says. */
export interface SplitAnswer {
  readonly thinking: string;
  readonly answer: string;
  /** True while the closing tag hasn't come. */
  readonly stillThinking: boolean;
}

/** Splits `<think>…</think>` off the start of an answer; some templates put the opening tag into the prompt. */
export function splitThinking(text: string): SplitAnswer {
  const open = /^\s*<think>/.exec(text);
  const end = text.indexOf('</think>');
  if (open === null && end < 0) return { thinking: '', answer: text, stillThinking: false };
  const start = open === null ? 0 : open[0].length;
  if (end < 0) return { thinking: text.slice(start).trim(), answer: '', stillThinking: true };
  return { thinking: text.slice(start, end).trim(), answer: text.slice(end + '</think>'.length).trimStart(), stillThinking: false };
}
