/** Models to drop: the small ones of test/vectors/models, whole or broken in one way each. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MODELS = 'test/vectors/models';

/** Random weights, but large enough to chat with for a while: a context of 2048, and a chat template. */
export const STARTER_GGUF = 'test/vectors/starter/starter.gguf';
export const QWEN3_GGUF = `${MODELS}/qwen3_moe/qwen3_moe.gguf`;
export const OLMOE_GGUF = `${MODELS}/olmoe/olmoe.gguf`;

/** A folder as Hugging Face has them, in a temporary place; its name is `<architecture>`. */
export function safetensorsFolder(architecture: string): { path: string; remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'hotset-model-'));
  const path = join(parent, architecture);
  cpSync(`${MODELS}/${architecture}`, path, { recursive: true, filter: (file) => !/\.gguf$|reference\.json$/.test(file) });
  cpSync(`${MODELS}/tokenizer`, path, { recursive: true });
  return { path, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

/** A GGUF that is cut off in the middle of its weights. */
export function truncatedGguf(): Buffer {
  const whole = readFileSync(QWEN3_GGUF);
  return whole.subarray(0, Math.floor(whole.byteLength * 0.7));
}

/** The GGUF with another text of the same length, once. */
export function patchedGguf(from: string, to: string, after = ''): Buffer {
  const bytes = Buffer.from(readFileSync(QWEN3_GGUF));
  const start = after === '' ? 0 : bytes.indexOf(after) + after.length;
  const at = bytes.indexOf(from, start);
  if (from.length !== to.length || at < 0) throw new Error(`can't replace ${from} by ${to}`);
  bytes.write(to, at, 'latin1');
  return bytes;
}

/** The GGUF with a tensor count that no file of its size could hold. */
export function lyingGguf(): Buffer {
  const bytes = Buffer.from(readFileSync(QWEN3_GGUF));
  // Header: magic u32, version u32, tensor count u64, metadata count u64.
  bytes.writeBigUInt64LE(2n ** 40n, 8);
  return bytes;
}

/** Overwrites or removes one file of a folder. */
export function breakFolder(path: string, file: string, content: string | null): void {
  if (content === null) rmSync(join(path, file));
  else writeFileSync(join(path, file), content);
}
