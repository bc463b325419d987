/**
 * Bounded access to the untrusted key/value header of a model: GGUF metadata and Hugging Face config.json alike.
 * Every number is range-checked, since sizes computed from it are allocated later.
 */
import { ModelFormatError, type Checkpoint, type GgufValue } from '../formats/checkpoint.ts';

export class Fields {
  /** Where the fields stand, in front of a key in messages: 'm.gguf: qwen3moe.' */
  readonly label: string;
  readonly #get: (key: string) => unknown;

  constructor(label: string, get: (key: string) => unknown) {
    this.label = label;
    this.#get = get;
  }

  /** GGUF keys of one architecture: 'attention.head_count' reads '<architecture>.attention.head_count'. */
  static ofGguf(fileName: string, architecture: string, values: ReadonlyMap<string, GgufValue>): Fields {
    return new Fields(`${fileName}: ${architecture}.`, (key) => plainArray(values.get(`${architecture}.${key}`)));
  }

  static ofConfig(modelName: string, config: Readonly<Record<string, unknown>>): Fields {
    return new Fields(`config.json of ${modelName}: `, (key) => config[key] ?? undefined);
  }

  has(key: string): boolean {
    return this.#get(key) !== undefined;
  }

  integer(key: string, low: number, high: number, fallback?: number): number {
    const value = uniform(this.#get(key)) ?? fallback;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
      throw this.#refusal(key, value, `a whole number from ${low} to ${high}`);
    }
    return value;
  }

  /** The first of these keys that is set: some were renamed over the years. */
  integerOf(keys: readonly string[], low: number, high: number, fallback?: number): number {
    return this.integer(keys.find((key) => this.has(key)) ?? keys[0], low, high, fallback);
  }

  number(key: string, low: number, high: number, fallback?: number): number {
    const value = this.#get(key) ?? fallback;
    if (typeof value !== 'number' || !(value >= low && value <= high)) {
      throw this.#refusal(key, value, `a number from ${low} to ${high}`);
    }
    return value;
  }

  boolean(key: string, fallback: boolean): boolean {
    const value = this.#get(key) ?? fallback;
    if (typeof value !== 'boolean') throw this.#refusal(key, value, 'true or false');
    return value;
  }

  text(key: string, fallback: string): string {
    const value = this.#get(key) ?? fallback;
    if (typeof value !== 'string') throw this.#refusal(key, value, 'a text');
    return value;
  }

  list(key: string): readonly unknown[] {
    const value = this.#get(key) ?? [];
    if (!Array.isArray(value)) throw this.#refusal(key, value, 'a list');
    return value;
  }

  /** A nested object as fields of its own; null where absent. */
  object(key: string): Fields | null {
    const value = this.#get(key);
    if (value === undefined) return null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#refusal(key, value, 'an object');
    const record = value as Readonly<Record<string, unknown>>;
    return new Fields(`${this.label}${key}.`, (inner) => record[inner] ?? undefined);
  }

  /** An error about this field, for checks that the methods above can't make. */
  refuse(key: string, problem: string): ModelFormatError {
    return new ModelFormatError(`${this.label}${key} ${problem}`);
  }

  #refusal(key: string, value: unknown, expected: string): ModelFormatError {
    return this.refuse(key, value === undefined ? `is missing; expected ${expected}` : `is ${shown(value)}, expected ${expected}`);
  }
}

/** Name that messages give a checkpoint: its first file. */
export function checkpointLabel(checkpoint: Checkpoint): string {
  return checkpoint.sources[0]?.name ?? checkpoint.name;
}

/** Some GGUF writers give a value for each layer; we take it where all layers agree. */
function uniform(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.length > 0 && value.every((entry) => entry === value[0]) ? value[0] : value;
}

function plainArray(value: GgufValue | undefined): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>) : value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
