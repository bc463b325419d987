/** A model's weights on the GPU: dense tensors (split by rows where larger than a binding) and expert slabs. */
import type { LoadOptions, ModelGraph } from '../ops.ts';
import type { DenseEntry, ExpertLayerEntry, ModelSource } from '../../storage/model_source.ts';
import { WEIGHT_FORMATS } from '../../quant/formats.ts';
import { alignUp, packedLayout, type PackedLayout } from '../../quant/packed.ts';
import { checked, GPU_COPY_DST, GPU_COPY_SRC, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';

/** Rows [firstRow, firstRow + layout.rows) of a matrix, packed on their own. */
export interface WeightPart {
  readonly view: BufferView;
  readonly layout: PackedLayout;
  readonly firstRow: number;
}

/** Experts [firstExpert, firstExpert + expertCount) of a layer, one row of strideByteLength each. */
export interface ExpertSlab {
  readonly view: BufferView;
  readonly firstExpert: number;
  readonly expertCount: number;
}

export interface ExpertWeights {
  readonly entry: ExpertLayerEntry;
  readonly strideByteLength: number;
  readonly slabs: readonly ExpertSlab[];
}

export interface GpuWeights {
  dense(name: string): readonly WeightPart[];
  /** An f32 vector (norm weight or bias), whatever float format it is stored in. */
  vector(name: string): BufferView;
  experts(layer: number): ExpertWeights;
  readonly byteLength: number;
  destroy(): void;
}

/** A row split keeps every plane of a part on a 16-byte boundary of the whole matrix's plane. */
const SPLIT_ROW_MULTIPLE = 64;
/** Bytes read and uploaded at once: bounds the memory that a load takes beside the model itself. */
const UPLOAD_CHUNK_BYTES = 16 * 1024 * 1024;

/**
 * Uploads what the graph uses.
 * @throws Error naming the tensor where one row or one expert is larger than a binding, or memory runs out.
 */
export async function uploadWeights(
  device: GPUDevice, source: ModelSource, graph: ModelGraph, maxBindingByteLength: number, options: LoadOptions,
): Promise<GpuWeights> {
  const { manifest } = source;
  const entries = new Map(manifest.dense.map((entry) => [entry.name, entry]));
  const use = namesInUse(graph);
  const denseParts = new Map<string, WeightPart[]>();
  const vectors = new Map<string, BufferView>();
  const expertWeights = new Map<number, ExpertWeights>();
  const buffers: GPUBuffer[] = [];
  const expertLayers = manifest.expertLayers.filter((entry) => use.expertLayers.has(entry.layer));
  let done = 0;
  const total = [...use.matrices, ...use.vectors].reduce((sum, name) => sum + entryOf(name).byteLength, 0)
    + expertLayers.reduce((sum, entry) => sum + expertRowByteLength(entry) * manifest.expertCount, 0);
  let sinceFlush = 0;

  function entryOf(name: string): DenseEntry {
    const entry = entries.get(name);
    if (!entry) throw new Error(`the model has no tensor "${name}"`);
    return entry;
  }
  async function makeBuffer(label: string, byteLength: number): Promise<GPUBuffer> {
    const buffer = await checked(device, `${label} (${byteLength} bytes)`, () => device.createBuffer({
      label, size: alignUp(Math.max(byteLength, 16), 16), usage: GPU_STORAGE | GPU_COPY_DST | GPU_COPY_SRC,
    }));
    buffers.push(buffer);
    return buffer;
  }
  async function upload(buffer: GPUBuffer, byteOffset: number, bytes: Uint8Array): Promise<void> {
    options.signal?.throwIfAborted();
    device.queue.writeBuffer(buffer, byteOffset, bytes as Uint8Array<ArrayBuffer>, 0, bytes.byteLength);
    done += bytes.byteLength;
    sinceFlush += bytes.byteLength;
    options.onProgress?.({ stage: 'read weights', done: Math.min(done, total), total, unit: 'bytes' });
    // writeBuffer copies into staging memory; without waiting a whole model would pile up there.
    if (sinceFlush >= 8 * UPLOAD_CHUNK_BYTES) {
      sinceFlush = 0;
      await device.queue.onSubmittedWorkDone();
    }
  }

  try {
    for (const name of use.vectors) {
      const entry = entryOf(name);
      const bytes = floatVector(entry, await source.readDense(name));
      const buffer = await makeBuffer(name, bytes.byteLength);
      await upload(buffer, 0, bytes);
      vectors.set(name, { buffer, byteOffset: 0, byteLength: bytes.byteLength });
    }
    for (const name of use.matrices) {
      denseParts.set(name, await uploadDense(entryOf(name)));
    }
    for (const entry of expertLayers) expertWeights.set(entry.layer, await uploadExperts(entry));
  } catch (error) {
    for (const buffer of buffers) buffer.destroy();
    throw error;
  }

  async function uploadDense(entry: DenseEntry): Promise<WeightPart[]> {
    const whole = packedLayout(entry.format, entry.rows, entry.cols);
    let rowsPerPart = entry.rows;
    if (whole.byteLength > maxBindingByteLength) {
      const fit = Math.floor(maxBindingByteLength / (whole.byteLength / entry.rows));
      rowsPerPart = Math.floor(fit / SPLIT_ROW_MULTIPLE) * SPLIT_ROW_MULTIPLE;
      if (rowsPerPart === 0) throw new Error(`tensor "${entry.name}": ${SPLIT_ROW_MULTIPLE} of its rows are larger than one GPU binding of ${maxBindingByteLength} bytes`);
    }
    const parts: WeightPart[] = [];
    for (let firstRow = 0; firstRow < entry.rows; firstRow += rowsPerPart) {
      const layout = packedLayout(entry.format, Math.min(rowsPerPart, entry.rows - firstRow), entry.cols);
      const buffer = await makeBuffer(`${entry.name} rows ${firstRow}+`, layout.byteLength);
      for (const [p, plane] of layout.planes.entries()) {
        const from = whole.planes[p].byteOffset + firstRow * layout.blocksPerRow * plane.blockByteLength;
        for (let at = 0; at < plane.byteLength; at += UPLOAD_CHUNK_BYTES) {
          const byteLength = Math.min(UPLOAD_CHUNK_BYTES, plane.byteLength - at);
          await upload(buffer, plane.byteOffset + at, await source.readDense(entry.name, from + at, byteLength));
        }
      }
      parts.push({ view: { buffer, byteOffset: 0, byteLength: layout.byteLength }, layout, firstRow });
    }
    return parts;
  }

  async function uploadExperts(entry: ExpertLayerEntry): Promise<ExpertWeights> {
    const strideByteLength = alignUp(expertRowByteLength(entry), 16);
    const perSlab = Math.min(manifest.expertCount, Math.floor(maxBindingByteLength / strideByteLength));
    if (perSlab === 0) throw new Error(`layer ${entry.layer}: one expert (${strideByteLength} bytes) is larger than one GPU binding of ${maxBindingByteLength} bytes`);
    const slabs: ExpertSlab[] = [];
    for (let firstExpert = 0; firstExpert < manifest.expertCount; firstExpert += perSlab) {
      const expertCount = Math.min(perSlab, manifest.expertCount - firstExpert);
      const byteLength = expertCount * strideByteLength;
      const buffer = await makeBuffer(`layer ${entry.layer} experts ${firstExpert}+`, byteLength);
      for (let e = 0; e < expertCount; e++) {
        const row = await source.readExpertRow(entry.layer, firstExpert + e);
        await upload(buffer, e * strideByteLength, row.subarray(0, expertRowByteLength(entry)));
      }
      slabs.push({ view: { buffer, byteOffset: 0, byteLength }, firstExpert, expertCount });
    }
    return { entry, strideByteLength, slabs };
  }

  const lookUp = <K, V>(map: Map<K, V>, key: K): V => {
    const value = map.get(key);
    if (value === undefined) throw new Error(`weight ${String(key)} was not uploaded`);
    return value;
  };
  return {
    dense: (name) => lookUp(denseParts, name),
    vector: (name) => lookUp(vectors, name),
    experts: (layer) => lookUp(expertWeights, layer),
    byteLength: buffers.reduce((sum, b) => sum + b.size, 0),
    destroy() { for (const buffer of buffers) buffer.destroy(); },
  };
}

/** Bytes that gate, up and down take: the manifest's stride may be longer (its layers share one). */
function expertRowByteLength(entry: ExpertLayerEntry): number {
  return Math.max(...[entry.gate, entry.up, entry.down].map((m) => m.byteOffset + m.byteLength));
}

function namesInUse(graph: ModelGraph): { matrices: Set<string>; vectors: Set<string>; expertLayers: Set<number> } {
  const matrices = new Set<string>();
  const vectors = new Set<string>();
  const expertLayers = new Set<number>();
  for (const op of graph.ops) {
    if (op.kind === 'embed') matrices.add(op.weight);
    if (op.kind === 'rms_norm') vectors.add(op.weight);
    if (op.kind === 'experts') expertLayers.add(op.layer);
    if (op.kind === 'linear') {
      matrices.add(op.weight);
      if (op.bias !== null) vectors.add(op.bias);
    }
  }
  return { matrices, vectors, expertLayers };
}

/** Float formats have one plane of natural order, so packed and file layout are the same bytes. */
function floatVector(entry: DenseEntry, packed: Uint8Array): Uint8Array {
  const format = WEIGHT_FORMATS[entry.format];
  if (format.blockElems !== 1) throw new Error(`tensor "${entry.name}": a norm weight or bias in ${entry.format} is not supported, only F32, F16 and BF16`);
  const elems = entry.rows * entry.cols;
  const values = new Float32Array(elems);
  for (let i = 0; i < elems; i++) format.decodeBlock(packed, i * format.blockByteLength, values, i);
  return new Uint8Array(values.buffer);
}
