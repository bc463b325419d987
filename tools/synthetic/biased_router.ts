/**
 * Makes a synthetic model route by preference. Random routers choose all experts about equally often; here a constant
 * that every embedding shares gives each layer's router something to prefer experts by, so that expert e of a layer is
 * chosen with a frequency that falls with its rank as in Zipf's law. Which expert has which rank differs by layer.
 */
import type { ModelSource } from '../../src/storage/model_source.ts';
import { normalValues, uniformRandom } from './random.ts';

/** Mean of an embedding's elements, whose deviation is 1: what routers find in every token. */
const SHARED_MEAN = 3;

/**
 * @param source its token_embd.weight and routers must be F32
 * @param exponent of Zipf's law; 0: as the random routers choose
 */
export function withZipfRouting(source: ModelSource, exponent: number): ModelSource {
  if (exponent === 0) return source;
  const { manifest } = source;
  const made = new Map<string, Uint8Array>();
  const { hiddenSize, expertCount } = manifest.hyperparameters;

  function embedding(rows: number): Uint8Array {
    const values = normalValues(uniformRandom(71), rows * hiddenSize, 1);
    for (let i = 0; i < values.length; i++) values[i] += SHARED_MEAN;
    return new Uint8Array(values.buffer);
  }

  function router(layer: number): Uint8Array {
    const random = uniformRandom(900 + layer);
    const values = normalValues(random, expertCount * hiddenSize, 1 / Math.sqrt(hiddenSize));
    // Two blocks of deviation 1 a layer join the residual, so the shared part of its RMS norm shrinks with depth.
    const share = SHARED_MEAN / Math.sqrt(SHARED_MEAN ** 2 + 1 + 2 * layer);
    const ranks = Array.from({ length: expertCount }, (_, e) => ({ e, at: random() })).sort((a, b) => a.at - b.at);
    ranks.forEach(({ e }, rank) => {
      const preference = -exponent * Math.log(rank + 1) / (share * hiddenSize);
      for (let i = 0; i < hiddenSize; i++) values[e * hiddenSize + i] += preference;
    });
    return new Uint8Array(values.buffer);
  }

  return {
    ...source,
    async readDense(name, byteOffset = 0, byteLength) {
      const layer = /^blk\.(\d+)\.ffn_gate_inp\.weight$/.exec(name);
      if (!layer && name !== 'token_embd.weight') return source.readDense(name, byteOffset, byteLength);
      const entry = manifest.dense.find((candidate) => candidate.name === name);
      if (entry?.format !== 'F32') throw new RangeError(`${name} must be F32 to be biased`);
      const bytes = made.get(name) ?? (layer ? router(Number(layer[1])) : embedding(entry.rows));
      made.set(name, bytes);
      return bytes.subarray(byteOffset, byteLength === undefined ? undefined : byteOffset + byteLength);
    },
  };
}
