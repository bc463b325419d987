/** Bounds on what a template, which comes with a model file and may be hostile, can make us do. */
import { TemplateError } from './values.ts';

export const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024;
/**
 * Work units: one an evaluated node, one for each 16 characters and each 4 items looked at or made. Published templates
 * use thousands; this many take a second or a few.
 */
const MAX_WORK = 8_000_000;
const LENGTH_PER_UNIT = 16;
/** An item of a list costs as much as this many characters. */
const LENGTH_PER_ITEM = 4;
const MAX_CALL_DEPTH = 100;

export class Budget {
  #work = 0;
  #depth = 0;

  spend(units: number): void {
    this.#work += units;
    if (this.#work > MAX_WORK) throw new TemplateError('the chat template does not come to an end in reasonable time');
  }

  /** Accounts for a text of this length, before it is made where that is possible. */
  spendLength(length: number): void {
    if (length > MAX_OUTPUT_LENGTH) {
      throw new TemplateError(`the chat template makes a text of more than ${MAX_OUTPUT_LENGTH} characters`);
    }
    this.spend(length / LENGTH_PER_UNIT);
  }

  spendItems(count: number): void {
    this.spendLength(count * LENGTH_PER_ITEM);
  }

  /** Runs one call of a macro or function. */
  nested<T>(body: () => T): T {
    if (++this.#depth > MAX_CALL_DEPTH)
      throw new TemplateError(`macros call each other more than ${MAX_CALL_DEPTH} deep`);
    try {
      return body();
    } finally {
      this.#depth--;
    }
  }
}
