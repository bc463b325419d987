/** markupsafe's rules for text that a template marked as safe HTML: they show in what a few templates print. */
import { isList, PyMarkup, PyTuple, textOf, type Value } from './values.ts';

const ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', "'": '#39', '"': '#34' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>'"]/g, (char) => `&${ENTITIES[char]};`);
}

/** A value as part of a Markup: plain text is escaped, everything else stays. */
export function escaped(value: Value): Value {
  return typeof value === 'string' ? escapeHtml(value) : value;
}

/** Methods of str whose text arguments Markup escapes. */
const ESCAPING_METHODS: ReadonlySet<string> = new Set([
  'replace',
  'strip',
  'lstrip',
  'rstrip',
  'center',
  'ljust',
  'rjust',
  'join',
  'format',
]);

export function methodArguments(name: string, args: readonly Value[]): readonly Value[] {
  if (!ESCAPING_METHODS.has(name)) return args;
  return args.map((value) => (isList(value) ? value.map(escaped) : escaped(value)));
}

/** What a method of Markup gives back: its texts are Markup again. */
export function asMarkup(value: Value): Value {
  if (typeof value === 'string') return new PyMarkup(value);
  if (isList(value)) return value.map(asMarkup);
  return value instanceof PyTuple ? new PyTuple(value.items.map(asMarkup)) : value;
}

/** `left + right` where one of them is Markup; undefined where they are not both texts. */
export function concatenateMarkup(left: Value, right: Value): PyMarkup | undefined {
  if (!(left instanceof PyMarkup || right instanceof PyMarkup)) return undefined;
  const [a, b] = [textOf(escaped(left)), textOf(escaped(right))];
  return a === null || b === null ? undefined : new PyMarkup(a + b);
}
