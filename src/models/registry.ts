/** The architectures we run, and the two questions asked of them: where are the weights, what is the forward pass. */
import type { ModelGraph } from '../compute/ops.ts';
import { ModelFormatError, type Checkpoint } from '../formats/checkpoint.ts';
import type { Hyperparameters, ModelPlan } from '../formats/model_plan.ts';
import type { Architecture } from './architecture.ts';
import { checkpointLabel, Fields } from './fields.ts';
import { GraphBuilder } from './graph_builder.ts';
import { granitemoe } from './granitemoe.ts';
import { mixtral } from './mixtral.ts';
import { olmoe } from './olmoe.ts';
import { qwen2moe } from './qwen2moe.ts';
import { qwen3moe } from './qwen3moe.ts';
import { TensorResolver } from './resolve_tensors.ts';

export const ARCHITECTURES: readonly Architecture[] = [qwen3moe, qwen2moe, olmoe, mixtral, granitemoe];

/**
 * Sees a checkpoint through its architecture. Reads no weights.
 * @throws ModelFormatError for an unknown architecture, a hyperparameter out of range, a tensor that is missing, in
 *   an unsupported format, of the wrong shape, or that the architecture has no use for.
 */
export function planModel(checkpoint: Checkpoint): ModelPlan {
  const { architecture, hyperparameters, tiedHead } = identify(checkpoint);
  const resolver = new TensorResolver(checkpoint, architecture.id);
  const specs = architecture.denseTensors(hyperparameters);
  if (tiedHead) resolver.ignore('lm_head.weight');
  const dense = resolver.dense(tiedHead ? specs.filter((spec) => spec.name !== 'output.weight') : specs);
  const experts = resolver.experts(architecture.expertLayers(hyperparameters), hyperparameters);
  resolver.checkAllUsed();
  return {
    name: checkpoint.name,
    architecture: architecture.id,
    container: checkpoint.container,
    hyperparameters, dense, experts,
    tokenizer: checkpoint.tokenizer,
    chatTemplate: checkpoint.chatTemplate,
    sourceFiles: checkpoint.sources.map(({ name, byteLength }) => ({ name, byteLength })),
  };
}

/**
 * The forward pass of a planned or stored model.
 * @param denseNames canonical names of the dense tensors that it has (Manifest.dense): biases and heads are optional.
 * @throws ModelFormatError where this version doesn't know the architecture (a model stored by another version).
 */
export function buildGraph(architecture: string, hp: Hyperparameters, denseNames: Iterable<string>): ModelGraph {
  const known = ARCHITECTURES.find(({ id }) => id === architecture);
  if (!known) throw unknownArchitecture('the stored model', architecture);
  const builder = new GraphBuilder(new Set(denseNames));
  return builder.build(known.id, known.forward(builder, hp));
}

interface Identified {
  readonly architecture: Architecture;
  readonly hyperparameters: Hyperparameters;
  /** The config ties the head to the embedding, so a stored lm_head is a copy of it. */
  readonly tiedHead: boolean;
}

function identify(checkpoint: Checkpoint): Identified {
  const file = checkpointLabel(checkpoint);
  const { metadata } = checkpoint;
  if (metadata.kind === 'gguf') {
    const name = metadata.values.get('general.architecture');
    if (typeof name !== 'string') throw new ModelFormatError(`${file} has no general.architecture in its metadata`);
    const meta = Fields.ofGguf(file, name, metadata.values);
    const architecture = ARCHITECTURES.find((known) => known.ggufName === name && (known.acceptsGguf?.(meta) ?? true));
    if (!architecture) throw unknownArchitecture(file, name);
    const hyperparameters = architecture.fromGguf(meta, (tensor) =>
      checkpoint.tensors.get(tensor)?.shape);
    return { architecture, hyperparameters, tiedHead: false };
  }
  const config = Fields.ofConfig(checkpoint.name, metadata.config);
  const modelType = config.text('model_type', '');
  const architecture = ARCHITECTURES.find(({ hfModelTypes }) => hfModelTypes.includes(modelType));
  if (!architecture) throw unknownArchitecture(file, modelType || '(none)');
  const tiedHead = config.boolean('tie_word_embeddings', !checkpoint.tensors.has('lm_head.weight'));
  if (!tiedHead && !checkpoint.tensors.has('lm_head.weight') && !checkpoint.unsupportedTensors?.has('lm_head.weight')) {
    throw new ModelFormatError(
      `${file} lacks the tensor lm_head.weight, and its config.json says that it isn't tied to the embedding`);
  }
  return { architecture, hyperparameters: architecture.fromConfig(config), tiedHead };
}

function unknownArchitecture(file: string, found: string): ModelFormatError {
  const gguf = ARCHITECTURES.map(({ ggufName }) => (ggufName === 'llama' ? 'llama with experts' : ggufName));
  const hf = ARCHITECTURES.flatMap(({ hfModelTypes }) => hfModelTypes);
  return new ModelFormatError(
    `${file} has the architecture '${found.slice(0, 60)}', which isn't supported; supported are ${gguf.join(', ')} ` +
    `(GGUF) and ${hf.join(', ')} (Hugging Face)`);
}
