/** What the import dialog shows: how large a dropped model would be in each form, and where it would fit. */
import type { Backend } from '../compute/ops.ts';
import { EXPERT_CONVERSIONS, type ExpertConversion } from '../storage/conversion_report.ts';
import { expertBitsPerWeight, expertSlices, type StoragePlan } from '../storage/convert_plan.ts';
import { modelId } from '../storage/fingerprint.ts';
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
  for (const conversion of EXPERT_CONVERSIONS) choices.push(await choiceOf(dropped, conversion, library));
  const askedByteLength = Math.max(...choices.map((choice) => choice.gpuByteLength));
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
    gpu: { backend: backend.info, provenByteLength: null, askedByteLength },
  };
}

async function choiceOf(
  { checkpoint, plan, files }: DroppedModel, conversion: ExpertConversion, library: ModelLibrary,
): Promise<ImportChoice> {
  const manifest = manifestFromPlan(plan);
  const { origin } = buildOrigin(plan, files.filter((file) => isKeptFile(file, checkpoint)));
  const byteLengths = packFileByteLengths(manifest, origin);
  const present = await library.find(await modelId(checkpoint, files, conversion));
  return {
    conversion,
    refusal: conversion === 'keep' ? null : 'this build can’t convert experts',
    expertByteLength: byteLengths['experts.pack'],
    expertBitsPerWeight: expertBitsPerWeight(plan),
    storageByteLength: Object.values(byteLengths).reduce((sum, byteLength) => sum + byteLength, 0),
    gpuByteLength: byteLengths['dense.pack'] + byteLengths['experts.pack'],
    present: present?.state ?? null,
  };
}

/** Formats by their share of the experts' bytes, largest first. */
function expertFormats(plan: StoragePlan): string[] {
  const byteLengths = new Map<string, number>();
  for (const { format, byteLength } of expertSlices(plan)) {
    byteLengths.set(format, (byteLengths.get(format) ?? 0) + byteLength);
  }
  return [...byteLengths].sort((a, b) => b[1] - a[1]).map(([format]) => format);
}
