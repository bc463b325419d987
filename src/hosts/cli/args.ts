/** Command line arguments: parsing and checks, with one sentence for each way to get them wrong. */
import { parseArgs } from 'node:util';

/** Wrong use of the command line; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  /** May be given several times; read with textOptions. */
  readonly multiple?: boolean;
  /** Placeholder of the value in the help text: 'N'. */
  readonly value?: string;
  readonly help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export interface ParsedCommand {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** @throws UsageError for unknown options, missing values and a wrong number of positionals. */
export function parseCommand(args: readonly string[], specs: OptionSpecs, positionalNames: readonly string[]): ParsedCommand {
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = { help: { type: 'boolean' } };
  for (const [name, spec] of Object.entries(specs)) {
    options[name] = { type: spec.type, multiple: spec.multiple ?? false };
  }
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // parseArgs appends hints of several sentences; the first says it, but for a value that looks like an option.
    const [message] = (error instanceof Error ? error.message : String(error)).split(/\.(?:\s|$)/);
    const ambiguous = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message);
    throw new UsageError(ambiguous === null ? message : `a value that begins with a dash is written ${ambiguous[1]}=-1`);
  }
  const { positionals, values } = parsed;
  if (values['help'] !== true && positionals.length !== positionalNames.length) {
    throw new UsageError(`expected ${positionalNames.join(' ')}, got ${positionals.length === 0 ? 'nothing' : positionals.length + ' arguments'}`);
  }
  return { positionals, options: values as ParsedCommand['options'] };
}

/** Text of an option, null where it wasn't given. */
export function textOption(parsed: ParsedCommand, name: string): string | null {
  const value = parsed.options[name];
  return typeof value === 'string' ? value : null;
}

/** Texts of an option that may be given several times, in order. */
export function textOptions(parsed: ParsedCommand, name: string): readonly string[] {
  const values = parsed.options[name];
  return typeof values === 'object' ? values : [];
}

export function flag(parsed: ParsedCommand, name: string): boolean {
  return parsed.options[name] === true;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
}

/** Number of an option within the range, `fallback` where it wasn't given. @throws UsageError */
export function numberOption<T extends number | null>(parsed: ParsedCommand, name: string, range: NumberRange, fallback: T): number | T {
  const text = textOption(parsed, name);
  if (text === null) {
    return fallback;
  }
  const value = Number(text);
  const inRange = text.trim() !== '' && value >= range.min && value <= range.max;
  if (!inRange || (range.integer && !Number.isSafeInteger(value))) {
    const kind = range.integer ? 'a whole number' : 'a number';
    const bounds = range.max >= Number.MAX_SAFE_INTEGER ? `of at least ${range.min}` : `from ${range.min} to ${range.max}`;
    throw new UsageError(`--${name} must be ${kind} ${bounds}, not '${text}'`);
  }
  return value;
}

/** Whole numbers separated by spaces or commas: '3 14 15'. @throws UsageError where one is outside 0 … limit-1. */
export function integerList(name: string, text: string, limit: number): number[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  if (words.length === 0) {
    throw new UsageError(`--${name} needs at least one number`);
  }
  return words.map((word) => {
    const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (!(value < limit)) {
      throw new UsageError(`--${name} takes whole numbers from 0 to ${limit - 1}, not '${word}'`);
    }
    return value;
  });
}
