/** What the import dialog shows: how large a dropped model would be in each form, and where it would fit. */
import type { Backend } from '../compute/ops.ts';
import type { ModelPlan } from '../formats/model_plan.ts';
import { EXPERT_CONVERSIONS, type ExpertConversion } from '../storage/conversion_report.ts';
import {
  conversionRefusal, convertPlan, expertBitsPerWeight, expertSlices, type StoragePlan,
} from '../storage/convert_plan.ts';
import { createInThreadConverter } from '../storage/expert_converter.ts';
import { fingerprint, modelIdOf, type Fingerprint } from '../storage/fingerprint.ts';
import type { ModelLibrary } from '../storage/library.ts';
import { manifestFromPlan } from '../storage/manifest.ts';
import { buildOrigin, isKeptFile } from '../storage/origin.ts';
import { packFileByteLengths } from '../storage/pack_items.ts';
import type { ImportChoice, ImportPreview } from './api.ts';
import type { DroppedModel } from './browser_import.ts';

interface PreviewServices {
  readonly library: ModelLibrary;
  readonly backend: Backend;
  readonly estimate: { readonly quota?: number; readonly usage?: number };
}

/** Reads no weights. @throws ModelFormatError where the model can't be stored in any form */
export async function previewModel(
  dropped: DroppedModel, { library, backend, estimate }: PreviewServices,
): Promise<ImportPreview> {
  const { plan } = dropped;
  const choices: ImportChoice[] = [];
  const print = await fingerprint(dropped.checkpoint, dropped.files);
  for (const conversion of EXPERT_CONVERSIONS) choices.push(await choiceOf(dropped, print, conversion, library));
  const largest = Math.max(...choices.filter(({ refusal }) => refusal === null).map(({ gpuByteLength }) => gpuByteLength));
  const memory = await backend.proveMemory?.(largest);
  return {
    name: plan.name,
    architecture: plan.architecture,
    container: plan.container,
    expertFormats: expertFormats(plan),
    layerCount: plan.hyperparameters.layerCount,
    expertCount: plan.hyperparameters.expertCount,
    expertUsedCount: plan.hyperparameters.expertUsedCount,
    choices,
    freeStorageByteLength: estimate.quota === undefined ? null : Math.max(0, estimate.quota - (estimate.usage ?? 0)),
    gpu: {
      backend: backend.info,
      provenByteLength: memory?.provenByteLength ?? null,
      askedByteLength: memory?.askedByteLength ?? largest,
    },
  };
}

async function choiceOf(
  { checkpoint, plan, files }: DroppedModel, print: Fingerprint, conversion: ExpertConversion, library: ModelLibrary,
): Promise<ImportChoice> {
  const refusal = conversionRefusal(plan, conversion);
  // A refused choice shows the sizes of the model as it is.
  const stored: StoragePlan = refusal === null ? convertPlan(plan, conversion, createInThreadConverter()) : plan;
  const manifest = manifestFromPlan(stored);
  const kept = stored.conversion ? [] : files.filter((file) => isKeptFile(file, checkpoint));
  const byteLengths = packFileByteLengths(manifest, buildOrigin(stored, kept).origin);
  const present = await library.find(await modelIdOf(print, conversion));
  return {
    conversion,
    refusal,
    expertByteLength: byteLengths['experts.pack'] + byteLengths['experts_fp4.pack'],
    expertBitsPerWeight: expertBitsPerWeight(stored),
    storageByteLength: Object.values(byteLengths).reduce((sum, byteLength) => sum + byteLength, 0),
    gpuByteLength: byteLengths['dense.pack'] + byteLengths['experts.pack'],
    present: present?.state ?? null,
  };
}

/** Formats by their share of the experts' bytes, largest first. */
function expertFormats(plan: ModelPlan): string[] {
  const byteLengths = new Map<string, number>();
  for (const { format, byteLength } of expertSlices(plan)) {
    byteLengths.set(format, (byteLengths.get(format) ?? 0) + byteLength);
  }
  return [...byteLengths].sort((a, b) => b[1] - a[1]).map(([format]) => format);
}
