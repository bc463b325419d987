/** Python's two ways to format text: str.format() and the % operator. */
import type { Budget } from './budget.ts';
import { floatText, repr, str } from './printing.ts';
import {
  codePointLength,
  dictKey,
  isList,
  numeric,
  PyDict,
  PyFloat,
  PyTuple,
  TemplateError,
  typeName,
  type Kwargs,
  type Value,
} from './values.ts';

/** Larger widths and precisions are refused: they only serve to make a text large. */
const MAX_WIDTH = 10_000;

/** `text.format(*args, **kwargs)` with the fields templates use: {}, {0}, {name}, {a.b}, {a[b]}, !r, !s and a spec. */
export function formatFields(text: string, args: readonly Value[], kwargs: Kwargs, budget: Budget): string {
  let automatic = 0;
  let out = '';
  for (let at = 0; at < text.length;) {
    const char = text[at];
    if (char !== '{' && char !== '}') {
      out += char;
      at++;
      continue;
    }
    if (text[at + 1] === char) {
      out += char;
      at += 2;
      continue;
    }
    if (char === '}') throw new TemplateError("Single '}' encountered in format string");
    const end = text.indexOf('}', at);
    if (end < 0) throw new TemplateError("expected '}' before end of string");
    const field = /^([^!:]*)(?:!([rs]))?(?::(.*))?$/s.exec(text.slice(at + 1, end));
    if (!field || field[0].includes('{'))
      throw new TemplateError(`the format field '${text.slice(at, end + 1)}' is not supported`);
    const [, path, conversion, spec = ''] = field;
    const [head] = /^[^.[]*/.exec(path)!;
    let value: Value | undefined =
      head === '' ? args[automatic++] : /^\d+$/.test(head) ? args[Number(head)] : kwargs.get(head);
    for (const step of path.slice(head.length).matchAll(/\.([^.[]+)|\[([^\]]+)\]/g))
      value = child(value, step[1] ?? step[2]);
    if (value === undefined) throw new TemplateError(`the format field '${path}' has no value`);
    out += formatOne(conversion === 'r' ? repr(value) : value, spec);
    budget.spend(1);
    at = end + 1;
  }
  budget.spendLength(out.length);
  return out;
}

function child(value: Value | undefined, key: string): Value | undefined {
  if (value instanceof PyDict) return value.map.get(key);
  if (value !== undefined && isList(value) && /^\d+$/.test(key)) return value[Number(key)];
  return undefined;
}

/** Python's format(value, spec): [[fill]align][sign][0][width][,][.precision][type]. */
function formatOne(value: Value, spec: string): string {
  const match = /^(?:(.)?([<>^]))?([+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([sdfgxX%])?$/su.exec(spec);
  if (!match) throw new TemplateError(`the format '${spec}' is not supported`);
  const [, fill, align, sign = '', zero, widthText = '0', comma, precisionText, type] = match;
  const width = Number(widthText);
  const precision = precisionText === undefined ? null : Number(precisionText);
  if (width > MAX_WIDTH || (precision ?? 0) > 100) throw new TemplateError(`the format '${spec}' is too wide`);
  const number = numeric(value);
  let body: string;
  if (number !== null && type !== 's' && !(type === undefined && typeof value === 'boolean')) {
    body = formatNumber(value, number, type, precision, comma !== undefined);
    if (sign !== '' && number >= 0) body = sign + body;
  } else {
    if (type !== undefined && type !== 's') {
      throw new TemplateError(`Unknown format code '${type}' for object of type '${typeName(value)}'`);
    }
    body = str(value);
    if (precision !== null) body = Array.from(body).slice(0, precision).join('');
  }
  const missing = width - codePointLength(body);
  if (missing <= 0) return body;
  if (zero !== undefined && align === undefined && number !== null) {
    const signLength = /^[+\- ]/.test(body) ? 1 : 0;
    return body.slice(0, signLength) + '0'.repeat(missing) + body.slice(signLength);
  }
  const pad = (length: number): string => (fill ?? ' ').repeat(length);
  switch (align ?? (number !== null ? '>' : '<')) {
    case '<':
      return body + pad(missing);
    case '>':
      return pad(missing) + body;
    default:
      return pad(missing >> 1) + body + pad(missing - (missing >> 1));
  }
}

function formatNumber(
  value: Value,
  number: number,
  type: string | undefined,
  precision: number | null,
  comma: boolean,
): string {
  let text: string;
  if (type === 'x' || type === 'X') {
    text = number.toString(16);
    if (type === 'X') text = text.toUpperCase();
  } else if (type === '%') text = `${(number * 100).toFixed(precision ?? 6)}%`;
  else if (type === 'f') text = number.toFixed(precision ?? 6);
  else if (type === 'g' || (type === undefined && precision !== null))
    text = String(Number(number.toPrecision(precision || 6)));
  else if (type === 'd' || !(value instanceof PyFloat)) text = str(Math.trunc(number));
  else text = floatText(number);
  return comma ? text.replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',')) : text;
}

/** `text % value` with %s, %r, %d, %i, %f, %x and %(name)s. */
export function formatPercent(text: string, value: Value, budget: Budget): string {
  const args = value instanceof PyTuple ? value.items : [value];
  let next = 0;
  const out = text.replace(
    /%(?:\((.*?)\))?([-0])?(\d+)?(?:\.(\d+))?([a-zA-Z%]|$)/gs,
    (_all, name, flag, width, precision, type) => {
      if (type === '%') return '%';
      let item: Value | undefined;
      if (name !== undefined) {
        if (!(value instanceof PyDict)) throw new TemplateError('format requires a mapping');
        item = value.map.get(dictKey(name));
      } else item = args[next++];
      if (item === undefined) throw new TemplateError('not enough arguments for format string');
      budget.spend(1);
      const align = flag === '-' ? '<' : '';
      const size = `${flag === '0' ? '0' : ''}${width ?? ''}`;
      switch (type) {
        case 's':
          return formatOne(str(item), `${align || '>'}${width ?? ''}${precision === undefined ? '' : `.${precision}`}`);
        case 'r':
          return formatOne(repr(item), `${align || '>'}${width ?? ''}`);
        case 'd':
        case 'i':
        case 'f':
        case 'x':
        case 'X': {
          const number = numeric(item);
          if (number === null)
            throw new TemplateError(`%${type} format: a real number is required, not ${typeName(item)}`);
          if (type === 'f') return formatOne(new PyFloat(number), `${align}${size}.${precision ?? 6}f`);
          return formatOne(Math.trunc(number), `${align}${size}${type === 'i' ? 'd' : type}`);
        }
        default:
          throw new TemplateError(`unsupported format character '${type}'`);
      }
    },
  );
  if (!(value instanceof PyDict) && next < args.length) {
    throw new TemplateError('not all arguments converted during string formatting');
  }
  budget.spendLength(out.length);
  return out;
}
