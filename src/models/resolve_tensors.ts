/** From tensor tables to byte ranges of a checkpoint's files, with every shape checked. */
import { ModelFormatError, type Checkpoint, type TensorRef } from '../formats/checkpoint.ts';
import type { StoredCodes } from '../formats/code_order.ts';
import type { DensePlan, ExpertLayerPlan, Hyperparameters, MatrixSlice } from '../formats/model_plan.ts';
import { WEIGHT_FORMATS } from '../quant/formats.ts';
import { checkpointLabel } from './fields.ts';
import type { ExpertLayerSpec, ExpertMatrix, ExpertSource, TensorSpec } from './tensor_specs.ts';

/** What a slice takes of a tensor: one of `leading` stacked matrices, and of that one of `parts` runs of rows. */
interface Cut {
  readonly index: number;
  readonly leading: number;
  readonly part: number;
  readonly parts: number;
}

/** Tensors that files carry and inference recomputes: RoPE's buffers of old Hugging Face checkpoints. */
const RECOMPUTED = /\.rotary_emb\.inv_freq$/;

export class TensorResolver {
  readonly #checkpoint: Checkpoint;
  readonly #architecture: string;
  readonly #used = new Set<string>();

  constructor(checkpoint: Checkpoint, architecture: string) {
    this.#checkpoint = checkpoint;
    this.#architecture = architecture;
  }

  /** @throws ModelFormatError naming a missing tensor, or one whose shape isn't what the hyperparameters say. */
  dense(specs: readonly TensorSpec[]): DensePlan[] {
    const { tensors } = this.#checkpoint;
    const fileName = (spec: TensorSpec): string => (this.#isGguf ? spec.name : spec.hf.tensor);
    const groups = new Set(specs.filter((spec) => tensors.has(fileName(spec))).map((spec) => layerless(spec.name)));
    return specs.flatMap((spec) => {
      if (spec.optional && !groups.has(layerless(spec.name)) && !this.#unsupportedFormat(fileName(spec))) return [];
      const { part, parts } = this.#isGguf ? { part: 0, parts: 1 } : spec.hf;
      const cut = { index: 0, leading: 1, part, parts };
      return [{ name: spec.name, slice: this.#slice(fileName(spec), spec.shape, cut) }];
    });
  }

  /** @throws ModelFormatError as dense() does. */
  experts(specs: readonly ExpertLayerSpec[], hp: Hyperparameters): ExpertLayerPlan[] {
    return specs.map((spec) => {
      const sources = this.#isGguf ? spec.gguf : spec.hf;
      const matrices = (matrix: ExpertMatrix): MatrixSlice[] => {
        const source = this.#present(sources[matrix]);
        const shape = matrix === 'down' ? [hp.hiddenSize, hp.expertFfnSize] : [hp.expertFfnSize, hp.hiddenSize];
        return Array.from({ length: hp.expertCount }, (_, expert) => {
          const { part, parts } = source;
          const cut = source.stacked
            ? { index: expert, leading: hp.expertCount, part, parts }
            : { index: 0, leading: 1, part, parts };
          return this.#slice(source.tensor(expert), shape, cut);
        });
      };
      return { layer: spec.layer, gate: matrices('gate'), up: matrices('up'), down: matrices('down') };
    });
  }

  /** Marks a tensor as rightly unused, such as the head of a model that ties it to the embedding. */
  ignore(name: string): void {
    this.#used.add(name);
  }

  /**
   * A tensor that nothing reads means that the model computes something we don't (a bias, a RoPE factor table):
   * running it without would give plausible nonsense.
   * @throws ModelFormatError naming it.
   */
  checkAllUsed(): void {
    const unsupported = this.#checkpoint.unsupportedTensors?.keys() ?? [];
    for (const name of [...this.#checkpoint.tensors.keys(), ...unsupported]) {
      if (!this.#used.has(name) && !RECOMPUTED.test(name)) {
        throw this.#refusal(`holds the tensor ${name}, which the ${this.#architecture} architecture doesn't use here; ` +
          'its answers would be wrong without it');
      }
    }
  }

  get #isGguf(): boolean {
    return this.#checkpoint.container === 'gguf';
  }

  #present(candidates: readonly ExpertSource[]): ExpertSource {
    const { tensors } = this.#checkpoint;
    return candidates.find((source) => tensors.has(source.tensor(0))) ??
      candidates.find((source) => this.#unsupportedFormat(source.tensor(0)) !== undefined) ?? candidates[0];
  }

  #slice(name: string, shape: readonly number[], cut: Cut): MatrixSlice {
    const tensor = this.#checkpoint.tensors.get(name) ?? this.#missing(name);
    const rows = shape.length === 1 ? 1 : shape[0];
    const cols = shape[shape.length - 1];
    this.#checkShape(tensor, shape, cut);
    this.#used.add(name);
    const { blockElems, blockByteLength } = WEIGHT_FORMATS[tensor.format];
    if (cols % blockElems !== 0) {
      throw this.#refusal(
        `has a tensor ${name} with rows of ${cols} weights, no multiple of the ${tensor.format} block of ${blockElems}`,
        tensor.source.name);
    }
    const byteLength = rows * (cols / blockElems) * blockByteLength;
    const wholeByteLength = byteLength * cut.leading * cut.parts;
    if (tensor.byteLength !== wholeByteLength) {
      throw this.#refusal(
        `stores tensor ${name} in ${tensor.byteLength} bytes, but [${tensor.shape.join(', ')}] in ${tensor.format} ` +
        `takes ${wholeByteLength}`, tensor.source.name);
    }
    const byteOffset = tensor.byteOffset + (cut.index * cut.parts + cut.part) * byteLength;
    const tensorScale = tensor.tensorScales?.[tensor.tensorScales.length === 1 ? 0 : cut.index];
    return {
      format: tensor.format, rows, cols, source: tensor.source, byteOffset, byteLength, tensor: name,
      ...(tensorScale === undefined ? {} : { tensorScale }),
      ...codesOf(tensor, cut),
    };
  }

  /** Leading dimensions of 1 don't matter: [1, n] and [n] are the same bytes. */
  #checkShape(tensor: TensorRef, shape: readonly number[], cut: Cut): void {
    const rows = shape.length === 1 ? 1 : shape[0] * cut.parts;
    const expected = trimmed([cut.leading, rows, shape[shape.length - 1]]);
    const found = trimmed(tensor.shape);
    if (found.length !== expected.length || found.some((n, i) => n !== expected[i])) {
      throw this.#refusal(
        `has a tensor ${tensor.name} of shape [${tensor.shape.join(', ')}] where the ${this.#architecture} ` +
        `hyperparameters give [${expected.join(', ')}]`, tensor.source.name);
    }
  }

  #unsupportedFormat(name: string): string | undefined {
    return this.#checkpoint.unsupportedTensors?.get(name);
  }

  #missing(name: string): never {
    const format = this.#unsupportedFormat(name);
    if (format !== undefined) {
      throw this.#refusal(`stores tensor ${name} as ${format}, which isn't supported; supported weight formats are ` +
        Object.keys(WEIGHT_FORMATS).join(', '));
    }
    throw this.#refusal(`lacks the tensor ${name} that the ${this.#architecture} architecture needs`);
  }

  #refusal(problem: string, fileName = checkpointLabel(this.#checkpoint)): ModelFormatError {
    return new ModelFormatError(`${fileName} ${problem}`);
  }
}

/** Codes in the order of rows are cut as the rows are; in any other order only a whole tensor has its own. */
function codesOf({ codes }: TensorRef, cut: Cut): { readonly codes?: StoredCodes } {
  const count = cut.leading * cut.parts;
  if (!codes || (codes.order !== 'rows' && count > 1)) return {};
  const byteLength = codes.byteLength / count;
  return { codes: { ...codes, byteOffset: codes.byteOffset + (cut.index * cut.parts + cut.part) * byteLength, byteLength } };
}

function layerless(name: string): string {
  return name.replace(/^blk\.\d+\./, '');
}

function trimmed(shape: readonly number[]): readonly number[] {
  const first = shape.findIndex((n) => n !== 1);
  return first < 0 ? [1] : shape.slice(first);
}
