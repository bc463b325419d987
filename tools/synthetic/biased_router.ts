/**
 * Makes a synthetic model route by preference. Random routers choose all experts about equally often; here a constant
 * that every embedding shares gives each layer's router something to prefer experts by, so that expert e of a layer is
 * chosen with a frequency that falls with its rank as in Zipf's law. Which expert has which rank differs by layer.
 */
import type { ModelSource } from '../../src/storage/model_source.ts';
import { normalValues, uniformRandom } from './random.ts';

/**
 * Deviation and shared mean of an embedding's elements. Large, so that what the layers of random weights add to the
 * residual (all tokens alike after a few layers) doesn't drown what routers go by: the token.
 */
const EMBEDDING_DEVIATION = 32;
const SHARED_MEAN = 32;

/**
 * @param source its token_embd.weight and routers must be F32
 * @param exponent of Zipf's law; 0: all experts alike, by token
 */
export function withZipfRouting(source: ModelSource, exponent: number): ModelSource {
  const { manifest } = source;
  const made = new Map<string, Uint8Array>();
  const { hiddenSize, expertCount } = manifest.hyperparameters;

  function embedding(rows: number): Uint8Array {
    const values = normalValues(uniformRandom(71), rows * hiddenSize, EMBEDDING_DEVIATION);
    for (let i = 0; i < values.length; i++) values[i] += SHARED_MEAN;
    return new Uint8Array(values.buffer);
  }

  function router(layer: number): Uint8Array {
    const random = uniformRandom(900 + layer);
    const values = normalValues(random, expertCount * hiddenSize, 1 / Math.sqrt(hiddenSize));
    // The shared part of a token after its RMS norm.
    const share = SHARED_MEAN / Math.hypot(SHARED_MEAN, EMBEDDING_DEVIATION);
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
