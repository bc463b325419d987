/** A converted model computes what its rounded weights say: the same logits as with those weights stored as F32. */
import { describe, expect, it } from 'vitest';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { ModelPlan } from '../../src/formats/model_plan.ts';
import { planModel } from '../../src/models/registry.ts';
import { EXPERT_CONVERSIONS } from '../../src/storage/conversion_report.ts';
import { convertPlan } from '../../src/storage/convert_plan.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import { createInThreadConverter } from '../../src/storage/expert_converter.ts';
import { asF32 } from '../support/decoded_slices.ts';
import { openModel } from '../support/model_files.ts';

const TOKENS = [3, 14, 15, 92, 65, 35];

async function logitsOf(plan: ModelPlan): Promise<Float32Array> {
  const engine = await createEngine({
    source: createDirectSource(plan), backend: createReferenceBackend(), contextLength: TOKENS.length,
  });
  const [row] = await engine.logits(TOKENS, [TOKENS.length - 1]);
  await engine.dispose();
  return row;
}

describe('a converted model', () => {
  it.each(EXPERT_CONVERSIONS.filter((conversion) => conversion !== 'keep'))('%s', async (conversion) => {
    const original = planModel(await openModel('olmoe', 'gguf'));
    const converted = convertPlan(original, conversion, createInThreadConverter());
    const experts = await Promise.all(converted.experts.map(async ({ layer, gate, up, down }) => ({
      layer, gate: await Promise.all(gate.map(asF32)), up: await Promise.all(up.map(asF32)), down: await Promise.all(down.map(asF32)),
    })));
    const logits = await logitsOf(converted);
    expect(logits).toEqual(await logitsOf({ ...original, experts }));
    expect(logits).not.toEqual(await logitsOf(original));
  });
});
