/** Every weight format through whole models of random weights: a back end against the reference back end. */
import type { Backend, LoadedModel } from '../../src/compute/ops.ts';
import { createReferenceBackend } from '../../src/compute/reference/backend.ts';
import { collectLogits } from '../../src/engine/logits.ts';
import { buildGraph, planModel } from '../../src/models/registry.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';
import { manifestFromPlan } from '../../src/storage/manifest.ts';
import type { MoeShape } from '../synthetic/moe_shape.ts';
import { syntheticCheckpoint, syntheticSource } from '../synthetic/synthetic_model.ts';
import { relativeL2 } from './checks.ts';

/** Rows of one and of two blocks of the largest kind; more tokens than a tile, and no multiple of one. */
const SHAPE: MoeShape = {
  architecture: 'olmoe', hiddenSize: 512, layerCount: 1, headCount: 4, kvHeadCount: 4, headDim: 128,
  expertCount: 4, expertUsedCount: 2, expertFfnSize: 256, vocabSize: 640, contextLength: 128,
};
const TOKENS = Array.from({ length: 43 }, (_, i) => (i * 7919 + 1) % SHAPE.vocabSize);
const POSITIONS = [0, 7, 20, 34, 35, 41, 42];

export interface FormatError {
  readonly format: WeightFormatName;
  /**
   * Median over positions of the relative L2 error of logits, after a prompt (matrix products) and token by token
   * (matrix-vector products). A near tie in the router may send a position elsewhere; a wrong kernel spoils them all.
   */
  readonly prompt: number;
  readonly decode: number;
}

export async function formatErrors(backend: Backend, onFound: (error: FormatError) => void): Promise<void> {
  const reference = createReferenceBackend();
  for (const format of Object.keys(WEIGHT_FORMATS) as WeightFormatName[]) {
    const expected = await logitsOf(await load(reference, format), Infinity);
    const model = await load(backend, format);
    const [prompt, decode] = [await logitsOf(model, Infinity), await logitsOf(model, 1)]
      .map((rows) => rows.map((row, i) => {
        const error = relativeL2(row, expected[i]);
        return Number.isNaN(error) ? Infinity : error;
      }).sort((a, b) => a - b)[Math.floor(POSITIONS.length / 2)]);
    model.dispose();
    onFound({ format, prompt, decode });
  }
}

async function load(backend: Backend, format: WeightFormatName): Promise<LoadedModel> {
  const roles = { embedding: format, attention: format, head: format, gateUp: format, down: format };
  const manifest = manifestFromPlan(planModel(syntheticCheckpoint(SHAPE, roles, format)));
  const graph = buildGraph(manifest.architecture, manifest.hyperparameters, manifest.dense.map(({ name }) => name));
  return backend.load(syntheticSource(manifest), graph, { contextLength: SHAPE.contextLength });
}

function logitsOf(model: LoadedModel, chunk: number): Promise<Float32Array[]> {
  return collectLogits(model, TOKENS, POSITIONS, Math.min(chunk, model.maxStepTokens));
}
