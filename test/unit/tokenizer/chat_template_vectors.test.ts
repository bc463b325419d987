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
