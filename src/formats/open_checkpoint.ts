/** From dropped files to a Checkpoint: decides by content what they are, and says so where they are no model. */
import { ModelFormatError, type ByteSource, type Checkpoint } from './checkpoint.ts';
import { openGguf } from './gguf.ts';
import { isGguf } from './gguf_header.ts';
import { openSafetensors } from './safetensors.ts';
import { isSafetensors } from './safetensors_header.ts';

export interface NamedSource {
  /** Relative path with '/' between folders; just the file name for loose files. */
  readonly path: string;
  readonly source: ByteSource;
}

const PICKLE_NAME = /\.(bin|pth|pt|ckpt|pkl)$/i;
const MODEL_NAME = /\.(gguf|safetensors)$/i;

/**
 * Opens the one model among the files; files that are no part of it are ignored.
 * @throws ModelFormatError in one sentence: no model, several models, a damaged file, or which file is missing
 */
export async function openCheckpoint(files: readonly NamedSource[]): Promise<Checkpoint> {
  const ggufs: NamedSource[] = [];
  const safetensors: NamedSource[] = [];
  const pretenders: NamedSource[] = [];
  for (const file of files.filter(({ path }) => !isHidden(path))) {
    if (await isGguf(file.source)) ggufs.push(file);
    else if (file.path.endsWith('.safetensors') && (await isSafetensors(file.source))) safetensors.push(file);
    else if (MODEL_NAME.test(file.path)) pretenders.push(file);
  }
  if (pretenders.length > 0) throw await explainPretender(pretenders[0]);
  if (ggufs.length > 0 && safetensors.length > 0) throw severalModels([ggufs[0].path, safetensors[0].path]);
  if (ggufs.length > 0) return openGguf(ggufs.map(({ source }) => source));
  if (safetensors.length > 0) return openFolder(files, safetensors);
  throw explainNoModel(files);
}

async function openFolder(files: readonly NamedSource[], safetensors: readonly NamedSource[]): Promise<Checkpoint> {
  const withWeights = [...new Set(safetensors.map(({ path }) => folderOf(path)))];
  // Model repositories may hold the weights a second time in a subfolder; only the folder with a config is one.
  const withConfig = withWeights.filter((folder) => files.some(({ path }) => path === join(folder, 'config.json')));
  const candidates = withConfig.length > 0 ? withConfig : withWeights;
  if (candidates.length > 1) throw severalModels(candidates.map((folder) => folder || 'the top folder'));
  const folder = candidates[0];
  const inFolder = files.filter(({ path }) => folderOf(path) === folder && !isHidden(path));
  return openSafetensors(new Map(inFolder.map(({ path, source }) => [baseName(path), source])), baseName(folder));
}

function severalModels(names: readonly string[]): ModelFormatError {
  return new ModelFormatError(`these are several models (${names.slice(0, 3).join(', ')}): add one at a time`);
}

/** A file with a model's name but not its content. */
async function explainPretender({ path, source }: NamedSource): Promise<ModelFormatError> {
  if (source.byteLength === 0) return new ModelFormatError(`${path} is empty`);
  const start = new TextDecoder('latin1').decode(await source.read(0, Math.min(64, source.byteLength)));
  if (start.startsWith('version https://git-lfs')) {
    return new ModelFormatError(`${path} is only a Git LFS pointer to the model: download the file itself`);
  }
  if (/^\s*<(!doctype|html)/i.test(start)) {
    return new ModelFormatError(`${path} is a web page, not a model: the download may have needed a login`);
  }
  return new ModelFormatError(path.toLowerCase().endsWith('.gguf')
    ? `${path} is not a GGUF file (it does not begin with "GGUF")`
    : `${path} is not a safetensors file, or only part of one (its header does not fit its ${source.byteLength} bytes)`);
}

function explainNoModel(files: readonly NamedSource[]): ModelFormatError {
  const pickle = files.find(({ path }) => PICKLE_NAME.test(path));
  if (pickle) {
    return new ModelFormatError(
      `${pickle.path}: PyTorch pickle files are not supported; add the model's safetensors files or a GGUF file instead`);
  }
  const index = files.find(({ path }) => path.endsWith('.safetensors.index.json'));
  if (index) return new ModelFormatError(`${index.path} came without the safetensors files that it lists: add them too`);
  const names = files.slice(0, 3).map(({ path }) => path).join(', ');
  const found = files.length === 0 ? 'no files' : `${names}${files.length > 3 ? ' and more' : ''}`;
  return new ModelFormatError(
    `there is no model here (${found}): add a GGUF file, or a folder with safetensors files, config.json and tokenizer.json`);
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** '.DS_Store', '.git/…' and the like. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.'));
}
