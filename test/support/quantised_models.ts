/** A tiny Qwen3-MoE in every ggml type (test/vectors/models/quantised), with llama.cpp's logits. */
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import { bytesSource } from '../../src/formats/byte_sources.ts';
import type { Checkpoint } from '../../src/formats/checkpoint.ts';
import { openCheckpoint } from '../../src/formats/open_checkpoint.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { createDirectSource } from '../../src/storage/direct_source.ts';
import type { ReferenceRun } from '../../tools/kit/checks.ts';
import { readVector } from './model_files.ts';

/**
 * The files, with those of the stored positions at which llama.cpp's logits are of another choice of experts: two
 * experts were so near a tie that its rounding of activations to 8 bits turned their order around. In each of these
 * files it is one choice of one layer (listed behind), and making it as llama.cpp did brings every position to
 * 2 % or less.
 */
export const QUANTISED_MODELS: Readonly<Record<string, readonly number[]>> = {
  'F16': [],
  'Q8_0': [],
  'Q4_0': [],
  'Q4_1': [15, 16], // token 4, layer 0: router logits 0.008 apart
  'Q5_0': [],
  'Q5_1': [],
  'Q2_K': [],
  'Q3_K_S': [0], // token 0, layer 1: 0.018
  'Q4_K_S': [],
  'Q5_K_S': [1], // token 1, layer 1: 0.019
  'Q6_K': [1], // token 1, layer 1: 0.001
  'IQ1_S': [],
  'IQ1_M': [63], // token 63, layer 1: 0.001
  'IQ2_XXS': [31], // token 31, layer 1: 0.006
  'IQ2_XS': [],
  'experts-iq2_s': [],
  'IQ3_XXS': [],
  'IQ3_S': [],
  'IQ4_NL': [],
  'IQ4_XS': [],
  'TQ1_0': [],
  'TQ2_0': [],
  'Q1_0': [],
  'Q2_0': [],
  'MXFP4_MOE': [],
  'experts-nvfp4': [],
};

export function readQuantisedRun(name: string): ReferenceRun {
  return JSON.parse(new TextDecoder().decode(readVector(`quantised/qwen3moe-${name}.logits.json`))) as ReferenceRun;
}

export function openQuantisedModel(name: string): Promise<Checkpoint> {
  const path = `qwen3moe-${name}.gguf`;
  return openCheckpoint([{ path, source: bytesSource(path, readVector(`quantised/${path}`)) }]);
}

export async function loadQuantisedModel(backend: Backend, name: string): Promise<LoadedModel> {
  const source = createDirectSource(planModel(await openQuantisedModel(name)));
  const { architecture, hyperparameters, dense } = source.manifest;
  return backend.load(source, buildGraph(architecture, hyperparameters, dense.map((entry) => entry.name)), { contextLength: 96 });
}

/**
 * Logits at the run's positions: as large steps as the model takes, but the last `decodeSteps` tokens one by one, which
 * is another set of kernels.
 */
export async function logitsAtPositions(model: LoadedModel, run: ReferenceRun, decodeSteps: number): Promise<Float32Array[]> {
  const { tokens, logit_positions: positions } = run;
  const found: Float32Array[] = [];
  const sequence = await model.createSequence();
  for (let begin = 0; begin < tokens.length;) {
    const left = tokens.length - decodeSteps - begin;
    const end = begin + (left > 0 ? Math.min(left, model.maxStepTokens) : 1);
    const rows = positions.filter((position) => position >= begin && position < end).map((position) => position - begin);
    const { logits } = await model.step(sequence, tokens.slice(begin, end), rows.length > 0 ? { kind: 'logits', rows } : { kind: 'none' });
    found.push(...(logits ?? []));
    begin = end;
  }
  sequence.dispose();
  return found;
}
