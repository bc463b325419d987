/** Methods of Python's str. */
import { bind, intArgument, required, textArgument } from './arguments.ts';
import type { Budget } from './budget.ts';
import { formatFields } from './format.ts';
import {
  codePointLength,
  iterate,
  PyTuple,
  TemplateError,
  textOf,
  truthy,
  typeName,
  type Kwargs,
  type Value,
} from './values.ts';

/** What str.isspace() and a bare strip() take for white space; JavaScript's set is another one. */
const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const LEADING_SPACE = new RegExp(`^${SPACE}+`);
const LINE_END = /\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]/g;
const ONE_SPACE = new RegExp(`^${SPACE}$`);
const WORDS = new RegExp(`(?:(?!${SPACE})[^])+`, 'g');
const isSpace = (char: string): boolean => ONE_SPACE.test(char);

export function strip(text: string, chars: string | null, side: 'both' | 'left' | 'right' = 'both'): string {
  const drop = chars === null ? isSpace : (char: string) => chars.includes(char);
  let start = 0;
  let end = text.length;
  // Whole code points are only needed where `chars` has some outside the BMP.
  const units = chars !== null && /[\ud800-\udfff]/.test(chars) ? Array.from(text) : null;
  if (units) {
    end = units.length;
    while (side !== 'right' && start < end && drop(units[start])) start++;
    while (side !== 'left' && end > start && drop(units[end - 1])) end--;
    return units.slice(start, end).join('');
  }
  while (side !== 'right' && start < end && drop(text[start])) start++;
  while (side !== 'left' && end > start && drop(text[end - 1])) end--;
  return text.slice(start, end);
}

export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    lines.push(text.slice(start, match.index + (keepEnds ? match[0].length : 0)));
    start = match.index + match[0].length;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export function replaceText(text: string, from: string, to: string, count: number, budget: Budget): string {
  const limit = count < 0 ? Infinity : count;
  const parts = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  const made = Math.min(limit, parts.length - 1);
  budget.spendLength(text.length + made * to.length + parts.length);
  if (made === parts.length - 1) return parts.join(to);
  return parts.slice(0, made + 1).join(to) + from + parts.slice(made + 1).join(from);
}

function splitText(text: string, separator: Value | undefined, limit: number, fromRight: boolean): string[] {
  if (separator === undefined || separator === null) return splitSpace(text, limit, fromRight);
  const between = textOf(separator);
  if (between === null) throw new TemplateError(`must be str or None, not ${typeName(separator)}`);
  if (between === '') throw new TemplateError('empty separator');
  const parts = text.split(between);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  return fromRight
    ? [parts.slice(0, parts.length - limit).join(between), ...parts.slice(parts.length - limit)]
    : [...parts.slice(0, limit), parts.slice(limit).join(between)];
}

function splitSpace(text: string, limit: number, fromRight: boolean): string[] {
  const stripped = strip(text, null);
  const words = [...stripped.matchAll(WORDS)];
  if (limit < 0 || words.length <= limit + 1) return words.map((word) => word[0]);
  if (fromRight) {
    const keep = words.slice(words.length - limit);
    const end = keep.length > 0 ? keep[0].index : stripped.length;
    return [strip(stripped.slice(0, end), null, 'right'), ...keep.map((word) => word[0])];
  }
  return [...words.slice(0, limit).map((word) => word[0]), stripped.slice(words[limit].index)];
}

/** Python's title(): upper case after anything that is no letter. */
function titleCase(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => capitalize(word));
}

export function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

function matchesAny(what: string, options: Value | undefined, test: (option: string) => boolean): boolean {
  const list = options instanceof PyTuple ? options.items : [options ?? null];
  return list.some((item) => {
    const option = textOf(item);
    if (option === null) {
      throw new TemplateError(`${what} first arg must be str or a tuple of str, not ${typeName(item)}`);
    }
    return test(option);
  });
}

/** text[start:stop] by code points. */
function window(text: string, start: Value | undefined, stop: Value | undefined): string {
  if (start === undefined && stop === undefined) return text;
  const chars = Array.from(text);
  return chars.slice(intArgument('slice', start, 0), intArgument('slice', stop, chars.length)).join('');
}

/** Position by code points of `sub` in text[start:stop], −1 where it is not there. */
function position(text: string, sub: string, start: Value | undefined, stop: Value | undefined, last: boolean): number {
  const part = window(text, start, stop);
  const at = last ? part.lastIndexOf(sub) : part.indexOf(sub);
  if (at < 0) return -1;
  const from = intArgument('find', start, 0);
  const offset = from < 0 ? Math.max(0, codePointLength(text) + from) : from;
  return offset + codePointLength(part.slice(0, at));
}

function pad(text: string, width: number, fill: string, side: 'left' | 'right' | 'both', budget: Budget): string {
  const missing = width - codePointLength(text);
  if (missing <= 0) return text;
  budget.spendLength(width);
  const left = side === 'left' ? missing : side === 'right' ? 0 : (missing >> 1) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

type Method = (text: string, args: readonly Value[], kwargs: Kwargs, budget: Budget) => Value;

/** A method that takes no arguments. */
const plain =
  (body: (text: string) => Value): Method =>
  (text, args, kwargs) => {
    bind('str method', [], args, kwargs);
    return body(text);
  };
const all = (pattern: RegExp): Method => plain((text) => pattern.test(text));
const stripper =
  (side: 'both' | 'left' | 'right'): Method =>
  (text, args, kwargs) => {
    const [chars] = bind('strip', ['chars'], args, kwargs);
    return strip(text, chars === undefined || chars === null ? null : textArgument('strip', chars), side);
  };
const splitter =
  (fromRight: boolean): Method =>
  (text, args, kwargs, budget) => {
    const [separator, limit] = bind('split', ['sep', 'maxsplit'], args, kwargs);
    const parts = splitText(text, separator, intArgument('split', limit, -1), fromRight);
    budget.spendLength(parts.length);
    return parts;
  };
const finder =
  (last: boolean, raises: boolean): Method =>
  (text, args, kwargs) => {
    const [sub, start, stop] = bind('find', ['sub', 'start', 'end'], args, kwargs);
    const at = position(text, textArgument('find', sub), start, stop, last);
    if (at < 0 && raises) throw new TemplateError('substring not found');
    return at;
  };
const padder =
  (side: 'left' | 'right' | 'both'): Method =>
  (text, args, kwargs, budget) => {
    const [width, fill] = bind('just', ['width', 'fillchar'], args, kwargs);
    return pad(
      text,
      intArgument('just', width, 0),
      fill === undefined ? ' ' : textArgument('just', fill),
      side,
      budget,
    );
  };
const partitioner =
  (last: boolean): Method =>
  (text, args, kwargs) => {
    const separator = textArgument('partition', bind('partition', ['sep'], args, kwargs)[0]);
    if (separator === '') throw new TemplateError('empty separator');
    const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at < 0) return new PyTuple(last ? ['', '', text] : [text, '', '']);
    return new PyTuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  };

const METHODS: Readonly<Record<string, Method>> = {
  upper: plain((text) => text.toUpperCase()),
  lower: plain((text) => text.toLowerCase()),
  casefold: plain((text) => text.toLowerCase().replaceAll('ß', 'ss')),
  capitalize: plain(capitalize),
  title: plain(titleCase),
  swapcase: plain((text) =>
    Array.from(text, (char) => (char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase())).join(''),
  ),
  strip: stripper('both'),
  lstrip: stripper('left'),
  rstrip: stripper('right'),
  split: splitter(false),
  rsplit: splitter(true),
  splitlines: (text, args, kwargs) => {
    const [keepEnds] = bind('splitlines', ['keepends'], args, kwargs);
    return splitLines(text, keepEnds !== undefined && truthy(keepEnds));
  },
  partition: partitioner(false),
  rpartition: partitioner(true),
  startswith: (text, args, kwargs) => {
    const [prefix, start, stop] = bind('startswith', ['prefix', 'start', 'end'], args, kwargs);
    return matchesAny('startswith', prefix, (option) => window(text, start, stop).startsWith(option));
  },
  endswith: (text, args, kwargs) => {
    const [suffix, start, stop] = bind('endswith', ['suffix', 'start', 'end'], args, kwargs);
    return matchesAny('endswith', suffix, (option) => window(text, start, stop).endsWith(option));
  },
  removeprefix: (text, args, kwargs) => {
    const prefix = textArgument('removeprefix', bind('removeprefix', ['prefix'], args, kwargs)[0]);
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, args, kwargs) => {
    const suffix = textArgument('removesuffix', bind('removesuffix', ['suffix'], args, kwargs)[0]);
    return suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  },
  find: finder(false, false),
  rfind: finder(true, false),
  index: finder(false, true),
  rindex: finder(true, true),
  count: (text, args, kwargs) => {
    const [sub, start, stop] = bind('count', ['sub', 'start', 'end'], args, kwargs);
    const part = window(text, start, stop);
    const needle = textArgument('count', sub);
    return needle === '' ? codePointLength(part) + 1 : part.split(needle).length - 1;
  },
  replace: (text, args, kwargs, budget) => {
    const [from, to, count] = bind('replace', ['old', 'new', 'count'], args, kwargs);
    return replaceText(
      text,
      textArgument('replace', from),
      textArgument('replace', to),
      intArgument('replace', count, -1),
      budget,
    );
  },
  join: (text, args, kwargs, budget) => {
    const items = iterate(required('join', 'iterable', bind('join', ['iterable'], args, kwargs)[0]));
    const parts = items.map((item, i) => {
      const part = textOf(item);
      if (part === null) throw new TemplateError(`sequence item ${i}: expected str instance, ${typeName(item)} found`);
      return part;
    });
    budget.spendLength(parts.reduce((sum, part) => sum + part.length + text.length, 0));
    return parts.join(text);
  },
  format: (text, args, kwargs, budget) => formatFields(text, args, kwargs, budget),
  center: padder('both'),
  ljust: padder('right'),
  rjust: padder('left'),
  zfill: (text, args, kwargs, budget) => {
    const width = intArgument('zfill', bind('zfill', ['width'], args, kwargs)[0], 0);
    const sign = /^[+-]/.test(text) ? text[0] : '';
    return sign + pad(text.slice(sign.length), width - sign.length, '0', 'left', budget);
  },
  isalpha: all(/^\p{L}+$/u),
  isalnum: all(/^[\p{L}\p{N}]+$/u),
  isdigit: all(/^\p{Nd}+$/u),
  isdecimal: all(/^\p{Nd}+$/u),
  isnumeric: all(/^\p{N}+$/u),
  isspace: plain((text) => text !== '' && text.replace(LEADING_SPACE, '') === ''),
  islower: plain((text) => text !== text.toUpperCase() && text === text.toLowerCase()),
  isupper: plain((text) => text !== text.toLowerCase() && text === text.toUpperCase()),
};

/** The method `name` of str, undefined where there is none (of those a template may call). */
export function textMethod(name: string): Method | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
}
