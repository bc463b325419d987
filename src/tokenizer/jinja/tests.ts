/** Jinja's built-in tests: what may follow `is`. */
import { str } from './printing.ts';
import {
  compare,
  equal,
  isList,
  iterate,
  lengthOf,
  numeric,
  PyDict,
  PyFloat,
  PyFunction,
  PyIterator,
  PyMarkup,
  PyObject,
  PyView,
  TemplateError,
  textOf,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

type Test = (value: Value, args: readonly Value[]) => boolean;

function argument(args: readonly Value[]): Value {
  if (args.length === 0) throw new TemplateError('the test needs an argument');
  return args[0];
}

function remainder(value: Value, divisor: Value): number {
  const [a, b] = [numeric(value), numeric(divisor)];
  if (a === null || b === null)
    throw new TemplateError(`unsupported operand type(s) for %: '${typeName(value)}' and '${typeName(divisor)}'`);
  return ((a % b) + b) % b;
}

function isIterable(value: Value): boolean {
  return (
    typeof value === 'string' ||
    (value !== null &&
      typeof value === 'object' &&
      !(value instanceof PyFloat || value instanceof PyFunction || value instanceof PyObject))
  );
}

/** `in`: substring of a text, key of a dict, item of anything else. */
export function contains(container: Value, value: Value): boolean {
  const text = textOf(container);
  if (text !== null) {
    const part = textOf(value);
    if (part === null) {
      throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(value)}`);
    }
    return text.includes(part);
  }
  if (container instanceof PyDict && (typeof value === 'string' || typeof value === 'number'))
    return container.map.has(value);
  if (container === null || !isIterable(container)) {
    throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
  }
  return iterate(container).some((item) => equal(item, value));
}

function hasCase(text: string, which: 'lower' | 'upper'): boolean {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower !== upper && text === (which === 'lower' ? lower : upper);
}

function sameObject(a: Value, b: Value): boolean {
  return a === b || (a instanceof PyFloat && b instanceof PyFloat && a.value === b.value);
}

const TESTS: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === 'number',
  float: (value) => value instanceof PyFloat,
  number: (value) => numeric(value) !== null,
  string: (value) => textOf(value) !== null,
  mapping: (value) => value instanceof PyDict,
  iterable: isIterable,
  sequence: (value) =>
    textOf(value) !== null ||
    isList(value) ||
    (value !== null &&
      typeof value === 'object' &&
      !(value instanceof PyIterator || value instanceof PyView) &&
      isIterable(value) &&
      lengthOf(value) >= 0),
  callable: (value) => value instanceof PyFunction,
  odd: (value) => remainder(value, 2) === 1,
  even: (value) => remainder(value, 2) === 0,
  divisibleby: (value, args) => remainder(value, argument(args)) === 0,
  lower: (value) => hasCase(str(value), 'lower'),
  upper: (value) => hasCase(str(value), 'upper'),
  eq: (value, args) => equal(value, argument(args)),
  ne: (value, args) => !equal(value, argument(args)),
  lt: (value, args) => compare(value, argument(args), '<') < 0,
  le: (value, args) => compare(value, argument(args), '<=') <= 0,
  gt: (value, args) => compare(value, argument(args), '>') > 0,
  ge: (value, args) => compare(value, argument(args), '>=') >= 0,
  in: (value, args) => contains(argument(args), value),
  sameas: (value, args) => sameObject(value, argument(args)),
  escaped: (value) => value instanceof PyMarkup,
};
const ALIASES: Readonly<Record<string, string>> = {
  '==': 'eq',
  equalto: 'eq',
  '!=': 'ne',
  '<': 'lt',
  lessthan: 'lt',
  '<=': 'le',
  '>': 'gt',
  greaterthan: 'gt',
  '>=': 'ge',
};

function testOf(name: string): Test | undefined {
  const canonical = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  return Object.hasOwn(TESTS, canonical) ? TESTS[canonical] : undefined;
}

/** @throws TemplateError where there is no such test */
export function jinjaTest(name: string, value: Value, args: readonly Value[]): boolean {
  const test = testOf(name);
  if (!test) throw new TemplateError(`No test named '${name}' found.`);
  return test(value, args);
}
