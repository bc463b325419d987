/** Typed builder of a ModelGraph: architectures call it layer by layer and read like the forward pass they describe. */
import type { Activation, KvLayerShape, ModelGraph, Op } from '../compute/ops.ts';
import type { Hyperparameters } from '../formats/model_plan.ts';

export interface LinearOptions {
  /** Weight name of the bias; left out where the model has none under that name. */
  readonly bias?: string;
  readonly residual?: Activation;
  readonly scale?: number;
  readonly clip?: number | null;
}

export class GraphBuilder {
  readonly #ops: Op[] = [];
  readonly #activations: Activation[] = [];
  readonly #byLabel = new Map<string, Activation>();
  readonly #kvLayers: KvLayerShape[] = [];
  readonly #weightNames: ReadonlySet<string>;

  constructor(weightNames: ReadonlySet<string>) {
    this.#weightNames = weightNames;
  }

  /** Whether the model holds this optional weight. */
  has(weight: string): boolean {
    return this.#weightNames.has(weight);
  }

  /**
   * The activation of this label, made on first use: layers share their scratch activations, since a layer's are
   * dead when the next one starts.
   */
  activation(label: string, cols: number, kind: { rows?: 'batch' | 'output'; dtype?: 'f32' | 'u32' } = {}): Activation {
    const known = this.#byLabel.get(label);
    if (known) {
      if (known.cols !== cols) throw new Error(`activation ${label} has ${known.cols} columns, asked for ${cols}`);
      return known;
    }
    const made: Activation = {
      id: this.#activations.length, cols, rows: kind.rows ?? 'batch', dtype: kind.dtype ?? 'f32', label,
    };
    this.#activations.push(made);
    this.#byLabel.set(label, made);
    return made;
  }

  embed(weight: string, out: Activation, scale: number): void {
    this.#ops.push({ kind: 'embed', layer: null, weight: this.#known(weight), out, scale });
  }

  /** groupElems: whole row by default, headDim for a norm of each head. */
  rmsNorm(layer: number | null, x: Activation, weight: string, out: Activation, eps: number, groupElems = x.cols): void {
    this.#ops.push({ kind: 'rms_norm', layer, x, weight: this.#known(weight), out, eps, groupElems });
  }

  linear(layer: number | null, x: Activation, weight: string, out: Activation, options: LinearOptions = {}): void {
    const bias = options.bias !== undefined && this.has(options.bias) ? options.bias : null;
    this.#ops.push({
      kind: 'linear', layer, x, weight: this.#known(weight), bias, out,
      residual: options.residual ?? null, scale: options.scale ?? 1, clip: options.clip ?? null,
    });
  }

  rope(layer: number, x: Activation, hp: Hyperparameters, invFreq: Float32Array): void {
    this.#ops.push({
      kind: 'rope', layer, x, headDim: hp.headDim, invFreq, style: hp.ropeStyle, scale: hp.ropeScale,
    });
  }

  attention(layer: number, q: Activation, k: Activation, v: Activation, out: Activation, hp: Hyperparameters): void {
    this.#kvLayers.push({ layer, kvHeadCount: hp.kvHeadCount, headDim: hp.headDim });
    this.#ops.push({
      kind: 'attention', layer, q, k, v, out, headCount: hp.headCount, kvHeadCount: hp.kvHeadCount,
      headDim: hp.headDim, scale: hp.attentionScale, window: hp.slidingWindow,
    });
  }

  router(layer: number, logits: Activation, ids: Activation, weights: Activation, hp: Hyperparameters): void {
    this.#ops.push({
      kind: 'router', layer, logits, ids, weights, expertCount: hp.expertCount, topK: hp.expertUsedCount,
      normalize: hp.normTopkProb, scale: hp.expertWeightsScale,
    });
  }

  experts(
    layer: number, x: Activation, ids: Activation, weights: Activation, out: Activation,
    residual: Activation | null, scale: number,
  ): void {
    this.#ops.push({ kind: 'experts', layer, x, ids, weights, out, residual, scale, activation: 'silu' });
  }

  gated(layer: number, gate: Activation, up: Activation, out: Activation): void {
    this.#ops.push({ kind: 'gated', layer, gate, up, out, activation: 'silu' });
  }

  sigmoidScale(layer: number, x: Activation, gate: Activation, out: Activation, residual: Activation, scale: number): void {
    this.#ops.push({ kind: 'sigmoid_scale', layer, x, gate, out, residual, scale });
  }

  selectOutputs(x: Activation, out: Activation): void {
    this.#ops.push({ kind: 'select_outputs', layer: null, x, out });
  }

  build(architecture: string, logits: Activation): ModelGraph {
    return {
      architecture, ops: this.#ops, activations: this.#activations, kvLayers: this.#kvLayers, logits,
      vocabSize: logits.cols,
    };
  }

  #known(weight: string): string {
    if (!this.has(weight)) throw new Error(`the model holds no weight ${weight}`);
    return weight;
  }
}
