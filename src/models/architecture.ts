/** What one architecture file provides. To add an architecture: write such a file and list it in registry.ts. */
import type { Activation } from '../compute/ops.ts';
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { Fields } from './fields.ts';
import type { GraphBuilder } from './graph_builder.ts';
import type { ExpertLayerSpec, TensorSpec } from './tensor_specs.ts';

/** Tensor shapes of the checkpoint, for hyperparameters that older files leave to the reader. */
export type ShapeOf = (name: string) => readonly number[] | undefined;

export interface Architecture {
  /** Id in manifests: 'qwen3moe'. */
  readonly id: string;
  /** general.architecture of GGUF files. */
  readonly ggufName: string;
  /** model_type values of Hugging Face config.json. */
  readonly hfModelTypes: readonly string[];
  /** Whether this GGUF header is ours, where several models share one general.architecture. Default: yes. */
  readonly acceptsGguf?: (meta: Fields) => boolean;
  readonly fromGguf: (meta: Fields, shapeOf: ShapeOf) => Hyperparameters;
  readonly fromConfig: (config: Fields) => Hyperparameters;
  readonly denseTensors: (hp: Hyperparameters) => TensorSpec[];
  readonly expertLayers: (hp: Hyperparameters) => ExpertLayerSpec[];
  /** Appends the forward pass; returns the logits. */
  readonly forward: (b: GraphBuilder, hp: Hyperparameters) => Activation;
}

/** Layers with and without experts. */
export function layersOf(hp: Hyperparameters): { readonly layer: number; readonly dense: boolean }[] {
  return Array.from({ length: hp.layerCount }, (_, layer) => ({ layer, dense: hp.denseLayers.includes(layer) }));
}
