/** The chat templates of 70 released models against Python's Jinja2 (test/vectors/chat-templates). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ChatTemplate, TemplateError, type ChatTemplateContext } from '../../../src/tokenizer/chat_template.ts';

interface TemplateVector {
  readonly name: string;
  readonly template: string;
  readonly cases: readonly {
    readonly case: string;
    readonly context: ChatTemplateContext;
    readonly ok?: string;
    /** "TypeOfException: message" */
    readonly error?: string;
  }[];
}

const file = new URL('../../vectors/chat-templates/templates.json.gz', import.meta.url);
const vectors = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as TemplateVector[];
/** The time at which the references were rendered. */
const now = (): Date => new Date(2026, 10, 30, 12, 0, 0);

it('has all templates, and some that refuse', () => {
  expect(vectors).toHaveLength(70);
  expect(vectors.flatMap(({ cases }) => cases.filter(({ error }) => error !== undefined))).toHaveLength(7);
});

describe.each(vectors)('$name', ({ template, cases }) => {
  it.each(cases)('$case', ({ context, ok, error }) => {
    const render = (): string => new ChatTemplate(template).render(context, now);
    if (ok !== undefined) {
      expect(render()).toBe(ok);
      return;
    }
    expect(render).toThrow(TemplateError);
    expect(render).toThrow(error!.replace(/^\w+: /, ''));
  });

  it('reads the same with Windows line ends', () => {
    const rendered = cases.filter(({ ok }) => ok !== undefined);
    const windows = new ChatTemplate(template.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'));
    for (const { context, ok } of rendered) expect(windows.render(context, now)).toBe(ok);
  });
});

/** Python's message without its exception type; ours words a few differently. */
function reasonOf(error: string): string | null {
  const reason = error.replace(/^\w+(?:: |$)/, '');
  const worded = /^$|^No (?:filter|test) named|^cannot unpack/.test(reason);
  return worded ? null : reason;
}

function expectAsPython(render: () => string, { ok, error }: { readonly ok?: string; readonly error?: string }): void {
  if (ok !== undefined) {
    expect(render()).toBe(ok);
    return;
  }
  expect(render).toThrow(TemplateError);
  const reason = reasonOf(error!);
  if (reason !== null) expect(render).toThrow(reason);
}

describe('expressions on one context', () => {
  const path = new URL('../../vectors/chat-templates/expressions.json', import.meta.url);
  const { context, cases } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly context: ChatTemplateContext;
    readonly cases: readonly { readonly template: string; readonly ok?: string; readonly error?: string }[];
  };

  it('has many', () => expect(cases.length).toBeGreaterThan(130));
  it.each(cases)('$template', ({ template, ...expected }) => {
    expectAsPython(() => new ChatTemplate(template).render(context, now), expected);
  });
});

describe('conversations with tools, reasoning, lists of parts and mistakes', () => {
  const folder = new URL('../../vectors/chat-templates/', import.meta.url);
  const contexts = JSON.parse(readFileSync(new URL('conversations.json', folder), 'utf8')) as Record<
    string,
    ChatTemplateContext
  >;
  const results = JSON.parse(
    gunzipSync(readFileSync(new URL('conversations.json.gz', folder))).toString('utf8'),
  ) as readonly {
    readonly name: string;
    readonly case: string;
    readonly ok?: string;
    readonly error?: string;
  }[];

  it.each(vectors)('$name', ({ name, template }) => {
    const own = results.filter((result) => result.name === name);
    expect(own).toHaveLength(Object.keys(contexts).length);
    const parsed = new ChatTemplate(template);
    for (const result of own) expectAsPython(() => parsed.render(contexts[result.case], now), result);
  });
});
