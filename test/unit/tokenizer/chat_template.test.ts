import { describe, expect, it } from 'vitest';
import {
  CHATML_TEMPLATE,
  ChatTemplate,
  renderChatTemplate,
  resolveChatTemplate,
  TemplateError,
  type ChatTemplateContext,
} from '../../../src/tokenizer/chat_template.ts';

const context: ChatTemplateContext = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ],
  add_generation_prompt: true,
  bos_token: '<s>',
  eos_token: '</s>',
};

function refusal(template: string, values: Partial<ChatTemplateContext> = {}): string {
  try {
    return `no refusal but: ${renderChatTemplate(template, { ...context, ...values }).slice(0, 100)}`;
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    return (error as TemplateError).message;
  }
}

describe('the fallback', () => {
  it('is ChatML where a model has no template', () => {
    expect(resolveChatTemplate(null)).toEqual({ source: 'chatml', template: CHATML_TEMPLATE });
    expect(resolveChatTemplate('  \n')).toEqual({ source: 'chatml', template: CHATML_TEMPLATE });
    expect(resolveChatTemplate('{{ 1 }}')).toEqual({ source: 'model', template: '{{ 1 }}' });
    expect(renderChatTemplate(CHATML_TEMPLATE, context)).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
    );
  });
});

describe('the clock', () => {
  it('is the one passed in', () => {
    const template = new ChatTemplate("{{ strftime_now('%d %b %Y %H:%M') }}");
    expect(template.render(context, () => new Date(2024, 0, 5, 7, 3))).toBe('05 Jan 2024 07:03');
  });
});

describe('values left out', () => {
  it('are undefined in the template', () => {
    expect(renderChatTemplate('{{ tools is defined }}{{ x is defined }}', { ...context, tools: undefined })).toBe(
      'FalseFalse',
    );
    expect(renderChatTemplate('{{ tools is none }}', { ...context, tools: null })).toBe('True');
  });
});

describe('a broken template gives one sentence', () => {
  it.each([
    ['{% if x %}a', 'it ends in the middle of a block or expression'],
    ['{{ a b }}', 'syntax error'],
    ['{% frobnicate %}', 'Unknown statement type: frobnicate'],
    ["{{ 'a }}", 'Unexpected end of input'],
    ['{{ a | }}', 'syntax error'],
    ['{% for %}{% endfor %}', 'syntax error'],
    [`{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`, 'nested too deeply'],
    [`{{ x ${'is eq(x '.repeat(500)}${')'.repeat(500)} }}`, 'nested too deeply'],
    [`a${' '.repeat(5000)}b`, 'more than 1024 blank characters'],
    ['x'.repeat(1024 * 1024 + 1), 'longer than 1048576 characters'],
  ])('%#', (template, reason) => {
    const message = refusal(template);
    expect(message).toContain(reason);
    expect(message).toMatch(/^The chat template [^\n]*\.$/);
  });
});

describe('a hostile template is stopped', () => {
  const time = 'the chat template does not come to an end in reasonable time';
  const size = 'the chat template makes a text of more than 16777216 characters';
  const depth = 'macros call each other more than 100 deep';
  it.each([
    ['nested loops', '{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}', time],
    ['ranges', '{% for a in range(99999) %}{% set x = range(99999)|list %}{% endfor %}', time],
    ['a long text', "{{ 'x' * 100000000 }}", size],
    ['much output', "{% set x = 'x' * 1000000 %}{% for a in range(99) %}{{ x }}{% endfor %}", size],
    [
      'doubling',
      "{% set ns = namespace(x='xx') %}{% for a in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
      size,
    ],
    [
      'doubling lists',
      '{% set ns = namespace(x=[1]) %}{% for a in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
      size,
    ],
    ['join', "{{ range(99999)|join('x' * 1000) }}", size],
    ['replace', "{{ ('a' * 100000).replace('a', 'b' * 1000) }}", size],
    ['padding', "{{ 'a'.center(100000000) }}", size],
    ['a wide format', "{{ '{:100000000}'.format(1) }}", "the format '100000000' is too wide"],
    ['recursion', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', depth],
    ['long searches', "{% set x = 'x' * 9000000 %}{% for a in range(99999) %}{{ x.find('y') }}{% endfor %}", time],
  ])('%s', (_name, template, message) => {
    expect(refusal(template)).toBe(message);
  });

  it('and cannot reach JavaScript', () => {
    expect(refusal("{{ ''.constructor.constructor('return 1')() }}")).toBe(
      "'str object' has no attribute 'constructor'",
    );
    expect(renderChatTemplate('{{ messages.__proto__ }}{{ messages[0].toString }}{{ ({}).__class__ }}', context)).toBe(
      '',
    );
    expect(refusal("{{ 'a'|constructor }}")).toBe("No filter named 'constructor' found.");
  });

  it('and deep input is refused', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 300; i++) deep = [deep];
    expect(refusal('{{ deep }}', { deep })).toBe('values are nested more than 200 deep');
  });
});
