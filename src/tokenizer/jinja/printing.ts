/** How Python prints values: str(), repr() and json.dumps(). */
import {
  checkDepth,
  isList,
  PyDict,
  PyFloat,
  PyMarkup,
  PyRange,
  PyTuple,
  PyView,
  TemplateError,
  textOf,
  typeName,
  Undefined,
  type DictKey,
  type Value,
} from './values.ts';

/** Python's str(): what `{{ value }}` prints. */
export function str(value: Value): string {
  const text = textOf(value);
  if (text !== null) return text;
  if (value instanceof Undefined) return '';
  return repr(value);
}

export function repr(value: Value, depth = 0): string {
  checkDepth(depth);
  const list = (items: readonly Value[]): string => items.map((item) => repr(item, depth + 1)).join(', ');
  if (value === null) return 'None';
  switch (typeof value) {
    case 'boolean':
      return value ? 'True' : 'False';
    case 'number':
      return intText(value);
    case 'string':
      return reprText(value);
  }
  if (isList(value)) return `[${list(value)}]`;
  if (value instanceof PyFloat) return floatText(value.value);
  if (value instanceof PyMarkup) return `Markup(${reprText(value.text)})`;
  if (value instanceof PyTuple) return value.items.length === 1 ? `(${list(value.items)},)` : `(${list(value.items)})`;
  if (value instanceof PyDict) {
    const entries = [...value.map].map(([key, item]) => `${repr(key, depth + 1)}: ${repr(item, depth + 1)}`);
    return `{${entries.join(', ')}}`;
  }
  if (value instanceof PyView) return `${value.typeName}([${list(value.items)}])`;
  if (value instanceof PyRange) {
    const step = value.step === 1 ? '' : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  if (value instanceof Undefined) return 'Undefined';
  return `<${typeName(value)} object>`;
}

function intText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** Python's repr of a float: shortest digits, with an exponent below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) {
    const [mantissa, exponent] = value.toExponential().split('e');
    const digits = exponent.slice(1).padStart(2, '0');
    return `${mantissa}e${exponent[0]}${digits}`;
  }
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;
const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

function reprText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const char of text) {
    const named = NAMED_ESCAPES.get(char);
    if (named !== undefined) out += named;
    else if (char === quote) out += `\\${quote}`;
    else if (char !== ' ' && NOT_PRINTABLE.test(char)) {
      const code = char.codePointAt(0)!;
      const hex = code.toString(16);
      out +=
        code < 0x100
          ? `\\x${hex.padStart(2, '0')}`
          : code < 0x10000
            ? `\\u${hex.padStart(4, '0')}`
            : `\\U${hex.padStart(8, '0')}`;
    } else out += char;
  }
  return out + quote;
}

export interface JsonOptions {
  readonly ensureAscii: boolean;
  /** null: all on one line. */
  readonly indent: string | null;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
}

/** Python's json.dumps. */
export function jsonDumps(value: Value, options: JsonOptions, depth = 0): string {
  checkDepth(depth);
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return intText(value);
    case 'string':
      return jsonText(value, options.ensureAscii);
  }
  if (value instanceof PyFloat) return jsonFloat(value.value);
  if (value instanceof PyMarkup) return jsonText(value.text, options.ensureAscii);
  if (isList(value) || value instanceof PyTuple) {
    const items = isList(value) ? value : value.items;
    return jsonBlock(
      '[',
      ']',
      items.map((item) => jsonDumps(item, options, depth + 1)),
      options,
      depth,
    );
  }
  if (value instanceof PyDict) {
    const entries = [...value.map].map(([key, item]) => [jsonKey(key), item] as const);
    if (options.sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const lines = entries.map(
      ([key, item]) => jsonText(key, options.ensureAscii) + options.keySeparator + jsonDumps(item, options, depth + 1),
    );
    return jsonBlock('{', '}', lines, options, depth);
  }
  throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
}

function jsonBlock(open: string, close: string, items: readonly string[], options: JsonOptions, depth: number): string {
  if (items.length === 0) return open + close;
  if (options.indent === null) return open + items.join(options.itemSeparator) + close;
  const outer = `\n${options.indent.repeat(depth)}`;
  const inner = outer + options.indent;
  return open + inner + items.join(options.itemSeparator + inner) + outer + close;
}

function jsonFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

function jsonKey(key: DictKey): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' && !Number.isInteger(key)) return floatText(key);
  return key === null ? 'null' : String(key);
}

function jsonText(text: string, ensureAscii: boolean): string {
  const quoted = JSON.stringify(text);
  if (!ensureAscii) return quoted;
  return quoted.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
