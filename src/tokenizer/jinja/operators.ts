/** Python's operators on template values. */
import type { Budget } from './budget.ts';
import { formatPercent } from './format.ts';
import { concatenateMarkup, escaped } from './markup.ts';
import { str } from './printing.ts';
import { contains } from './tests.ts';
import {
  codePointLength,
  compare,
  equal,
  isList,
  numeric,
  PyFloat,
  PyMarkup,
  PyTuple,
  TemplateError,
  textOf,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Everything but `and` and `or`, which do not always look at their right side. */
export function binary(operator: string, left: Value, right: Value, budget: Budget): Value {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case '~':
      return joined(str(left), str(right), budget);
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
  }
  for (const side of [left, right]) if (side instanceof Undefined) throw new TemplateError(side.message);
  switch (operator) {
    case '<':
      return compare(left, right, '<') < 0;
    case '>':
      return compare(left, right, '>') > 0;
    case '<=':
      return compare(left, right, '<=') <= 0;
    case '>=':
      return compare(left, right, '>=') >= 0;
    case '+': {
      const markup = concatenateMarkup(left, right);
      if (markup) {
        budget.spendLength(markup.text.length);
        return markup;
      }
      if (typeof left === 'string' && typeof right === 'string') return joined(left, right, budget);
      if (isList(left) && isList(right)) return concatenated(left, right, budget);
      if (left instanceof PyTuple && right instanceof PyTuple) {
        return new PyTuple(concatenated(left.items, right.items, budget));
      }
      if (textOf(left) !== null || isList(left)) {
        const type = isList(left) ? 'list' : 'str';
        throw new TemplateError(`can only concatenate ${type} (not "${typeName(right)}") to ${type}`);
      }
      break;
    }
    case '*': {
      const [sequence, times] = numeric(left) === null ? [left, right] : [right, left];
      if (typeof times === 'number' && (typeof sequence === 'string' || isList(sequence)))
        return repeated(sequence, times, budget);
      break;
    }
    case '%':
      if (typeof left === 'string') return formatPercent(left, right, budget);
      if (left instanceof PyMarkup) {
        const items = right instanceof PyTuple ? new PyTuple(right.items.map(escaped)) : escaped(right);
        return new PyMarkup(formatPercent(left.text, items, budget));
      }
      break;
  }
  return arithmetic(operator, left, right);
}

export function unary(operator: string, value: Value): Value {
  if (value instanceof Undefined) throw new TemplateError(value.message);
  const number = numeric(value);
  if (number === null) throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  const result = operator === '-' ? -number : number;
  return value instanceof PyFloat ? new PyFloat(result) : result + 0;
}

function joined(left: string, right: string, budget: Budget): string {
  budget.spendLength(left.length + right.length);
  return left + right;
}

function concatenated(left: readonly Value[], right: readonly Value[], budget: Budget): Value[] {
  budget.spendItems(left.length + right.length);
  return [...left, ...right];
}

function repeated(sequence: string | readonly Value[], times: number, budget: Budget): Value {
  const count = Math.max(0, times);
  if (typeof sequence === 'string') {
    budget.spendLength(sequence.length * count);
    return sequence.repeat(count);
  }
  budget.spendItems(sequence.length * count);
  return Array.from({ length: count }, () => sequence).flat(1) as Value[];
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  const [a, b] = [numeric(left), numeric(right)];
  if (a === null || b === null) {
    throw new TemplateError(
      `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
    );
  }
  const isFloat = left instanceof PyFloat || right instanceof PyFloat;
  const result = (value: number): Value => {
    if (isFloat) return new PyFloat(value);
    if (!Number.isFinite(value)) throw new TemplateError('integer too large');
    return value;
  };
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%'))
    throw new TemplateError('division by zero');
  switch (operator) {
    case '+':
      return result(a + b);
    case '-':
      return result(a - b);
    case '*':
      return result(a * b);
    case '/':
      return new PyFloat(a / b);
    case '//':
      return result(Math.floor(a / b));
    // The sign of Python's remainder is the divisor's.
    case '%':
      return result(a - b * Math.floor(a / b));
    case '**':
      return b < 0 ? new PyFloat(a ** b) : result(a ** b);
    default:
      throw new TemplateError(`the operator '${operator}' is not supported`);
  }
}

/** value[start:stop:step] as Python clamps it. */
export function sliced(value: Value, bounds: readonly (Value | undefined)[], budget: Budget): Value {
  if (value instanceof Undefined) throw new TemplateError(value.message);
  const text = textOf(value);
  const items = text !== null ? null : isList(value) ? value : value instanceof PyTuple ? value.items : undefined;
  if (items === undefined) throw new TemplateError(`'${typeName(value)}' object is not subscriptable`);
  const [start, stop, step] = bounds.map((bound) => {
    if (bound === undefined || bound === null) return null;
    if (typeof bound !== 'number') throw new TemplateError('slice indices must be integers or None');
    return bound;
  });
  const length = items === null ? codePointLength(text!) : items.length;
  budget.spendLength(length);
  const stride = step ?? 1;
  if (stride === 0) throw new TemplateError('slice step cannot be zero');
  const clamp = (bound: number | null, fallback: number): number => {
    if (bound === null) return fallback;
    const at = bound < 0 ? bound + length : bound;
    return stride > 0 ? Math.min(Math.max(at, 0), length) : Math.min(Math.max(at, -1), length - 1);
  };
  const from = clamp(start, stride > 0 ? 0 : length - 1);
  const to = clamp(stop, stride > 0 ? length : -1);
  const source: readonly Value[] = items ?? Array.from(text!);
  const picked: Value[] = [];
  for (let at = from; stride > 0 ? at < to : at > to; at += stride) picked.push(source[at]);
  if (items === null) return value instanceof PyMarkup ? new PyMarkup(picked.join('')) : picked.join('');
  return value instanceof PyTuple ? new PyTuple(picked) : picked;
}
