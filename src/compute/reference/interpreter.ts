/** Runs a graph's ops one after the other. Everything that a step writes besides the KV cache lies in activations. */
import type { Activation, ModelGraph, Op } from '../ops.ts';
import type { Breather } from './breather.ts';
import { attendRow, dot, rmsNorm, rope, route, sigmoid, silu } from './kernels.ts';
import type { ReferenceSequence } from './sequence.ts';
import type { Expert, ExpertStore, Matrix } from './weights.ts';

type OpOf<K extends Op['kind']> = Extract<Op, { readonly kind: K }>;

/** Multiply-adds between two looks at the clock. */
const WORK_PER_CHECK = 1_000_000;

export interface StepInput {
  readonly tokens: readonly number[];
  readonly sequence: ReferenceSequence;
  /** Rows of the step whose logits are wanted. */
  readonly outputRows: readonly number[];
}

export type RoutingObserver = (layer: number, expert: number, tokens: number) => void;

export class Interpreter {
  readonly #graph: ModelGraph;
  readonly #dense: ReadonlyMap<string, Matrix>;
  readonly #experts: ExpertStore;
  readonly #breather: Breather;
  readonly #onRouted: RoutingObserver | null;
  readonly #buffers = new Map<number, Float32Array | Uint32Array>();

  constructor(
    graph: ModelGraph, dense: ReadonlyMap<string, Matrix>, experts: ExpertStore, breather: Breather,
    onRouted: RoutingObserver | null,
  ) {
    this.#graph = graph;
    this.#dense = dense;
    this.#experts = experts;
    this.#breather = breather;
    this.#onRouted = onRouted;
  }

  /** Logits [outputRows.length, vocab]; a view that the next run overwrites. */
  async run(input: StepInput): Promise<Float32Array> {
    for (const activation of this.#graph.activations) this.#reserve(activation, this.#rows(activation, input));
    for (const op of this.#graph.ops) {
      await this.#execute(op, input);
      if (this.#breather.due) await this.#breather.pause();
    }
    const { logits } = this.#graph;
    return this.#f32(logits).subarray(0, input.outputRows.length * logits.cols);
  }

  async #execute(op: Op, input: StepInput): Promise<void> {
    switch (op.kind) {
      case 'embed': return this.#embed(op, input);
      case 'rms_norm': {
        const elems = this.#rows(op.x, input) * op.x.cols;
        return rmsNorm(this.#f32(op.x), this.#f32(op.out), elems, this.#weight(op.weight), op.eps);
      }
      case 'linear': return this.#linear(op, input);
      case 'rope': return rope(this.#f32(op.x), this.#rows(op.x, input), op.x.cols, input.sequence.length, op);
      case 'attention': return this.#attention(op, input);
      case 'router': {
        const ids = this.#u32(op.ids);
        for (let row = 0; row < this.#rows(op.logits, input); row++) {
          route(this.#f32(op.logits), row, ids, this.#f32(op.weights), op);
        }
        return;
      }
      case 'experts': return this.#runExperts(op, input);
      case 'gated': {
        const [gate, up, out] = [this.#f32(op.gate), this.#f32(op.up), this.#f32(op.out)];
        const elems = this.#rows(op.out, input) * op.out.cols;
        for (let i = 0; i < elems; i++) out[i] = silu(gate[i]) * up[i];
        return;
      }
      case 'sigmoid_scale': return this.#sigmoidScale(op, input);
      case 'select_outputs': {
        const [x, out] = [this.#f32(op.x), this.#f32(op.out)];
        const { cols } = op.x;
        input.outputRows.forEach((row, i) => out.set(x.subarray(row * cols, (row + 1) * cols), i * cols));
        return;
      }
    }
  }

  #embed(op: OpOf<'embed'>, input: StepInput): void {
    const weight = this.#weight(op.weight);
    const out = this.#f32(op.out);
    input.tokens.forEach((token, row) => {
      const at = weight.at(token);
      for (let i = 0; i < weight.cols; i++) out[row * weight.cols + i] = weight.values[at + i] * op.scale;
    });
  }

  async #linear(op: OpOf<'linear'>, input: StepInput): Promise<void> {
    const rows = this.#rows(op.x, input);
    if (rows === 0) return;
    const weight = this.#weight(op.weight);
    const bias = op.bias === null ? null : this.#weight(op.bias);
    const [x, out] = [this.#f32(op.x), this.#f32(op.out)];
    const residual = op.residual === null ? null : this.#f32(op.residual);
    const clip = op.clip ?? Infinity;
    const biasAt = bias?.at(0) ?? 0;
    const outputsPerCheck = Math.max(1, Math.floor(WORK_PER_CHECK / (rows * weight.cols)));
    for (let begin = 0; begin < weight.rows; begin += outputsPerCheck) {
      const end = Math.min(weight.rows, begin + outputsPerCheck);
      for (let o = begin; o < end; o++) {
        const at = weight.at(o);
        const offset = bias === null ? 0 : bias.values[biasAt + o];
        for (let row = 0; row < rows; row++) {
          const sum = dot(x, row * weight.cols, weight.values, at, weight.cols) + offset;
          const i = row * weight.rows + o;
          out[i] = (residual === null ? 0 : residual[i]) + op.scale * Math.min(clip, Math.max(-clip, sum));
        }
      }
      if (this.#breather.due) await this.#breather.pause();
    }
  }

  async #attention(op: OpOf<'attention'>, input: StepInput): Promise<void> {
    const rows = input.tokens.length;
    const [q, out] = [this.#f32(op.q), this.#f32(op.out)];
    const cache = input.sequence.append(op.layer, this.#f32(op.k), this.#f32(op.v), rows);
    for (let row = 0; row < rows; row++) {
      attendRow(q, row, cache.k, cache.v, out, input.sequence.length + row, op);
      if (this.#breather.due) await this.#breather.pause();
    }
  }

  /** Expert by expert, so that each chosen expert is read and decoded once a step; summed in order of k after. */
  async #runExperts(op: OpOf<'experts'>, input: StepInput): Promise<void> {
    const rows = input.tokens.length;
    const topK = op.ids.cols;
    const hidden = op.out.cols;
    const [x, weights, out] = [this.#f32(op.x), this.#f32(op.weights), this.#f32(op.out)];
    const parts = new Float32Array(rows * topK * hidden);
    for (const [id, places] of groupPlaces(this.#u32(op.ids), rows * topK)) {
      this.#onRouted?.(op.layer, id, places.length);
      const expert = await this.#experts.get(op.layer, id);
      for (const place of places) {
        runExpert(expert, x, Math.floor(place / topK) * op.x.cols, parts, place * hidden);
        if (this.#breather.due) await this.#breather.pause();
      }
    }
    const residual = op.residual === null ? null : this.#f32(op.residual);
    for (let row = 0; row < rows; row++) {
      for (let i = 0; i < hidden; i++) {
        let sum = 0;
        for (let k = 0; k < topK; k++) sum += weights[row * topK + k] * parts[(row * topK + k) * hidden + i];
        const at = row * hidden + i;
        out[at] = (residual === null ? 0 : residual[at]) + op.scale * sum;
      }
    }
  }

  #sigmoidScale(op: OpOf<'sigmoid_scale'>, input: StepInput): void {
    const [x, gate, out, residual] = [this.#f32(op.x), this.#f32(op.gate), this.#f32(op.out), this.#f32(op.residual)];
    const { cols } = op.x;
    for (let row = 0; row < this.#rows(op.x, input); row++) {
      const factor = op.scale * sigmoid(gate[row]);
      for (let i = row * cols; i < (row + 1) * cols; i++) out[i] = residual[i] + factor * x[i];
    }
  }

  #rows(activation: Activation, input: StepInput): number {
    return activation.rows === 'batch' ? input.tokens.length : input.outputRows.length;
  }

  #reserve({ id, cols, dtype }: Activation, rows: number): void {
    const size = rows * cols;
    if ((this.#buffers.get(id)?.length ?? -1) >= size) return;
    this.#buffers.set(id, dtype === 'u32' ? new Uint32Array(size) : new Float32Array(size));
  }

  #f32(activation: Activation): Float32Array {
    return this.#buffers.get(activation.id) as Float32Array;
  }

  #u32(activation: Activation): Uint32Array {
    return this.#buffers.get(activation.id) as Uint32Array;
  }

  #weight(name: string): Matrix {
    const matrix = this.#dense.get(name);
    if (!matrix) throw new Error(`the model source has no weight ${name}`);
    return matrix;
  }
}

/** out[at …] = down(silu(gate x) * up x) for the row of x that starts at xAt. */
function runExpert({ gate, up, down }: Expert, x: Float32Array, xAt: number, out: Float32Array, at: number): void {
  const hidden = new Float32Array(gate.rows);
  for (let i = 0; i < gate.rows; i++) {
    const gateAt = gate.at(i);
    const g = dot(x, xAt, gate.values, gateAt, gate.cols);
    const upAt = up.at(i);
    hidden[i] = silu(g) * dot(x, xAt, up.values, upAt, up.cols);
  }
  for (let i = 0; i < down.rows; i++) {
    const downAt = down.at(i);
    out[at + i] = dot(hidden, 0, down.values, downAt, down.cols);
  }
}

/** Places (row * topK + k) of each expert id, in order of first appearance. */
function groupPlaces(ids: Uint32Array, count: number): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (let place = 0; place < count; place++) {
    const list = places.get(ids[place]);
    if (list) list.push(place);
    else places.set(ids[place], [place]);
  }
  return places;
}
