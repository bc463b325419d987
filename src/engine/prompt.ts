/** From a conversation or a raw text to the tokens that the model is given. */
import { ChatTemplate, resolveChatTemplate, TemplateError, type ResolvedChatTemplate } from '../tokenizer/chat_template.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import type { ChatMessage } from './types.ts';

export class Prompter {
  readonly tokenizer: Tokenizer;
  readonly #resolved: ResolvedChatTemplate;
  readonly #now: () => Date;
  #parsed: ChatTemplate | null = null;

  /** @param now what templates take as today's date */
  constructor(tokenizer: Tokenizer, chatTemplate: string | null, now: () => Date) {
    this.tokenizer = tokenizer;
    this.#resolved = resolveChatTemplate(chatTemplate);
    this.#now = now;
  }

  /**
   * Renders and tokenises a conversation as transformers' apply_chat_template does: the template alone decides on the
   * beginning token. ChatML knows none, so there it comes from the tokenizer.
   * @param addGenerationPrompt whether the assistant's turn is opened
   * @throws Error with the template's own message where it refuses the conversation
   */
  chat(messages: readonly ChatMessage[], addGenerationPrompt: boolean): number[] {
    const text = this.#render(messages, addGenerationPrompt);
    const tokens = this.tokenizer.encode(text, { addSpecial: false, parseSpecial: true });
    return this.#resolved.source === 'chatml' ? this.#withBos(tokens) : tokens;
  }

  /**
   * A raw text, control tokens included (`<|im_start|>`): whoever writes a prompt by hand means them. The end token
   * that some tokenizers add is left out, since the text is to be continued.
   * @throws RangeError for an empty text to a model without a beginning token.
   */
  text(text: string): number[] {
    const tokens = this.#withBos(this.tokenizer.encode(text, { addSpecial: false, parseSpecial: true }));
    if (tokens.length === 0) throw new RangeError('The prompt is empty: give the model some text to continue.');
    return tokens;
  }

  #render(messages: readonly ChatMessage[], addGenerationPrompt: boolean): string {
    try {
      // Parsed at first use: a broken template should not keep a model from opening for raw text.
      this.#parsed ??= new ChatTemplate(this.#resolved.template);
      return this.#parsed.render({
        messages, add_generation_prompt: addGenerationPrompt,
        bos_token: this.tokenizer.bosToken, eos_token: this.tokenizer.eosToken,
      }, this.#now);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw new Error(`The model's chat template doesn't take this conversation: ${error.message}`, { cause: error });
    }
  }

  #withBos(tokens: number[]): number[] {
    const { addBos, bosId } = this.tokenizer;
    return addBos && bosId !== null && tokens[0] !== bosId ? [bosId, ...tokens] : tokens;
  }
}
