/** Small JSON and text files that lie beside the weights. */
import { ModelFormatError, type ByteSource } from './checkpoint.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses UTF-8 JSON that must be an object. @throws ModelFormatError naming `what` */
export function parseJsonObject(what: string, bytes: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ModelFormatError(`${what} is not valid JSON`);
  }
  if (!isJsonObject(value)) throw new ModelFormatError(`${what} is not a JSON object`);
  return value;
}

/** @throws ModelFormatError where the file is no JSON object or larger than `limitMiB` */
export async function readJsonFile(source: ByteSource, limitMiB: number): Promise<JsonObject> {
  return parseJsonObject(source.name, await readWhole(source, limitMiB));
}

/** @throws ModelFormatError where the file is larger than `limitMiB` */
export async function readTextFile(source: ByteSource, limitMiB: number): Promise<string> {
  return new TextDecoder().decode(await readWhole(source, limitMiB));
}

async function readWhole(source: ByteSource, limitMiB: number): Promise<Uint8Array> {
  if (source.byteLength > limitMiB * 2 ** 20) {
    throw new ModelFormatError(`${source.name} is larger than the ${limitMiB} MiB that such a file may have`);
  }
  return source.read(0, source.byteLength);
}
