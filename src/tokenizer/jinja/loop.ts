/** The `loop` variable of a for loop. */
import { bind } from './arguments.ts';
import { equal, PyFunction, PyObject, TemplateError, Undefined, type Value } from './values.ts';

export class LoopState {
  readonly #items: readonly Value[];
  #changedValue: Value | undefined;

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  at(index: number): PyObject {
    const count = this.#items.length;
    return new PyObject(
      'LoopContext',
      new Map<string, Value>([
        ['index', index + 1],
        ['index0', index],
        ['revindex', count - index],
        ['revindex0', count - index - 1],
        ['first', index === 0],
        ['last', index === count - 1],
        ['length', count],
        // Only recursive loops, which chat templates have no use for, go deeper.
        ['depth', 1],
        ['depth0', 0],
        ['previtem', index > 0 ? this.#items[index - 1] : new Undefined('there is no previous item')],
        ['nextitem', index + 1 < count ? this.#items[index + 1] : new Undefined('there is no next item')],
        [
          'cycle',
          new PyFunction('cycle', (args) => {
            if (args.length === 0) throw new TemplateError('no items for cycling given');
            return args[index % args.length];
          }),
        ],
        [
          'changed',
          new PyFunction('changed', (args, kwargs) => {
            const [value = null] = bind('changed', ['value'], args, kwargs);
            const changed = this.#changedValue === undefined || !equal(this.#changedValue, value);
            this.#changedValue = value;
            return changed;
          }),
        ],
      ]),
    );
  }
}
