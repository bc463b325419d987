/** Model files on a disk, opened for programs in Node. */
import type { Checkpoint } from '../formats/checkpoint.ts';
import type { ModelPlan } from '../formats/model_plan.ts';
import { openCheckpoint } from '../formats/open_checkpoint.ts';
import { planModel } from '../models/registry.ts';
import type { ExpertConversion } from '../storage/conversion_report.ts';
import { convertPlan } from '../storage/convert_plan.ts';
import { createDirectSource } from '../storage/direct_source.ts';
import { createInThreadConverter } from '../storage/expert_converter.ts';
import { keepTierRows } from '../storage/kept_tier_rows.ts';
import type { ModelSource } from '../storage/model_source.ts';
import { collectModelFiles } from '../storage/node_fs.ts';

/** Memory for rows of a second tier, which would be converted again each time that an expert comes to the tier. */
const KEPT_TIER_BYTES = 2 ** 30;

/**
 * Opens what MODEL means on a command line: a GGUF file, a first shard, or a folder.
 * @throws ModelFormatError with one sentence
 */
export async function openNodeCheckpoint(modelPath: string): Promise<Checkpoint> {
  return openCheckpoint(await collectModelFiles(modelPath));
}

export interface OpenedModel {
  readonly plan: ModelPlan;
  readonly source: ModelSource;
}

/**
 * Opens a model, its experts converted as an import would: each when it is read.
 * @throws ModelFormatError with one sentence
 */
export async function openNodeModel(modelPath: string, conversion: ExpertConversion = 'keep'): Promise<OpenedModel> {
  const plan = convertPlan(planModel(await openNodeCheckpoint(modelPath)), conversion, createInThreadConverter());
  return { plan, source: keepTierRows(createDirectSource(plan), KEPT_TIER_BYTES) };
}
