/** Binding the arguments of built-in functions, filters and methods to their parameters. */
import { numeric, PyFloat, TemplateError, textOf, typeName, type Kwargs, type Value } from './values.ts';

/**
 * Values of `names` in order, undefined where the call leaves one out.
 * @throws TemplateError for too many, unknown or doubled arguments
 */
export function bind(
  what: string,
  names: readonly string[],
  args: readonly Value[],
  kwargs: Kwargs,
): (Value | undefined)[] {
  if (args.length > names.length) {
    throw new TemplateError(`${what}() takes at most ${names.length} arguments (${args.length} given)`);
  }
  const bound: (Value | undefined)[] = names.map((_, i) => args[i]);
  for (const [name, value] of kwargs) {
    const at = names.indexOf(name);
    if (at < 0) throw new TemplateError(`${what}() got an unexpected keyword argument '${name}'`);
    if (bound[at] !== undefined) throw new TemplateError(`${what}() got multiple values for argument '${name}'`);
    bound[at] = value;
  }
  return bound;
}

export function required(what: string, name: string, value: Value | undefined): Value {
  if (value === undefined) throw new TemplateError(`${what}() missing required argument: '${name}'`);
  return value;
}

export function textArgument(what: string, value: Value | undefined): string {
  const text = value === undefined ? null : textOf(value);
  if (text !== null) return text;
  throw new TemplateError(`${what}() argument must be str, not ${value === undefined ? 'missing' : typeName(value)}`);
}

/** An int argument (bool counts), `fallback` where it is left out or None. */
export function intArgument(what: string, value: Value | undefined, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const number = value instanceof PyFloat ? null : numeric(value);
  if (number === null) throw new TemplateError(`${what}() argument must be int, not ${typeName(value)}`);
  return number;
}
