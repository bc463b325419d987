/** A model of some shape with random weights, without a file: what the benchmarks run. */
import type { ByteSource, Checkpoint, GgufValue, TensorRef } from '../../src/formats/checkpoint.ts';
import { fileByteLength } from '../../src/quant/pack.ts';
import type { ExpertMatrixEntry, Manifest, ModelSource } from '../../src/storage/model_source.ts';
import { expertRowByteLength } from '../../src/storage/manifest.ts';
import { shapeMetadata, shapeTensors, type MoeShape, type ShapeFormats } from './moe_shape.ts';
import { RandomWeights } from './random_weights.ts';

/** A checkpoint that describes the shape's tensors; their bytes can't be read, syntheticSource() makes them. */
export function syntheticCheckpoint(shape: MoeShape, formats: ShapeFormats, name: string): Checkpoint {
  const tensorList = shapeTensors(shape, formats);
  let byteLength = 0;
  const source: ByteSource = {
    name,
    get byteLength() { return byteLength; },
    read: () => Promise.reject(new RangeError(`${name} is synthetic and has no file to read`)),
  };
  const tensors = new Map<string, TensorRef>();
  for (const { name: tensorName, format, shape: dims } of tensorList) {
    const cols = dims[dims.length - 1];
    const rows = dims.slice(0, -1).reduce((product, dim) => product * dim, 1);
    const ref = { name: tensorName, format, shape: dims, source, byteOffset: byteLength, byteLength: fileByteLength(format, rows, cols) };
    tensors.set(tensorName, ref);
    byteLength += ref.byteLength;
  }
  return {
    container: 'gguf',
    name,
    sources: [source],
    metadata: { kind: 'gguf', values: new Map([...shapeMetadata(shape, name)].map(([key, typed]) => [key, typed.value as GgufValue])) },
    tensors,
    tokenizer: null,
    chatTemplate: null,
  };
}

/** Serves random weights for a manifest. Deviation 1/√cols keeps activations near 1 through the layers. */
export function syntheticSource(manifest: Manifest): ModelSource {
  const weights = new RandomWeights();
  const dense = new Map(manifest.dense.map((entry, index) => [entry.name, { entry, index }]));
  const matrix = (entry: Pick<ExpertMatrixEntry, 'format' | 'rows' | 'cols'>, seed: number) => (
    weights.matrix(entry.format, entry.rows, entry.cols, 1 / Math.sqrt(entry.cols), seed));
  // Back ends read a large tensor in chunks: keep the last one, so that it is made once.
  let last: { readonly name: string; readonly bytes: Uint8Array } | null = null;

  return {
    manifest,
    async readDense(name, byteOffset = 0, byteLength) {
      const found = dense.get(name);
      if (!found) {
        throw new RangeError(`there is no tensor ${name}`);
      }
      if (last?.name !== name) {
        const { entry, index } = found;
        const isVector = entry.rows === 1 && entry.format === 'F32';
        const bytes = isVector ? new Uint8Array(new Float32Array(entry.byteLength / 4).fill(1).buffer) : matrix(entry, index);
        last = { name, bytes };
      }
      return last.bytes.subarray(byteOffset, byteLength === undefined ? undefined : byteOffset + byteLength);
    },
    async readExpertRow(layer, expert) {
      const index = manifest.expertLayers.findIndex((candidate) => candidate.layer === layer);
      const entry = manifest.expertLayers[index];
      const row = new Uint8Array(expertRowByteLength(entry));
      [entry.gate, entry.up, entry.down].forEach((part, which) => {
        row.set(matrix(part, (index * manifest.expertCount + expert) * 3 + which), part.byteOffset);
      });
      return row;
    },
    readTierRow: (layer, expert) => Promise.reject(new RangeError(`there is no second tier of expert ${expert} in layer ${layer}`)),
    close: () => Promise.resolve(),
  };
}
