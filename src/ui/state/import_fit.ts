/** Which ways to import a model fit into this browser, and which one to offer first. */
import type { ImportChoice, ImportPreview } from '../../hosts/api.ts';
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import { formatBytes } from '../lib/format.ts';

export interface Fit {
  /** 'short': the browser says that there is no room. 'unknown': it doesn't tell, or part of it is stored already. */
  readonly storage: 'ok' | 'short' | 'unknown';
  /** 'short': a trial allocation got less than the weights need. 'unused': models run on the CPU here. */
  readonly gpu: 'ok' | 'short' | 'unknown' | 'unused';
}

export function fitOf(choice: ImportChoice, { freeStorageByteLength, gpu }: ImportPreview): Fit {
  return { storage: storageFit(choice, freeStorageByteLength), gpu: gpuFit(choice, gpu) };
}

function storageFit({ present, storageByteLength }: ImportChoice, free: number | null): Fit['storage'] {
  if (present === 'ready') return 'ok';
  // How much of a partial import is written already isn't told; the importer checks what is left.
  if (free === null || present === 'partial') return 'unknown';
  return storageByteLength <= free ? 'ok' : 'short';
}

function gpuFit({ gpuByteLength }: ImportChoice, { backend, provenByteLength }: ImportPreview['gpu']): Fit['gpu'] {
  if (backend.kind === 'reference') return 'unused';
  if (provenByteLength === null) return 'unknown';
  return gpuByteLength <= provenByteLength ? 'ok' : 'short';
}

export interface FitNote {
  readonly kind: 'ok' | 'warn' | 'info';
  readonly text: string;
}

/** A line on storage and one on GPU memory: what the choice needs, and what there is. */
export function fitNotes(choice: ImportChoice, preview: ImportPreview): readonly FitNote[] {
  return [storageNote(choice, preview), gpuNote(choice, preview)];
}

function storageNote(choice: ImportChoice, preview: ImportPreview): FitNote {
  const { present, storageByteLength } = choice;
  const free = preview.freeStorageByteLength;
  const needed = formatBytes(storageByteLength);
  if (present === 'ready') return { kind: 'ok', text: 'Storage: nothing more, it is in your library' };
  if (present === 'partial') return { kind: 'info', text: `Storage: ${needed}, a part of it is written already` };
  if (free === null) return { kind: 'info', text: `Storage: ${needed}; this browser does not tell how much is free` };
  return fitOf(choice, preview).storage === 'short'
    ? { kind: 'warn', text: `Storage: ${needed} needed, only ${formatBytes(free)} free` }
    : { kind: 'ok', text: `Storage: ${needed} needed, ${formatBytes(free)} free` };
}

function gpuNote(choice: ImportChoice, preview: ImportPreview): FitNote {
  const needed = formatBytes(choice.gpuByteLength);
  const proven = formatBytes(preview.gpu.provenByteLength ?? 0);
  switch (fitOf(choice, preview).gpu) {
    case 'unused': return { kind: 'info', text: 'GPU memory: none, models run on the CPU here' };
    case 'unknown': return { kind: 'info', text: `GPU memory: ${needed} needed; how much there is could not be tried` };
    case 'ok': return { kind: 'ok', text: `GPU memory: ${needed} needed, at least ${proven} could be allocated` };
    case 'short': return { kind: 'warn', text: `GPU memory: only ${proven} of the ${needed} needed could be allocated` };
  }
}

/** Why this choice can't be imported now, and what to do; null where it can. GPU memory that isn't proven is no reason. */
export function blockOf(choice: ImportChoice, preview: ImportPreview): string | null {
  const short = (entry: ImportChoice): boolean => fitOf(entry, preview).storage === 'short';
  if (!short(choice)) return null;
  const [needed, free] = [choice.storageByteLength, preview.freeStorageByteLength ?? 0].map(formatBytes);
  const smaller = preview.choices.some((entry) => entry.refusal === null && !short(entry));
  const wayOut = smaller ? 'Choose fewer bits, or delete a model.' : 'Delete a model or free disk space.';
  return `There is no room for it: it needs ${needed} of browser storage and ${free} are free. ${wayOut}`;
}

/** Whether there is anything to choose: a model with experts of which at least one conversion is possible. */
export function hasChoice({ expertCount, choices }: ImportPreview): boolean {
  return expertCount > 0 && choices.some((choice) => choice.conversion !== 'keep' && choice.refusal === null);
}

/**
 * What the dialog preselects: an import that was cut off; else the experts as they are, where storage and GPU have room
 * for them; else the most bits a weight that fit. The FP4 tier costs storage and runs only where it is turned on, so of
 * equal bits the smaller choice comes first. Where nothing fits, 2-bit experts.
 */
export function defaultChoice(preview: ImportPreview): ExpertConversion {
  const possible = preview.choices.filter((choice) => choice.refusal === null);
  const partial = possible.find((choice) => choice.present === 'partial');
  if (partial !== undefined) return partial.conversion;
  const fits = (choice: ImportChoice): boolean => {
    const { storage, gpu } = fitOf(choice, preview);
    return storage !== 'short' && gpu !== 'short';
  };
  const [best] = possible.filter(fits).sort((a, b) => rank(b) - rank(a)
    || b.expertBitsPerWeight - a.expertBitsPerWeight || a.storageByteLength - b.storageByteLength);
  if (best !== undefined) return best.conversion;
  return (possible.find((choice) => choice.conversion === 'w2') ?? possible[0] ?? preview.choices[0]).conversion;
}

/** A lossless choice goes before any other. */
const rank = ({ conversion }: ImportChoice): number => (conversion === 'keep' ? 1 : 0);
