import type { DroppedFile } from '../../hosts/api.ts';

/** A dropped home folder must not hang the page: nobody's model has more files than this. */
const MAX_FILES = 2000;
const MAX_DEPTH = 8;

/**
 * All files of a drop, folders walked. Must be called inside the drop event's handler: the browser empties the
 * DataTransfer afterwards. Hidden files and folders ('.git') are left out.
 * @throws Error with a sentence where a folder has too many files or can't be read
 */
export function filesOfDrop(transfer: DataTransfer): Promise<DroppedFile[]> {
  const entries: FileSystemEntry[] = [];
  const loose: DroppedFile[] = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    else if (file !== null) loose.push({ path: file.name, file });
  }
  return walk(entries, loose);
}

async function walk(entries: readonly FileSystemEntry[], found: DroppedFile[]): Promise<DroppedFile[]> {
  const visit = async (entry: FileSystemEntry, prefix: string, depth: number): Promise<void> => {
    if (entry.name.startsWith('.')) return;
    const path = prefix + entry.name;
    if (entry.isFile) {
      if (found.length >= MAX_FILES) throw new Error(`That folder has more than ${MAX_FILES} files: drop the model’s own folder instead.`);
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      found.push({ path, file });
      return;
    }
    if (depth >= MAX_DEPTH) return;
    for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) await visit(child, `${path}/`, depth + 1);
  };
  for (const entry of entries) await visit(entry, '', 0);
  return found;
}

/** readEntries hands out at most 100 at a time and must be asked until it gives none. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return children;
    children.push(...some);
    if (children.length > MAX_FILES) throw new Error(`That folder has more than ${MAX_FILES} files: drop the model’s own folder instead.`);
  }
}

/** Files of an `<input type="file">`; with webkitdirectory their paths include the folder. */
export function filesOfInput(files: Iterable<File>): DroppedFile[] {
  return [...files]
    .map((file) => ({ path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath, file }))
    .filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')));
}
