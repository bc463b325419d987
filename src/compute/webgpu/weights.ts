/** A model's dense weights on the GPU, split by rows where larger than a binding. Experts: expert_resources.ts. */
import type { LoadOptions, ModelGraph } from '../ops.ts';
import type { DenseEntry, ExpertLayerEntry, ModelSource } from '../../storage/model_source.ts';
import { WEIGHT_FORMATS } from '../../quant/formats.ts';
import { alignUp, packedLayout, PLANE_ALIGN_BYTES, type PackedLayout } from '../../quant/packed.ts';
import { checked, GPU_COPY_DST, GPU_COPY_SRC, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';

/**
 * Rows [firstRow, firstRow + layout.rows) of a matrix: packed on their own, or rows of a larger packed matrix, whose
 * planes then lie further apart than packedLayout() has them.
 */
export interface WeightPart {
  readonly view: BufferView;
  readonly layout: PackedLayout;
  readonly firstRow: number;
}

/** Experts [firstExpert, firstExpert + expertCount) of a layer, or slots of that number, one row each. */
export interface ExpertSlab {
  readonly view: BufferView;
  readonly firstExpert: number;
  readonly expertCount: number;
  /** Rows that differ from the layer's: those of a tier of more bits. */
  readonly rows?: ExpertRows;
}

export interface ExpertRows {
  readonly shapes: Pick<ExpertLayerEntry, 'gate' | 'up' | 'down'>;
  readonly strideByteLength: number;
}

/** Where the kernels of a layer find its experts. */
export interface ExpertWeights {
  readonly entry: ExpertLayerEntry;
  readonly strideByteLength: number;
  readonly slabs: readonly ExpertSlab[];
}

export interface GpuWeights {
  dense(name: string): readonly WeightPart[];
  /** The rows of these tensors one below the other, in as few parts as their formats allow. */
  stacked(names: readonly string[]): readonly WeightPart[];
  /** An f32 vector (norm weight or bias), whatever float format it is stored in. */
  vector(name: string): BufferView;
  /** Biases of stacked tensors one after the other, zeros where a tensor has none; null where none has. */
  stackedBias(names: readonly string[], biases: readonly (string | null)[]): BufferView | null;
  readonly byteLength: number;
  destroy(): void;
}

/** A row split keeps every plane of a part on a 16-byte boundary of the whole matrix's plane. */
const SPLIT_ROW_MULTIPLE = 64;
/** Bytes read and uploaded at once: bounds the memory that a load takes beside the model itself. */
const UPLOAD_CHUNK_BYTES = 16 * 1024 * 1024;
/** writeBuffer copies into staging memory; without waiting a whole model would pile up there. */
const FLUSH_BYTES = 8 * UPLOAD_CHUNK_BYTES;

/** Writes into buffers at a pace that the GPU keeps up with, and tells how far it is. */
export class Uploader {
  readonly #device: GPUDevice;
  readonly #total: number;
  readonly #options: Pick<LoadOptions, 'onProgress' | 'signal'>;
  #done = 0;
  #sinceFlush = 0;

  /** @param total bytes that there will be */
  constructor(device: GPUDevice, total: number, options: Pick<LoadOptions, 'onProgress' | 'signal'>) {
    this.#device = device;
    this.#total = total;
    this.#options = options;
  }

  /** @throws the signal's reason where it was aborted */
  async write(buffer: GPUBuffer, byteOffset: number, bytes: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted();
    this.#device.queue.writeBuffer(buffer, byteOffset, bytes as Uint8Array<ArrayBuffer>, 0, bytes.byteLength);
    this.#done += bytes.byteLength;
    this.#sinceFlush += bytes.byteLength;
    this.#options.onProgress?.({ stage: 'read weights', done: Math.min(this.#done, this.#total), total: this.#total, unit: 'bytes' });
    if (this.#sinceFlush < FLUSH_BYTES) return;
    this.#sinceFlush = 0;
    await this.#device.queue.onSubmittedWorkDone();
  }
}

/**
 * Uploads the dense weights that the graph uses.
 * @param stacks groups of dense tensors of the same cols whose rows stacked() will be asked for
 * @throws Error naming the tensor where one row is larger than a binding, or memory runs out.
 */
export async function uploadWeights(
  device: GPUDevice, source: ModelSource, graph: ModelGraph, stacks: readonly (readonly string[])[],
  maxBindingByteLength: number, options: Pick<LoadOptions, 'onProgress' | 'signal'>,
): Promise<GpuWeights> {
  const { manifest } = source;
  const entries = new Map(manifest.dense.map((entry) => [entry.name, entry]));
  const use = namesInUse(graph);
  const denseParts = new Map<string, WeightPart[]>();
  const vectors = new Map<string, BufferView>();
  const stackedParts = new Map<string, WeightPart>();
  const buffers: GPUBuffer[] = [];
  // One target for all reads: a fresh array for each costs more than the read itself.
  const staging = new Uint8Array(UPLOAD_CHUNK_BYTES);
  const uploader = new Uploader(
    device, [...use.matrices, ...use.vectors].reduce((sum, name) => sum + entryOf(name).byteLength, 0), options);

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
  try {
    for (const name of use.vectors) {
      const entry = entryOf(name);
      const bytes = floatVector(entry, await source.readDense(name));
      const buffer = await makeBuffer(name, bytes.byteLength);
      await uploader.write(buffer, 0, bytes);
      vectors.set(name, { buffer, byteOffset: 0, byteLength: bytes.byteLength });
    }
    for (const names of stacks) await uploadStack(names);
    for (const name of use.matrices) {
      if (!denseParts.has(name)) denseParts.set(name, await uploadDense(entryOf(name)));
    }
  } catch (error) {
    for (const buffer of buffers) buffer.destroy();
    throw error;
  }

  async function uploadDense(entry: DenseEntry): Promise<WeightPart[]> {
    const whole = packedLayout(entry.format, entry.rows, entry.cols);
    let rowsPerPart = entry.rows;
    if (whole.byteLength > maxBindingByteLength) {
      // Every part has the constants; each plane of a part may end in padding.
      const once = (whole.constants?.byteLength ?? 0) + whole.planes.length * PLANE_ALIGN_BYTES;
      const fit = Math.floor((maxBindingByteLength - once) / (whole.byteLength / entry.rows));
      rowsPerPart = Math.floor(fit / SPLIT_ROW_MULTIPLE) * SPLIT_ROW_MULTIPLE;
      if (rowsPerPart <= 0) throw new Error(`tensor "${entry.name}": ${SPLIT_ROW_MULTIPLE} of its rows are larger than one GPU binding of ${maxBindingByteLength} bytes`);
    }
    const parts: WeightPart[] = [];
    for (let firstRow = 0; firstRow < entry.rows; firstRow += rowsPerPart) {
      const layout = packedLayout(entry.format, Math.min(rowsPerPart, entry.rows - firstRow), entry.cols);
      const buffer = await makeBuffer(`${entry.name} rows ${firstRow}+`, layout.byteLength);
      await uploadPlanes(entry, firstRow, layout, buffer);
      parts.push({ view: { buffer, byteOffset: 0, byteLength: layout.byteLength }, layout, firstRow });
    }
    return parts;
  }

  /** Copies a part's planes and constants out of the stored matrix to where `layout` has them. */
  async function uploadPlanes(entry: DenseEntry, firstRow: number, layout: PackedLayout, buffer: GPUBuffer): Promise<void> {
    const whole = packedLayout(entry.format, entry.rows, entry.cols);
    for (const [p, plane] of layout.planes.entries()) {
      const from = whole.planes[p].byteOffset + firstRow * layout.blocksPerRow * plane.blockByteLength;
      for (let at = 0; at < plane.byteLength; at += UPLOAD_CHUNK_BYTES) {
        const byteLength = Math.min(UPLOAD_CHUNK_BYTES, plane.byteLength - at);
        const bytes = await source.readDense(entry.name, from + at, byteLength, staging.subarray(0, byteLength));
        await uploader.write(buffer, plane.byteOffset + at, bytes);
      }
    }
    if (layout.constants && whole.constants) {
      const { byteOffset, byteLength } = whole.constants;
      await uploader.write(buffer, layout.constants.byteOffset, await source.readDense(entry.name, byteOffset, byteLength));
    }
  }

  /** Lays tensors of one format out as one matrix; a run of one tensor, or one too large, stays as it is. */
  async function uploadStack(names: readonly string[]): Promise<void> {
    for (let first = 0; first < names.length;) {
      const head = entryOf(names[first]);
      let end = first + 1;
      // Rows in multiples of SPLIT_ROW_MULTIPLE keep every tensor's planes on 16-byte boundaries. A codebook can be
      // shared; scales of whole tensors differ.
      const sharable = WEIGHT_FORMATS[head.format].constants?.kind !== 'tensor scale';
      while (sharable && end < names.length && entryOf(names[end]).format === head.format && entryOf(names[end]).cols === head.cols
        && entryOf(names[end - 1]).rows % SPLIT_ROW_MULTIPLE === 0) end += 1;
      const run = names.slice(first, end).map(entryOf);
      first = end;
      const layout = packedLayout(head.format, run.reduce((rows, entry) => rows + entry.rows, 0), head.cols);
      if (run.length === 1 || layout.byteLength > maxBindingByteLength) continue;
      const buffer = await makeBuffer(run.map((entry) => entry.name).join(' + '), layout.byteLength);
      const view = { buffer, byteOffset: 0, byteLength: layout.byteLength };
      let firstRow = 0;
      for (const entry of run) {
        const own = packedLayout(entry.format, entry.rows, entry.cols);
        const planes = layout.planes.map((plane, p) => ({
          ...plane, byteOffset: plane.byteOffset + firstRow * layout.blocksPerRow * plane.blockByteLength,
          byteLength: own.planes[p].byteLength,
        }));
        const inside = { ...own, planes, constants: layout.constants };
        await uploadPlanes(entry, 0, inside, buffer);
        denseParts.set(entry.name, [{ view, layout: inside, firstRow: 0 }]);
        firstRow += entry.rows;
      }
      stackedParts.set(run.map((entry) => entry.name).join(' '), { view, layout, firstRow: 0 });
    }
  }

  /** Longest runs that were laid out together, else each tensor's own parts. */
  function stacked(names: readonly string[]): WeightPart[] {
    const parts: WeightPart[] = [];
    let firstRow = 0;
    for (let first = 0; first < names.length;) {
      let end = names.length;
      while (end > first + 1 && !stackedParts.has(names.slice(first, end).join(' '))) end -= 1;
      const whole = stackedParts.get(names.slice(first, end).join(' '));
      for (const part of whole ? [whole] : lookUp(denseParts, names[first])) {
        parts.push({ ...part, firstRow: firstRow + part.firstRow });
      }
      for (const name of names.slice(first, end)) firstRow += entryOf(name).rows;
      first = end;
    }
    return parts;
  }

  function stackedBias(names: readonly string[], biases: readonly (string | null)[]): BufferView | null {
    if (biases.every((bias) => bias === null)) return null;
    const key = biases.join(' ');
    const known = vectors.get(key);
    if (known) return known;
    const byteLength = names.reduce((sum, name) => sum + entryOf(name).rows * 4, 0);
    const buffer = device.createBuffer({ label: key, size: alignUp(byteLength, 16), usage: GPU_STORAGE | GPU_COPY_DST });
    buffers.push(buffer);
    const encoder = device.createCommandEncoder();
    let at = 0;
    names.forEach((name, i) => {
      const bias = biases[i];
      if (bias !== null) encoder.copyBufferToBuffer(lookUp(vectors, bias).buffer, 0, buffer, at, entryOf(name).rows * 4);
      at += entryOf(name).rows * 4;
    });
    device.queue.submit([encoder.finish()]);
    const view = { buffer, byteOffset: 0, byteLength };
    vectors.set(key, view);
    return view;
  }

  const lookUp = <K, V>(map: Map<K, V>, key: K): V => {
    const value = map.get(key);
    if (value === undefined) throw new Error(`weight ${String(key)} was not uploaded`);
    return value;
  };
  return {
    dense: (name) => lookUp(denseParts, name),
    vector: (name) => lookUp(vectors, name),
    stacked, stackedBias,
    byteLength: buffers.reduce((sum, b) => sum + b.size, 0),
    destroy() { for (const buffer of buffers) buffer.destroy(); },
  };
}

function namesInUse(graph: ModelGraph): { matrices: Set<string>; vectors: Set<string> } {
  const matrices = new Set<string>();
  const vectors = new Set<string>();
  for (const op of graph.ops) {
    if (op.kind === 'embed') matrices.add(op.weight);
    if (op.kind === 'rms_norm') vectors.add(op.weight);
    if (op.kind === 'linear') {
      matrices.add(op.weight);
      if (op.bias !== null) vectors.add(op.bias);
    }
  }
  return { matrices, vectors };
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
