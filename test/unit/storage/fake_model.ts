/** A small model made by hand, with every case that storage must keep: fused and separate experts, tied weights, gaps. */
import { bytesSource } from '../../../src/formats/byte_sources.ts';
import type { ByteSource, Checkpoint, TensorRef } from '../../../src/formats/checkpoint.ts';
import type { DensePlan, ExpertLayerPlan, Hyperparameters, MatrixSlice, ModelPlan } from '../../../src/formats/model_plan.ts';
import type { NamedSource } from '../../../src/formats/open_checkpoint.ts';
import type { WeightFormatName } from '../../../src/quant/formats.ts';
import { encodeRows, fileByteLength } from '../../../src/quant/pack.ts';

export interface FakeModel {
  readonly checkpoint: Checkpoint;
  readonly plan: ModelPlan;
  readonly files: readonly NamedSource[];
  /** The files' bytes by path. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

export const EXPERTS = 3;

/** Bytes from a small generator, so that a misplaced block never looks right by chance. */
export function noise(byteLength: number, seed: number): Uint8Array {
  const out = new Uint8Array(byteLength);
  let state = seed * 2654435761 >>> 0;
  for (let i = 0; i < byteLength; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    out[i] = state >>> 24;
  }
  return out;
}

const HYPERPARAMETERS: Hyperparameters = {
  hiddenSize: 256, layerCount: 2, headCount: 4, kvHeadCount: 4, headDim: 64, vocabSize: 5, contextLength: 128,
  rmsNormEps: 1e-5, ropeTheta: 10000, ropeStyle: 'half', ropeDim: 64, ropeInvFreq: null, ropeScale: 1,
  slidingWindow: null, attentionScale: 0.125, expertCount: EXPERTS, expertUsedCount: 2, expertFfnSize: 256,
  sharedFfnSize: 0, denseFfnSize: 0, denseLayers: [0], normTopkProb: false, expertWeightsScale: 1, embeddingScale: 1,
  residualScale: 1, logitScale: 1, clipQkv: null,
};

/** Places tensors one after the other in a file, like a writer does. */
class FileBuilder {
  private readonly tensors: { name: string; format: WeightFormatName; shape: number[]; byteOffset: number; byteLength: number }[] = [];
  private end: number;

  constructor(readonly name: string, headerByteLength: number) {
    this.end = headerByteLength;
  }

  add(name: string, format: WeightFormatName, shape: number[], gap = 0): void {
    const byteLength = fileByteLength(format, shape.slice(0, -1).reduce((a, b) => a * b, 1), shape.at(-1)!);
    this.tensors.push({ name, format, shape, byteOffset: this.end + gap, byteLength });
    this.end += gap + byteLength;
  }

  finish(seed: number, trailing: number): { source: ByteSource; bytes: Uint8Array; refs: TensorRef[] } {
    const bytes = noise(this.end + trailing, seed);
    const source = bytesSource(this.name, bytes);
    return { source, bytes, refs: this.tensors.map((tensor) => ({ ...tensor, source })) };
  }
}

/** Weights like those of real models: from −0.1 to 0.1, none of them zero. */
function weights(count: number, seed: number): Float32Array {
  return Float32Array.from(noise(2 * count, seed).subarray(count), (byte) => (byte - 127.5) / 1275);
}

export type ExpertFormats = Readonly<Record<'gate' | 'up' | 'down', WeightFormatName>>;

/** A fake model whose experts are sound numbers in formats that we can encode, so that they can be converted. */
export function convertibleModel(formats: ExpertFormats = { gate: 'BF16', up: 'MXFP4', down: 'Q8_0' }, seed = 1): FakeModel {
  const model = fakeModel(seed, formats);
  for (const { gate, up, down } of model.plan.experts) {
    for (const [i, { format, rows, cols, source, byteOffset }] of [...gate, ...up, ...down].entries()) {
      const bytes = model.bytes.get(`fake/${source.name}`)!;
      bytes.set(encodeRows(format, weights(rows * cols, seed + i), rows, cols), byteOffset);
    }
  }
  return model;
}

/** @param seed of all weights; the same seed gives the same model */
export function fakeModel(seed = 1, formats: ExpertFormats = { gate: 'Q4_K', up: 'Q4_0', down: 'Q6_K' }): FakeModel {
  const first = new FileBuilder('weights-1.bin', 37);
  first.add('token_embd.weight', 'Q8_0', [5, 256], 3);
  first.add('unused.weight', 'F16', [7, 9], 1);
  first.add('blk.1.gate', formats.gate, [EXPERTS, 16, 256]);
  first.add('blk.1.up', formats.up, [EXPERTS, 16, 256], 32);
  const second = new FileBuilder('weights-2.bin', 8);
  for (let e = 0; e < EXPERTS; e++) second.add(`blk.1.down.${e}`, formats.down, [16, 256], e);
  second.add('norm.weight', 'F32', [256], 5);
  const built = [first.finish(seed, 11), second.finish(seed + 1, 0)];
  const config = new TextEncoder().encode('{"model_type": "fake"}');
  const tensors = new Map(built.flatMap((file) => file.refs).map((ref) => [ref.name, ref]));
  const plan = planOf(tensors, built.map((file) => file.source));
  const files: NamedSource[] = [
    { path: 'fake/config.json', source: bytesSource('config.json', config) },
    ...built.map(({ source }) => ({ path: `fake/${source.name}`, source })),
  ];
  return {
    checkpoint: {
      container: 'safetensors', name: 'Fake', sources: built.map((file) => file.source),
      metadata: { kind: 'hf', config: {}, generationConfig: null }, tensors, unsupportedTensors: new Map(),
      tokenizer: plan.tokenizer, chatTemplate: null,
    },
    plan,
    files,
    bytes: new Map([
      ['fake/config.json', config], ...built.map(({ source, bytes }) => [`fake/${source.name}`, bytes] as const),
    ]),
  };
}

function planOf(tensors: ReadonlyMap<string, TensorRef>, sources: readonly ByteSource[]): ModelPlan {
  const slice = (name: string): MatrixSlice => {
    const { format, shape, source, byteOffset, byteLength } = tensors.get(name)!;
    const cols = shape.at(-1)!;
    return { format, rows: shape.reduce((a, b) => a * b, 1) / cols, cols, source, byteOffset, byteLength, tensor: name };
  };
  const fused = (name: string): MatrixSlice[] => {
    const whole = slice(name);
    const byteLength = whole.byteLength / EXPERTS;
    return Array.from({ length: EXPERTS }, (_, e) => (
      { ...whole, rows: whole.rows / EXPERTS, byteLength, byteOffset: whole.byteOffset + e * byteLength }));
  };
  const dense: DensePlan[] = [
    { name: 'token_embd.weight', slice: slice('token_embd.weight') },
    { name: 'output.weight', slice: slice('token_embd.weight') },
    { name: 'output_norm.weight', slice: slice('norm.weight') },
  ];
  const experts: ExpertLayerPlan[] = [{
    layer: 1, gate: fused('blk.1.gate'), up: fused('blk.1.up'),
    down: Array.from({ length: EXPERTS }, (_, e) => slice(`blk.1.down.${e}`)),
  }];
  return {
    name: 'Fake', architecture: 'fake', container: 'safetensors', hyperparameters: HYPERPARAMETERS, dense, experts,
    tokenizer: {
      kind: 'gguf', model: 'llama', pre: '', tokens: ['a', 'é'], scores: [-1, -Infinity], tokenTypes: [1, 1],
      merges: null, bosId: null, eosId: 1, eotId: null, eomId: null, unkId: null, padId: null, addBos: null,
      addEos: null, addSpacePrefix: null,
    },
    chatTemplate: null,
    sourceFiles: sources.map(({ name, byteLength }) => ({ name, byteLength })),
  };
}

export async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.byteLength;
  }
  return out;
}

/** Byte equality; toEqual compares typed arrays element by element, which takes seconds here. */
export function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}
