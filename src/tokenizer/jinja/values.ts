/**
 * The Python values that a chat template sees. None, bool, int, str and list are the JavaScript values null, boolean,
 * number, string and array; what JavaScript cannot tell apart or lacks has a class here.
 */

import type { Budget } from './budget.ts';

/** A template that refuses its input, fails, or asks for too much. The message is the template's own where it has one. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Python's float: a number that prints as one ("1.0"), which a JavaScript number does not remember. */
export class PyFloat {
  constructor(readonly value: number) {}
}
/** markupsafe's Markup, which the filter `safe` makes: a str that escapes for HTML whatever is added to it. */
export class PyMarkup {
  constructor(readonly text: string) {}
}
export class PyTuple {
  constructor(readonly items: readonly Value[]) {}
}
export type DictKey = string | number | boolean | null;
export class PyDict {
  constructor(readonly map: Map<DictKey, Value> = new Map()) {}
}
/** Jinja's undefined: prints as nothing, is empty and false; anything else done with it raises `message`. */
export class Undefined {
  constructor(readonly message: string) {}
}
/** An iterator of Python: read once, has no length. `typeName` as Python names it. */
export class PyIterator {
  #items: readonly Value[];
  constructor(
    items: readonly Value[],
    readonly typeName = 'generator',
  ) {
    this.#items = items;
  }
  take(): readonly Value[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}
/** dict.keys(), .values() and .items(). */
export class PyView {
  constructor(
    readonly items: readonly Value[],
    readonly typeName: 'dict_keys' | 'dict_values' | 'dict_items',
  ) {}
}
export class PyRange {
  readonly items: readonly number[];
  constructor(
    readonly start: number,
    readonly stop: number,
    readonly step: number,
  ) {
    const count = Math.max(0, Math.ceil((stop - start) / step));
    this.items = Array.from({ length: count }, (_, i) => start + i * step);
  }
}
/** An object whose attributes a template can read: `namespace()` (also written to) and `loop`. */
export class PyObject {
  constructor(
    readonly typeName: string,
    readonly attributes: Map<string, Value>,
  ) {}
}
export type Kwargs = ReadonlyMap<string, Value>;
export class PyFunction {
  constructor(
    readonly name: string,
    readonly call: (args: readonly Value[], kwargs: Kwargs, budget: Budget) => Value,
  ) {}
}

export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | PyFloat
  | PyMarkup
  | PyTuple
  | PyDict
  | Undefined
  | PyIterator
  | PyView
  | PyRange
  | PyObject
  | PyFunction;

/** The text of a str or Markup, null for anything else. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return value instanceof PyMarkup ? value.text : null;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Deeper input than any conversation has; a template's own values stay below it too. */
const MAX_DEPTH = 200;

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new TemplateError(`values are nested more than ${MAX_DEPTH} deep`);
}

/** Converts plain JSON-like data. Numbers with a fraction become floats. */
export function fromJs(value: unknown, depth = 0): Value {
  checkDepth(depth);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isInteger(value) ? value : new PyFloat(value);
    case 'bigint':
      return Number(value);
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return value.map((item) => fromJs(item, depth + 1));
      return new PyDict(
        new Map(
          Object.entries(value)
            .filter(([, item]) => item !== undefined)
            .map(([key, item]) => [key, fromJs(item, depth + 1)]),
        ),
      );
    default:
      throw new TypeError(`A ${typeof value} cannot be passed to a chat template.`);
  }
}

/** Python's type(value).__name__. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'int';
    case 'string':
      return 'str';
  }
  if (isList(value)) return 'list';
  if (value instanceof PyFloat) return 'float';
  if (value instanceof PyMarkup) return 'Markup';
  if (value instanceof PyTuple) return 'tuple';
  if (value instanceof PyDict) return 'dict';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof PyRange) return 'range';
  if (value instanceof PyFunction) return 'function';
  return value.typeName;
}

export function truthy(value: Value): boolean {
  if (value === null || value instanceof Undefined) return false;
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'number':
      return value !== 0;
    case 'string':
      return value !== '';
  }
  if (isList(value)) return value.length > 0;
  if (value instanceof PyFloat) return value.value !== 0;
  if (value instanceof PyMarkup) return value.text !== '';
  if (value instanceof PyDict) return value.map.size > 0;
  if (value instanceof PyTuple || value instanceof PyView || value instanceof PyRange) return value.items.length > 0;
  return true;
}

/** The number behind an int, float or bool; null for anything else. */
export function numeric(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof PyFloat ? value.value : null;
}

/** The items that `for` would see. */
export function iterate(value: Value): readonly Value[] {
  const text = textOf(value);
  if (text !== null) return Array.from(text);
  if (value !== null && typeof value === 'object') {
    if (isList(value)) return value;
    if (value instanceof PyDict) return [...value.map.keys()];
    if (value instanceof PyTuple || value instanceof PyView || value instanceof PyRange) return value.items;
    if (value instanceof PyIterator) return value.take();
    if (value instanceof Undefined) return [];
  }
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Accounts for an operation that may go through the whole value. */
export function spendOn(value: Value, budget: Budget): void {
  const text = textOf(value);
  if (text !== null) budget.spendLength(text.length);
  else if (value === null || typeof value !== 'object') return;
  else if (isList(value)) budget.spendItems(value.length);
  else if (value instanceof PyDict) budget.spendItems(value.map.size);
  else if (value instanceof PyTuple || value instanceof PyView || value instanceof PyRange)
    budget.spendItems(value.items.length);
}

/** Python's len(). Undefined counts as empty. */
export function lengthOf(value: Value): number {
  const text = textOf(value);
  if (text !== null) return codePointLength(text);
  if (value !== null && typeof value === 'object') {
    if (isList(value)) return value.length;
    if (value instanceof PyDict) return value.map.size;
    if (value instanceof PyTuple || value instanceof PyView || value instanceof PyRange) return value.items.length;
    if (value instanceof Undefined) return 0;
  }
  throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Whether code points and JavaScript's units differ in this text. */
export function hasSurrogates(text: string): boolean {
  return SURROGATE.test(text);
}

export function codePointLength(text: string): number {
  return hasSurrogates(text) ? Array.from(text).length : text.length;
}

export function equal(a: Value, b: Value, depth = 0): boolean {
  checkDepth(depth);
  const left = numeric(a);
  const right = numeric(b);
  if (left !== null && right !== null) return left === right;
  if (isListLike(a) && isListLike(b)) {
    if (isList(a) !== isList(b)) return false;
    const [x, y] = [iterate(a), iterate(b)];
    return x.length === y.length && x.every((item, i) => equal(item, y[i], depth + 1));
  }
  if (a instanceof PyDict && b instanceof PyDict) {
    if (a.map.size !== b.map.size) return false;
    for (const [key, item] of a.map) {
      const other = b.map.get(key);
      if (other === undefined || !equal(item, other, depth + 1)) return false;
    }
    return true;
  }
  if (a instanceof Undefined && b instanceof Undefined) return true;
  const text = textOf(a);
  return text !== null ? text === textOf(b) : a === b;
}

function isListLike(value: Value): value is readonly Value[] | PyTuple {
  return isList(value) || value instanceof PyTuple;
}

/** Negative, zero or positive as Python orders the two. @throws TemplateError where Python has no order. */
export function compare(a: Value, b: Value, operator = '<', depth = 0): number {
  checkDepth(depth);
  const left = numeric(a);
  const right = numeric(b);
  if (left !== null && right !== null) return left - right;
  const [leftText, rightText] = [textOf(a), textOf(b)];
  if (leftText !== null && rightText !== null) return compareText(leftText, rightText);
  if (isListLike(a) && isListLike(b) && isList(a) === isList(b)) {
    const [x, y] = [iterate(a), iterate(b)];
    for (let i = 0; i < Math.min(x.length, y.length); i++) {
      if (!equal(x[i], y[i])) return compare(x[i], y[i], operator, depth + 1);
    }
    return x.length - y.length;
  }
  throw new TemplateError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

/** Order by code point, which differs from JavaScript's where characters need two units. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!hasSurrogates(a) && !hasSurrogates(b)) return a < b ? -1 : 1;
  const [x, y] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i].codePointAt(0)! - y[i].codePointAt(0)!;
  }
  return x.length - y.length;
}

/** A dict key. @throws TemplateError for values that Python cannot hash, and for the few we do not keep. */
export function dictKey(value: Value): DictKey {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  if (value instanceof PyFloat) return value.value;
  if (value instanceof PyMarkup) return value.text;
  throw new TemplateError(`unhashable type: '${typeName(value)}'`);
}
