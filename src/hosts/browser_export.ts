import type { ExportedFile } from '../storage/exporter.ts';

/** Without it browsers guess from the bytes, and rename a LICENSE to LICENSE.txt. */
const ANY_TYPE = 'application/octet-stream';

/**
 * The files of a stored model as blobs. Each piece becomes a blob of its own at once: browsers move those to disk
 * when they grow beyond memory, which a single buffer of 40 GB could never do.
 */
export async function blobsOf(
  files: readonly ExportedFile[], onProgress: (doneBytes: number, totalBytes: number) => void,
): Promise<{ name: string; blob: Blob }[]> {
  const total = files.reduce((sum, file) => sum + file.byteLength, 0);
  let done = 0;
  const exported: { name: string; blob: Blob }[] = [];
  for (const file of files) {
    const parts: Blob[] = [];
    for await (const bytes of file.chunks()) {
      // Copied into the blob, so the view's buffer may be any kind.
      parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]));
      done += bytes.byteLength;
      onProgress(done, total);
    }
    exported.push({ name: file.name.slice(file.name.lastIndexOf('/') + 1), blob: new Blob(parts, { type: ANY_TYPE }) });
  }
  return exported;
}
