/** A sequence's KV cache (f16 pairs) and the cos/sin tables that all sequences of a model share. */
import type { KvLayerShape, ModelGraph } from '../ops.ts';
import { checked, GPU_COPY_DST, GPU_COPY_SRC, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';

const F16_BYTES = 2;

/** Bytes of one token's keys (or values) in one layer. */
export function kvRowByteLength(shape: KvLayerShape): number {
  return shape.kvHeadCount * shape.headDim * F16_BYTES;
}

/** Longest context whose keys of one layer still fit a binding. */
export function maxContextLength(graph: ModelGraph, maxBindingByteLength: number): number {
  const longest = Math.max(1, ...graph.kvLayers.map(kvRowByteLength));
  return Math.floor(maxBindingByteLength / longest);
}

export interface KvCache {
  layer(layer: number): { readonly k: BufferView; readonly v: BufferView };
  readonly byteLength: number;
  destroy(): void;
}

/** @throws Error saying so where the GPU has no memory for it. */
export async function createKvCache(device: GPUDevice, graph: ModelGraph, capacity: number): Promise<KvCache> {
  const layers = new Map<number, { k: BufferView; v: BufferView }>();
  const buffers: GPUBuffer[] = [];
  try {
    for (const shape of graph.kvLayers) {
      const byteLength = Math.max(16, capacity * kvRowByteLength(shape));
      const make = async (name: string): Promise<BufferView> => {
        const label = `layer ${shape.layer} ${name} cache`;
        const buffer = await checked(device, `the KV cache for ${capacity} tokens`, () => device.createBuffer({
          label, size: byteLength, usage: GPU_STORAGE | GPU_COPY_DST | GPU_COPY_SRC,
        }));
        buffers.push(buffer);
        return { buffer, byteOffset: 0, byteLength };
      };
      layers.set(shape.layer, { k: await make('key'), v: await make('value') });
    }
  } catch (error) {
    for (const buffer of buffers) buffer.destroy();
    throw error;
  }
  return {
    layer(layer) {
      const found = layers.get(layer);
      if (!found) throw new Error(`layer ${layer} has no KV cache`);
      return found;
    },
    byteLength: buffers.reduce((sum, b) => sum + b.size, 0),
    destroy() { for (const buffer of buffers) buffer.destroy(); },
  };
}

/**
 * cos and sin of position * invFreq[i], times scale, as [contextLength, invFreq.length] pairs. Computed here since
 * WGSL's sin and cos may be off by 2^-11 and take no large angles; the angle is rounded to f32 as the references do.
 */
export function ropeTable(device: GPUDevice, contextLength: number, invFreq: Float32Array, scale: number): BufferView {
  const half = invFreq.length;
  const table = new Float32Array(contextLength * half * 2);
  for (let position = 0; position < contextLength; position++) {
    for (let i = 0; i < half; i++) {
      const angle = Math.fround(position * invFreq[i]);
      const at = (position * half + i) * 2;
      table[at] = Math.cos(angle) * scale;
      table[at + 1] = Math.sin(angle) * scale;
    }
  }
  const buffer = device.createBuffer({ label: 'rope table', size: table.byteLength, usage: GPU_STORAGE | GPU_COPY_DST });
  device.queue.writeBuffer(buffer, 0, table);
  return { buffer, byteOffset: 0, byteLength: table.byteLength };
}
