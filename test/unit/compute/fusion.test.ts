import { describe, expect, it } from 'vitest';
import { fuse, projectionGroups, type LoweredOp } from '../../../src/compute/webgpu/fusion.ts';
import type { ModelGraph, Op } from '../../../src/compute/ops.ts';
import { buildGraph, planModel } from '../../../src/models/registry.ts';
import { manifestFromPlan } from '../../../src/storage/manifest.ts';
import { openModel, REFERENCE_ARCHITECTURES, type ReferenceArchitecture } from '../../support/model_files.ts';

async function graphOf(architecture: ReferenceArchitecture): Promise<ModelGraph> {
  const manifest = manifestFromPlan(planModel(await openModel(architecture, 'safetensors')));
  return buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
}

/** The plain ops that a lowered op stands for, its norm first. */
function opsOf(lowered: LoweredOp): Op[] {
  if (lowered.kind === 'plain') return [lowered.op];
  const norm = lowered.norm ? [lowered.norm] : [];
  if (lowered.kind !== 'attention_block') return [...norm, lowered.op];
  const { projections, qNorm, kNorm, rope, attention } = lowered;
  return [...norm, ...projections, ...[qNorm, kNorm].filter((op) => op !== null), rope, attention];
}

describe.each(REFERENCE_ARCHITECTURES)('%s', (architecture) => {
  it('keeps every op, in order; only a folded norm may move to its readers', async () => {
    const graph = await graphOf(architecture);
    const kept = new Set(fuse(graph).flatMap(opsOf));
    // Of the two ropes of a block one stands for both.
    const missing = graph.ops.filter((op) => !kept.has(op));
    expect(missing.every((op) => op.kind === 'rope')).toBe(true);
    expect(missing).toHaveLength(graph.kvLayers.length);
    const order = fuse(graph).map((lowered) => graph.ops.indexOf(opsOf(lowered).at(-1)!));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('makes one block of every layer\'s attention, with its norm folded in', async () => {
    const graph = await graphOf(architecture);
    const blocks = fuse(graph).filter((op) => op.kind === 'attention_block');
    expect(blocks).toHaveLength(graph.kvLayers.length);
    expect(blocks.every((block) => block.norm !== null)).toBe(true);
    expect(projectionGroups(graph)[0]).toEqual(['blk.0.attn_q.weight', 'blk.0.attn_k.weight', 'blk.0.attn_v.weight']);
  });
});

it('folds no norm whose input changes before its last reader', async () => {
  const graph = await graphOf('qwen2_moe');
  const plainNorms = fuse(graph).flatMap((op) => op.kind === 'plain' && op.op.kind === 'rms_norm' ? [op.op.weight] : []);
  // The shared expert reads the FFN's norm after the routed experts have changed the residual stream.
  expect(plainNorms).toEqual([...[0, 1, 2].map((layer) => `blk.${layer}.ffn_norm.weight`), 'output_norm.weight']);
  const experts = fuse(graph).filter((op) => op.kind === 'experts');
  expect(experts.map((op) => op.norm)).toEqual([null, null, null]);
});

it('leaves ops that fit no pattern as they are', async () => {
  const graph = await graphOf('mixtral');
  const withoutRope = { ...graph, ops: graph.ops.filter((op) => op.kind !== 'rope') };
  expect(projectionGroups(withoutRope)).toEqual([]);
  expect(fuse(withoutRope).flatMap(opsOf).filter((op) => op.kind === 'attention')).toHaveLength(3);
});
