import type { DroppedFile, Progress } from '../../hosts/api.ts';
import { sentenceOf } from './notices.ts';

/** A model that the site ships, as public/models/index.json lists it. */
export interface StarterModel {
  readonly file: string;
  readonly title: string;
  readonly note: string;
  /** Messages that it answers well; may be empty. */
  readonly examples: readonly string[];
}

/** The bundled models; none where the site ships none. */
export async function fetchStarterModels(base: string, fetcher: typeof fetch): Promise<readonly StarterModel[]> {
  try {
    const response = await fetcher(`${base}models/index.json`);
    if (!response.ok) return [];
    const listed: unknown = await response.json();
    const models = typeof listed === 'object' && listed !== null ? (listed as { models?: unknown }).models : null;
    return Array.isArray(models) ? models.flatMap(readStarterModel) : [];
  } catch {
    // A site without bundled models answers with its own page or an error: the drop zone is still there.
    return [];
  }
}

/** A list of one, or of none where an entry lacks what the page shows. */
function readStarterModel(value: unknown): StarterModel[] {
  if (typeof value !== 'object' || value === null) return [];
  const { file, title, note, examples } = value as Record<string, unknown>;
  if (!isText(file) || !isText(title) || !isText(note)) return [];
  return [{ file, title, note, examples: Array.isArray(examples) ? examples.filter(isText) : [] }];
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Downloads a bundled model as if it had been dropped. @throws Error with a sentence where the site fails. */
export async function downloadStarter(
  base: string, model: StarterModel, fetcher: typeof fetch, report: (p: Progress) => void, signal: AbortSignal,
): Promise<DroppedFile> {
  const response = await fetcher(`${base}models/${model.file}`, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`${model.title} can't be downloaded (${sentenceOf(error).slice(0, -1)}).`, { cause: error });
  });
  // Some servers answer a missing file with their start page.
  const missing = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  if (!response.ok || missing || response.body === null) {
    throw new Error(`${model.title} can't be downloaded (the site has no ${model.file}: answer ${response.status}).`);
  }
  const total = Number(response.headers.get('content-length') ?? 0);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  for await (const part of response.body as ReadableStream<Uint8Array<ArrayBuffer>> & AsyncIterable<Uint8Array<ArrayBuffer>>) {
    parts.push(part);
    done += part.byteLength;
    report({ stage: 'Downloading', done, total: Math.max(total, done), unit: 'bytes' });
  }
  const name = model.file.slice(model.file.lastIndexOf('/') + 1);
  return { path: name, file: new File(parts, name) };
}
