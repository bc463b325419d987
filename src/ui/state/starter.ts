import type { DroppedFile, Progress } from '../../hosts/api.ts';

/** A model that the site ships, as public/models/index.json lists it. */
export interface StarterModel {
  readonly file: string;
  readonly title: string;
  readonly note: string;
}

/** The bundled models; none where the site ships none. */
export async function fetchStarterModels(base: string, fetcher: typeof fetch): Promise<readonly StarterModel[]> {
  try {
    const response = await fetcher(`${base}models/index.json`);
    if (!response.ok) return [];
    const listed: unknown = await response.json();
    const models = typeof listed === 'object' && listed !== null ? (listed as { models?: unknown }).models : null;
    return Array.isArray(models) ? models.filter(isStarterModel) : [];
  } catch {
    // A site without bundled models answers with its own page or an error: the drop zone is still there.
    return [];
  }
}

function isStarterModel(value: unknown): value is StarterModel {
  const entry = value as Partial<StarterModel> | null;
  return typeof entry === 'object' && entry !== null && [entry.file, entry.title, entry.note].every((text) => typeof text === 'string');
}

/** Downloads a bundled model as if it had been dropped. @throws Error with a sentence where the site fails. */
export async function downloadStarter(
  base: string, model: StarterModel, fetcher: typeof fetch, report: (p: Progress) => void, signal: AbortSignal,
): Promise<DroppedFile> {
  const response = await fetcher(`${base}models/${model.file}`, { signal });
  if (!response.ok || response.body === null) {
    throw new Error(`The site answered ${response.status} for ${model.file}; reload the page or drop a model file instead.`);
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
