/** A stable id from what the files hold, so that the same files are known again whatever they are called. */
import { createSHA256 } from 'hash-wasm';
import type { ByteSource, Checkpoint } from '../formats/checkpoint.ts';
import type { NamedSource } from '../formats/open_checkpoint.ts';
import type { ExpertConversion } from './conversion_report.ts';
import { isKeptFile } from './origin.ts';

/** Files up to this size are hashed whole; larger ones by samples, since hashing 40 GB takes minutes. */
const WHOLE_FILE_BYTE_LENGTH = 32 * 1024 * 1024;
const HEAD_BYTE_LENGTH = 4 * 1024 * 1024;
const SAMPLE_BYTE_LENGTH = 64 * 1024;
const SAMPLES = 64;

/** What identifies the files of a model. */
export interface Fingerprint {
  readonly files: readonly string[];
  readonly tensors: readonly (readonly unknown[])[];
}

/**
 * Reads what tells these files from others, in any order and under any name: the tensor table, all sizes, small files
 * whole, and of large files the first 4 MiB and 64 samples up to the end.
 */
export async function fingerprint(checkpoint: Checkpoint, files: readonly NamedSource[]): Promise<Fingerprint> {
  const kept = files.filter((file) => isKeptFile(file, checkpoint));
  const digests: string[] = [];
  for (const { source } of kept) digests.push(await sampleDigest(source));
  const tensors = [...checkpoint.tensors.values()]
    .map((t) => [t.name, t.format, t.shape, t.byteOffset, t.byteLength])
    .sort((a, b) => String(a[0]) < String(b[0]) ? -1 : 1);
  return { files: digests.sort(), tensors };
}

/** Id of the model in files of this fingerprint; each conversion of its experts is a model of its own. */
export async function modelIdOf({ files, tensors }: Fingerprint, conversion: ExpertConversion): Promise<string> {
  const converted = conversion === 'keep' ? {} : { conversion };
  const sha = await createSHA256();
  sha.update(JSON.stringify({ version: 1, files, tensors, ...converted }));
  return `m${sha.digest('hex').slice(0, 24)}`;
}

export async function modelId(
  checkpoint: Checkpoint, files: readonly NamedSource[], conversion: ExpertConversion = 'keep',
): Promise<string> {
  return modelIdOf(await fingerprint(checkpoint, files), conversion);
}

async function sampleDigest(source: ByteSource): Promise<string> {
  const sha = await createSHA256();
  sha.update(String(source.byteLength));
  for (const [byteOffset, byteLength] of sampleRanges(source.byteLength)) {
    sha.update(await source.read(byteOffset, byteLength));
  }
  return sha.digest('hex');
}

function sampleRanges(size: number): [byteOffset: number, byteLength: number][] {
  if (size <= WHOLE_FILE_BYTE_LENGTH) return [[0, size]];
  const ranges: [number, number][] = [[0, HEAD_BYTE_LENGTH]];
  const step = Math.floor((size - HEAD_BYTE_LENGTH - SAMPLE_BYTE_LENGTH) / (SAMPLES - 1));
  for (let i = 0; i < SAMPLES; i++) ranges.push([size - SAMPLE_BYTE_LENGTH - i * step, SAMPLE_BYTE_LENGTH]);
  return ranges;
}
