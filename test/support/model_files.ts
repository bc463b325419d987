/** The small reference models of test/vectors/models as the readers want them: byte sources over Node files. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import type { Checkpoint } from '../../src/formats/checkpoint.ts';
import { openCheckpoint, type NamedSource } from '../../src/formats/open_checkpoint.ts';
import type { ReferenceRun } from '../../tools/kit/checks.ts';

export const REFERENCE_ARCHITECTURES = [
  'qwen3_moe', 'qwen2_moe', 'olmoe', 'mixtral', 'granitemoe', 'granitemoeshared',
] as const;
export type ReferenceArchitecture = (typeof REFERENCE_ARCHITECTURES)[number];

export const CONTAINERS = ['safetensors', 'gguf'] as const;
export type Container = (typeof CONTAINERS)[number];

const ROOT = fileURLToPath(new URL('../vectors/models/', import.meta.url));

export function readVector(path: string): Uint8Array {
  return new Uint8Array(readFileSync(ROOT + path));
}

export function readReferenceRun(architecture: ReferenceArchitecture): ReferenceRun {
  return JSON.parse(readFileSync(`${ROOT}${architecture}/reference.json`, 'utf8')) as ReferenceRun;
}

/** The files of one container: the .gguf, or the safetensors folder with the tokenizer that all models share. */
export function modelFiles(architecture: ReferenceArchitecture, container: Container): NamedSource[] {
  if (container === 'gguf') {
    return [namedSource(`${architecture}.gguf`, `${architecture}/${architecture}.gguf`)];
  }
  const own = ['config.json', 'model.safetensors'].map((name) => [name, `${architecture}/${name}`]);
  const shared = ['tokenizer.json', 'tokenizer_config.json'].map((name) => [name, `tokenizer/${name}`]);
  return [...own, ...shared].map(([name, path]) => namedSource(`${architecture}/${name}`, path));
}

function namedSource(path: string, vector: string): NamedSource {
  return { path, source: bytesSource(path, readVector(vector)) };
}

export function openModel(architecture: ReferenceArchitecture, container: Container): Promise<Checkpoint> {
  return openCheckpoint(modelFiles(architecture, container));
}
