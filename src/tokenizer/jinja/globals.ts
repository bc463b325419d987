/** The functions that a chat template can call: Jinja's and those transformers adds. */
import { bind, intArgument, required, textArgument } from './arguments.ts';
import { str } from './printing.ts';
import {
  dictKey,
  iterate,
  PyDict,
  PyFunction,
  PyObject,
  PyRange,
  TemplateError,
  typeName,
  type DictKey,
  type Kwargs,
  type Value,
} from './values.ts';

/** Jinja's sandbox allows no longer ranges. */
const MAX_RANGE = 100_000;
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function templateGlobals(now: () => Date): Map<string, Value> {
  const globals = new Map<string, Value>([
    ['true', true],
    ['True', true],
    ['false', false],
    ['False', false],
    ['none', null],
    ['None', null],
  ]);
  const define = (name: string, call: PyFunction['call']): void => {
    globals.set(name, new PyFunction(name, call));
  };
  define('raise_exception', (args, kwargs) => {
    throw new TemplateError(
      str(required('raise_exception', 'message', bind('raise_exception', ['message'], args, kwargs)[0])),
    );
  });
  define('strftime_now', (args, kwargs) =>
    strftime(now(), textArgument('strftime_now', bind('strftime_now', ['format'], args, kwargs)[0])),
  );
  define('range', (args, kwargs, budget) => {
    const bounds = bind('range', ['start', 'stop', 'step'], args, kwargs).map((bound, i) =>
      intArgument('range', bound, i === 2 ? 1 : 0),
    );
    if (args.length === 0) throw new TemplateError('range expected at least 1 argument, got 0');
    const [start, stop] = args.length === 1 ? [0, bounds[0]] : bounds;
    const step = bounds[2];
    if (step === 0) throw new TemplateError('range() arg 3 must not be zero');
    if ((stop - start) / step > MAX_RANGE) {
      throw new TemplateError(`Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`);
    }
    budget.spendItems(Math.max(0, (stop - start) / step));
    return new PyRange(start, stop, step);
  });
  define('dict', (args, kwargs) => new PyDict(entries('dict', args, kwargs)));
  define(
    'namespace',
    (args, kwargs) => new PyObject('Namespace', entries('namespace', args, kwargs) as Map<string, Value>),
  );
  define('joiner', (args, kwargs) => {
    const [separator = ', '] = bind('joiner', ['sep'], args, kwargs);
    let used = false;
    return new PyFunction('joiner', () => {
      const text = used ? separator : '';
      used = true;
      return text;
    });
  });
  return globals;
}

/** dict(mapping or pairs, **kwargs) */
function entries(what: string, args: readonly Value[], kwargs: Kwargs): Map<DictKey, Value> {
  if (args.length > 1) throw new TemplateError(`${what} expected at most 1 argument, got ${args.length}`);
  const map = new Map<DictKey, Value>();
  const [source] = args;
  if (source instanceof PyDict) for (const [key, value] of source.map) map.set(key, value);
  else if (source !== undefined) {
    for (const pair of iterate(source)) {
      const items = iterate(pair);
      if (items.length !== 2)
        throw new TemplateError(`a ${typeName(pair)} of ${items.length} items is no pair of key and value`);
      map.set(dictKey(items[0]), items[1]);
    }
  }
  for (const [key, value] of kwargs) map.set(key, value);
  return map;
}

/** C's strftime in the C locale and local time, for the fields that stand for a date or time of day. */
export function strftime(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour12 = date.getHours() % 12 || 12;
  const dayOfYear = Math.round(
    (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 0)) / 86_400_000,
  );
  const fields: Readonly<Record<string, () => string>> = {
    Y: () => String(date.getFullYear()),
    y: () => two(date.getFullYear() % 100),
    m: () => two(date.getMonth() + 1),
    d: () => two(date.getDate()),
    e: () => String(date.getDate()).padStart(2, ' '),
    B: () => MONTHS[date.getMonth()],
    b: () => MONTHS[date.getMonth()].slice(0, 3),
    h: () => MONTHS[date.getMonth()].slice(0, 3),
    A: () => DAYS[date.getDay()],
    a: () => DAYS[date.getDay()].slice(0, 3),
    w: () => String(date.getDay()),
    j: () => String(dayOfYear).padStart(3, '0'),
    H: () => two(date.getHours()),
    I: () => two(hour12),
    M: () => two(date.getMinutes()),
    S: () => two(date.getSeconds()),
    p: () => (date.getHours() < 12 ? 'AM' : 'PM'),
    f: () => String(date.getMilliseconds() * 1000).padStart(6, '0'),
    F: () => strftime(date, '%Y-%m-%d'),
    T: () => strftime(date, '%H:%M:%S'),
    R: () => strftime(date, '%H:%M'),
    D: () => strftime(date, '%m/%d/%y'),
    x: () => strftime(date, '%m/%d/%y'),
    X: () => strftime(date, '%H:%M:%S'),
    c: () => strftime(date, '%a %b %e %H:%M:%S %Y'),
    z: () => '',
    Z: () => '',
    n: () => '\n',
    t: () => '\t',
    '%': () => '%',
  };
  // glibc's "-" leaves out the padding.
  return format.replace(/%(-?)([a-zA-Z%])/g, (all, dash: string, field: string) => {
    if (!Object.hasOwn(fields, field)) return all;
    const text = fields[field]();
    return dash === '' ? text : text.replace(/^[0 ]+(?=.)/, '');
  });
}
