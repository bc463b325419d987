/** Jinja's built-in filters, with transformers' `tojson`. */
import { bind, intArgument, required, textArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { attributeOf, itemOf } from './attributes.ts';
import { formatPercent } from './format.ts';
import { asMarkup, escapeHtml } from './markup.ts';
import { binary } from './operators.ts';
import { jsonDumps, str } from './printing.ts';
import { jinjaTest } from './tests.ts';
import { capitalize, replaceText, splitLines, strip, textMethod } from './text_methods.ts';
import {
  codePointLength,
  compare,
  equal,
  iterate,
  lengthOf,
  numeric,
  PyDict,
  PyFloat,
  PyIterator,
  PyMarkup,
  PyTuple,
  TemplateError,
  truthy,
  typeName,
  Undefined,
  type Kwargs,
  type Value,
} from './values.ts';

/** What a filter may use of the interpreter. */
export interface FilterContext {
  readonly budget: Budget;
  applyFilter(name: string, value: Value, args: readonly Value[], kwargs: Kwargs): Value;
}
type Filter = (value: Value, args: readonly Value[], kwargs: Kwargs, context: FilterContext) => Value;

const NO_KWARGS: Kwargs = new Map();

/** The value at a dotted path such as "function.name" or 0. */
function atPath(value: Value, path: Value, fallback?: Value): Value {
  const steps =
    typeof path === 'string' ? path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)) : [path];
  let at = value;
  for (const step of steps) {
    at = itemOf(at, step);
    if (at instanceof Undefined && fallback !== undefined) at = fallback;
  }
  return at;
}

/** Sort and comparison key: lower-cased unless the filter is told to mind the case. */
function keyOf(attribute: Value | undefined, caseSensitive: Value | undefined): (item: Value) => Value {
  const fold = caseSensitive === undefined || !truthy(caseSensitive);
  const paths =
    typeof attribute === 'string'
      ? attribute.split(',')
      : attribute === undefined || attribute === null
        ? null
        : [attribute];
  const folded = (value: Value): Value => (fold && typeof value === 'string' ? value.toLowerCase() : value);
  if (!paths) return folded;
  return paths.length === 1
    ? (item) => folded(atPath(item, paths[0]))
    : (item) => paths.map((path) => folded(atPath(item, path)));
}

function sorted(
  items: readonly Value[],
  key: (item: Value) => Value,
  reverse: Value | undefined,
  budget: Budget,
): Value[] {
  budget.spend(items.length * 8);
  const sign = reverse !== undefined && truthy(reverse) ? -1 : 1;
  return items
    .map((item) => [key(item), item] as const)
    .sort(([a], [b]) => sign * compare(a, b))
    .map(([, item]) => item);
}

/** select, reject, selectattr, rejectattr. */
function selecting(keep: boolean, byAttribute: boolean): Filter {
  return (value, args, _kwargs, context) => {
    if (!truthy(value)) return new PyIterator([]);
    const rest = byAttribute ? args.slice(1) : args;
    const path = byAttribute ? required('selectattr', 'attribute', args[0]) : null;
    const test =
      rest.length === 0 ? truthy : (item: Value) => jinjaTest(textArgument('select', rest[0]), item, rest.slice(1));
    return new PyIterator(
      iterate(value).filter((item) => {
        context.budget.spend(1);
        return test(path === null ? item : atPath(item, path)) === keep;
      }),
    );
  };
}

function extreme(sign: 1 | -1): Filter {
  return (value, args, kwargs) => {
    const [caseSensitive, attribute] = bind('min', ['case_sensitive', 'attribute'], args, kwargs);
    const key = keyOf(attribute, caseSensitive);
    const items = iterate(value);
    if (items.length === 0) return new Undefined('No aggregated item, sequence was empty.');
    return items.reduce((best, item) => (sign * compare(key(item), key(best)) < 0 ? item : best));
  };
}

function endItem(which: 'first' | 'last'): Filter {
  return (value) => {
    const items = iterate(value);
    if (items.length === 0) return new Undefined(`No ${which} item, sequence was empty.`);
    return which === 'first' ? items[0] : items[items.length - 1];
  };
}

/** A filter that is a method of str applied to the value as text. */
function viaMethod(name: string): Filter {
  return (value, args, kwargs, { budget }) => textMethod(name)!(str(value), args, kwargs, budget);
}

function toInt(value: Value, args: readonly Value[], kwargs: Kwargs): Value {
  const [fallback = 0, base] = bind('int', ['default', 'base'], args, kwargs);
  const number = numeric(value);
  if (number !== null) return Number.isFinite(number) ? Math.trunc(number) : fallback;
  if (typeof value !== 'string') return fallback;
  const text = strip(value, null).replace(/(?<=\d)_(?=\d)/g, '');
  const radix = intArgument('int', base, 10);
  if (radix === 10 && /^[+-]?\d+$/.test(text)) return Number(text);
  if (radix !== 10) {
    const digits = text.replace(/^([+-]?)0[xXoObB]/, '$1');
    const parsed = Number.parseInt(digits, radix);
    return Number.isNaN(parsed) ? fallback : parsed;
  }
  const parsed = parseFloatText(text);
  return parsed !== null && Number.isFinite(parsed) ? Math.trunc(parsed) : fallback;
}

function parseFloatText(text: string): number | null {
  const trimmed = strip(text, null);
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : null;
}

const FILTERS: Readonly<Record<string, Filter>> = {
  safe: (value) => new PyMarkup(str(value)),
  string: (value) => str(value),
  upper: viaMethod('upper'),
  lower: viaMethod('lower'),
  capitalize: (value) => capitalize(str(value)),
  title: (value) => str(value).replace(/[^-\s({[<]+/g, (word) => capitalize(word)),
  trim: (value, args, kwargs) => {
    const [chars] = bind('trim', ['chars'], args, kwargs);
    return strip(str(value), chars === undefined || chars === null ? null : textArgument('trim', chars));
  },
  center: (value, args, kwargs, { budget }) => {
    const [width = 80] = bind('center', ['width'], args, kwargs);
    return textMethod('center')!(str(value), [width], NO_KWARGS, budget);
  },
  replace: (value, args, kwargs, { budget }) => {
    const [from, to, count] = bind('replace', ['old', 'new', 'count'], args, kwargs);
    const text = (part: Value | undefined): string => str(required('replace', 'new', part));
    return replaceText(str(value), text(from), text(to), intArgument('replace', count, -1), budget);
  },
  indent: (value, args, kwargs, { budget }) => {
    const [width = 4, first, blank] = bind('indent', ['width', 'first', 'blank'], args, kwargs);
    const indention =
      typeof width === 'string' ? width : ' '.repeat(Math.min(10_000, Math.max(0, intArgument('indent', width, 4))));
    // Jinja adds the newline so that a text's last line end is kept.
    const lines = splitLines(`${str(value)}\n`);
    budget.spendLength(str(value).length + lines.length * indention.length);
    const all = blank !== undefined && truthy(blank);
    const body = lines.map((line, i) => (i > 0 && (all || line !== '') ? indention + line : line)).join('\n');
    return first !== undefined && truthy(first) ? indention + body : body;
  },
  truncate: (value, args, kwargs) => {
    const [length, killWords, end = '...', leeway] = bind(
      'truncate',
      ['length', 'killwords', 'end', 'leeway'],
      args,
      kwargs,
    );
    const [chars, tail] = [Array.from(str(value)), str(end)];
    const limit = intArgument('truncate', length, 255);
    if (chars.length <= limit + intArgument('truncate', leeway, 5)) return chars.join('');
    const head = chars.slice(0, Math.max(0, limit - codePointLength(tail))).join('');
    if (killWords !== undefined && truthy(killWords)) return head + tail;
    const space = head.lastIndexOf(' ');
    return (space < 0 ? head : head.slice(0, space)) + tail;
  },
  wordcount: (value) => str(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  format: (value, args, kwargs, { budget }) => {
    const named = new PyDict(new Map(kwargs));
    return formatPercent(str(value), kwargs.size > 0 ? named : new PyTuple(args), budget);
  },
  escape: (value) => new PyMarkup(escapeHtml(str(value))),
  urlencode: (value) =>
    encodeURIComponent(str(value))
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),

  default: (value, args, kwargs) => {
    const [fallback = '', boolean] = bind('default', ['default_value', 'boolean'], args, kwargs);
    const replaced = value instanceof Undefined || (boolean !== undefined && truthy(boolean) && !truthy(value));
    return replaced ? fallback : value;
  },
  length: (value) => lengthOf(value),
  int: (value, args, kwargs) => toInt(value, args, kwargs),
  float: (value, args, kwargs) => {
    const [fallback = new PyFloat(0)] = bind('float', ['default'], args, kwargs);
    const number = numeric(value) ?? (typeof value === 'string' ? parseFloatText(value) : null);
    return number === null ? fallback : new PyFloat(number);
  },
  abs: (value) => {
    const number = numeric(value);
    if (number === null) throw new TemplateError(`bad operand type for abs(): '${typeName(value)}'`);
    return value instanceof PyFloat ? new PyFloat(Math.abs(number)) : Math.abs(number);
  },
  round: (value, args, kwargs) => {
    const [precision, method = 'common'] = bind('round', ['precision', 'method'], args, kwargs);
    const number = numeric(value);
    if (number === null) throw new TemplateError(`type ${typeName(value)} doesn't define __round__ method`);
    const scale = 10 ** intArgument('round', precision, 0);
    const scaled = number * scale;
    if (method === 'ceil') return new PyFloat(Math.ceil(scaled) / scale);
    if (method === 'floor') return new PyFloat(Math.floor(scaled) / scale);
    // Python rounds halves to the even neighbour.
    const down = Math.floor(scaled);
    const half = scaled - down === 0.5;
    return new PyFloat((half ? down + (Math.abs(down) % 2) : Math.round(scaled)) / scale);
  },

  list: (value) => [...iterate(value)],
  items: (value) => {
    if (value instanceof Undefined) return new PyIterator([]);
    if (!(value instanceof PyDict)) throw new TemplateError('Can only get item pairs from a mapping.');
    return new PyIterator([...value.map].map((entry) => new PyTuple(entry)));
  },
  first: endItem('first'),
  last: endItem('last'),
  min: extreme(1),
  max: extreme(-1),
  sum: (value, args, kwargs, { budget }) => {
    const [attribute, start = 0] = bind('sum', ['attribute', 'start'], args, kwargs);
    const items = iterate(value).map((item) =>
      attribute === undefined || attribute === null ? item : atPath(item, attribute),
    );
    return items.reduce((sum, item) => binary('+', sum, item, budget), start);
  },
  join: (value, args, kwargs, { budget }) => {
    const [separator = '', attribute] = bind('join', ['d', 'attribute'], args, kwargs);
    const parts = iterate(value).map((item) =>
      str(attribute === undefined || attribute === null ? item : atPath(item, attribute)),
    );
    const between = str(separator);
    budget.spendLength(parts.reduce((sum, part) => sum + part.length + between.length, 0));
    return parts.join(between);
  },
  reverse: (value) =>
    typeof value === 'string'
      ? Array.from(value).reverse().join('')
      : new PyIterator([...iterate(value)].reverse(), 'list_reverseiterator'),
  sort: (value, args, kwargs, { budget }) => {
    const [reverse, caseSensitive, attribute] = bind('sort', ['reverse', 'case_sensitive', 'attribute'], args, kwargs);
    return sorted(iterate(value), keyOf(attribute, caseSensitive), reverse, budget);
  },
  dictsort: (value, args, kwargs, { budget }) => {
    const [caseSensitive, by = 'key', reverse] = bind('dictsort', ['case_sensitive', 'by', 'reverse'], args, kwargs);
    if (!(value instanceof PyDict)) throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`);
    if (by !== 'key' && by !== 'value') throw new TemplateError('You can only sort by either "key" or "value"');
    const key = keyOf(by === 'key' ? 0 : 1, caseSensitive);
    return sorted(
      [...value.map].map((entry) => new PyTuple(entry)),
      key,
      reverse,
      budget,
    );
  },
  unique: (value, args, kwargs, { budget }) => {
    const [caseSensitive, attribute] = bind('unique', ['case_sensitive', 'attribute'], args, kwargs);
    const key = keyOf(attribute, caseSensitive);
    const seen: Value[] = [];
    return new PyIterator(
      iterate(value).filter((item) => {
        const itemKey = key(item);
        budget.spend(seen.length);
        if (seen.some((other) => equal(other, itemKey))) return false;
        seen.push(itemKey);
        return true;
      }),
    );
  },
  map: (value, args, kwargs, context) => {
    if (!truthy(value)) return new PyIterator([]);
    const attribute = kwargs.get('attribute');
    const items = iterate(value);
    context.budget.spendLength(items.length);
    if (args.length === 0 && attribute !== undefined) {
      return new PyIterator(items.map((item) => atPath(item, attribute, kwargs.get('default'))));
    }
    const name = textArgument('map', args[0]);
    return new PyIterator(items.map((item) => context.applyFilter(name, item, args.slice(1), kwargs)));
  },
  select: selecting(true, false),
  reject: selecting(false, false),
  selectattr: selecting(true, true),
  rejectattr: selecting(false, true),
  groupby: (value, args, kwargs, { budget }) => {
    const [attribute, fallback, caseSensitive] = bind(
      'groupby',
      ['attribute', 'default', 'case_sensitive'],
      args,
      kwargs,
    );
    const path = required('groupby', 'attribute', attribute);
    const fold = keyOf(undefined, caseSensitive);
    const keyed = sorted(iterate(value), (item) => fold(atPath(item, path, fallback)), undefined, budget);
    const groups: { key: Value; label: Value; items: Value[] }[] = [];
    for (const item of keyed) {
      const label = atPath(item, path, fallback);
      const last = groups.at(-1);
      if (last && equal(last.key, fold(label))) last.items.push(item);
      else groups.push({ key: fold(label), label, items: [item] });
    }
    return groups.map((group) => new PyTuple([group.label, group.items]));
  },
  batch: (value, args, kwargs) => {
    const [count, fill] = bind('batch', ['linecount', 'fill_with'], args, kwargs);
    const size = Math.max(1, intArgument('batch', count, 1));
    const items = iterate(value);
    const rows: Value[] = [];
    for (let at = 0; at < items.length; at += size) {
      const row = items.slice(at, at + size);
      rows.push(
        fill === undefined || fill === null
          ? row
          : [...row, ...new Array<Value>(Math.min(size, 100_000) - row.length).fill(fill)],
      );
    }
    return new PyIterator(rows);
  },
  attr: (value, args, kwargs) => {
    const [name] = bind('attr', ['name'], args, kwargs);
    const attribute = attributeOf(value, textArgument('attr', name));
    return attribute === undefined
      ? new Undefined(`'${typeName(value)} object' has no attribute '${name}'`)
      : attribute;
  },
  tojson: (value, args, kwargs, { budget }) => {
    const names = ['ensure_ascii', 'indent', 'separators', 'sort_keys'];
    const [ensureAscii, indent, separators, sortKeys] = bind('tojson', names, args, kwargs);
    const indention =
      indent === undefined || indent === null
        ? null
        : typeof indent === 'string'
          ? indent
          : ' '.repeat(Math.min(100, Math.max(0, intArgument('tojson', indent, 0))));
    const pair = separators === undefined || separators === null ? null : iterate(separators);
    const text = jsonDumps(value, {
      ensureAscii: ensureAscii !== undefined && truthy(ensureAscii),
      indent: indention,
      itemSeparator: pair ? textArgument('tojson', pair[0]) : indention === null ? ', ' : ',',
      keySeparator: pair ? textArgument('tojson', pair[1]) : ': ',
      sortKeys: sortKeys !== undefined && truthy(sortKeys),
    });
    budget.spendLength(text.length);
    return text;
  },
};

const KEEPING_MARKUP: ReadonlySet<string> = new Set([
  'string',
  'upper',
  'lower',
  'capitalize',
  'trim',
  'center',
  'indent',
  'default',
]);
const ALIASES: Readonly<Record<string, string>> = { d: 'default', count: 'length', e: 'escape', forceescape: 'escape' };

/** @throws TemplateError where there is no such filter */
export function applyFilter(
  name: string,
  value: Value,
  args: readonly Value[],
  kwargs: Kwargs,
  context: FilterContext,
): Value {
  const canonical = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  if (!Object.hasOwn(FILTERS, canonical)) throw new TemplateError(`No filter named '${name}' found.`);
  if (!(value instanceof PyMarkup)) return FILTERS[canonical](value, args, kwargs, context);
  // Markup stays Markup where the filter only looks after its text; `escape` leaves it alone, `forceescape` does not.
  if (canonical === 'escape' && name !== 'forceescape') return value;
  const result = FILTERS[canonical](value.text, args, kwargs, context);
  return KEEPING_MARKUP.has(canonical) ? asMarkup(result) : result;
}
