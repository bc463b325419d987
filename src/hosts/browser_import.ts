import { ModelFormatError, type Checkpoint } from '../formats/checkpoint.ts';
import { blobSource } from '../formats/byte_sources.ts';
import type { ModelPlan } from '../formats/model_plan.ts';
import { openCheckpoint, type NamedSource } from '../formats/open_checkpoint.ts';
import { planModel } from '../models/registry.ts';
import type { ExpertConversion } from '../storage/conversion_report.ts';
import { modelId } from '../storage/fingerprint.ts';
import { convertPlan } from '../storage/convert_plan.ts';
import { createInThreadConverter, type ExpertConverter } from '../storage/expert_converter.ts';
import type { ModelLibrary } from '../storage/library.ts';
import type { StoredModelSummary } from '../storage/summary.ts';
import { createTokenizer } from '../tokenizer/tokenizer.ts';
import type { DroppedFile } from './api.ts';

export interface BrowserImport {
  readonly library: ModelLibrary;
  readonly files: readonly DroppedFile[];
  readonly conversion: ExpertConversion;
  /** Starts what converts experts; closed when the import ends. */
  readonly openConverter: () => Promise<ExpertConverter>;
  readonly quota: () => Promise<{ quota?: number; usage?: number }>;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
  readonly signal: AbortSignal;
  /** Told as soon as the files are known to be a model of this id, before anything is written. */
  readonly onIdentified: (id: string) => void;
}

export interface DroppedModel {
  readonly files: readonly NamedSource[];
  readonly checkpoint: Checkpoint;
  readonly plan: ModelPlan;
}

/**
 * Reads what was dropped, headers only. Everything that could make the model unusable is checked: format,
 * architecture, tensors, tokenizer.
 * @throws ModelFormatError with a sentence for the person who dropped the files
 */
export async function readDroppedModel(dropped: readonly DroppedFile[]): Promise<DroppedModel> {
  const files = dropped.map(({ path, file }) => ({ path, source: blobSource(path, file) }));
  const checkpoint = await openCheckpoint(files);
  const plan = planModel(checkpoint);
  if (plan.tokenizer === null) {
    throw new ModelFormatError(
      `${plan.name} has no tokenizer, so it can't read or write text: ` +
      (plan.container === 'gguf' ? 'choose a GGUF with its vocabulary' : 'drop its tokenizer.json together with the weights'));
  }
  createTokenizer(plan.tokenizer);
  return { files, checkpoint, plan };
}

/**
 * Dropped files → a stored model, checked before a byte is written.
 * @throws ModelFormatError or StorageError, each with a sentence for the person who dropped the files
 */
export async function importDroppedFiles(options: BrowserImport): Promise<StoredModelSummary> {
  const { library, conversion, quota, onProgress, signal, onIdentified } = options;
  const { files, checkpoint, plan } = await readDroppedModel(options.files);
  const id = await modelId(checkpoint, files, conversion);
  // Told before an abort is heeded, since whoever cancels may want what an earlier import left gone.
  onIdentified(id);
  signal.throwIfAborted();
  const converter = conversion === 'keep' ? createInThreadConverter() : await options.openConverter();
  try {
    const stored = convertPlan(plan, conversion, converter);
    await library.import({ checkpoint, plan: stored, files, id, onProgress, signal, quota });
  } finally {
    converter.close();
  }
  const summary = await library.find(id);
  if (summary === null) throw new Error(`${plan.name} was imported but isn't in the library; reload the page.`);
  return summary;
}
