/** Chat templates: from a conversation to the text a model was trained on, as transformers' apply_chat_template does. */
import type { Node } from './jinja/ast.ts';
import { templateGlobals } from './jinja/globals.ts';
import { Interpreter } from './jinja/interpreter.ts';
import { parseTemplate } from './jinja/syntax.ts';
import { fromJs, TemplateError } from './jinja/values.ts';

export { TemplateError };

export interface ChatTemplateContext {
  readonly messages: readonly unknown[];
  readonly add_generation_prompt: boolean;
  readonly bos_token?: string;
  readonly eos_token?: string;
  readonly tools?: readonly unknown[] | null;
  /** Anything else a template asks for (enable_thinking, documents, …), as plain data. */
  readonly [name: string]: unknown;
}

/** What stands in where a model brings no template (OpenAI's ChatML). */
export const CHATML_TEMPLATE =
  "{%- for message in messages -%}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' -}}" +
  "{%- endfor -%}{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

export interface ResolvedChatTemplate {
  readonly source: 'model' | 'chatml';
  readonly template: string;
}

/** The model's own template, or ChatML where it has none. */
export function resolveChatTemplate(template: string | null): ResolvedChatTemplate {
  return template !== null && template.trim() !== ''
    ? { source: 'model', template }
    : { source: 'chatml', template: CHATML_TEMPLATE };
}

/** A parsed template: render it once for each turn of a conversation. */
export class ChatTemplate {
  readonly #program: Node;

  /** @throws TemplateError with one sentence where the source is no valid template */
  constructor(source: string) {
    this.#program = parseTemplate(source);
  }

  /**
   * @param now the clock of `strftime_now`; local time is used
   * @throws TemplateError with the template's own message where it refuses the conversation (`raise_exception`), else
   *   with Python's message of what went wrong, or where it exceeds the bounds on time, nesting or output
   */
  render(context: ChatTemplateContext, now: () => Date): string {
    const names = new Map(
      Object.entries(context)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, fromJs(value)]),
    );
    try {
      return new Interpreter().render(this.#program, templateGlobals(now), names);
    } catch (error) {
      if (error instanceof RangeError) throw new TemplateError('the chat template is nested too deeply');
      throw error;
    }
  }
}

/** Parses and renders in one go: see ChatTemplate. */
export function renderChatTemplate(
  template: string,
  context: ChatTemplateContext,
  now: () => Date = () => new Date(),
): string {
  return new ChatTemplate(template).render(context, now);
}
