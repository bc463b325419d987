/** Activation buffers, one each: graphs reuse a handful of activations over all their layers. */
import type { Activation, ModelGraph } from '../ops.ts';
import { alignUp } from '../../quant/packed.ts';
import { GPU_COPY_DST, GPU_COPY_SRC, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';

export interface Activations {
  view(activation: Activation): BufferView;
  readonly byteLength: number;
  destroy(): void;
}

/**
 * @param rowCapacity rows of 'batch' activations
 * @param outputCapacity rows of 'output' activations
 */
export function createActivations(
  device: GPUDevice, graph: ModelGraph, rowCapacity: number, outputCapacity: number,
): Activations {
  const views = new Map<number, BufferView>();
  for (const activation of graph.activations) {
    const rows = activation.rows === 'batch' ? rowCapacity : outputCapacity;
    const byteLength = alignUp(rows * activation.cols * 4, 16);
    const buffer = device.createBuffer({
      label: activation.label, size: byteLength, usage: GPU_STORAGE | GPU_COPY_SRC | GPU_COPY_DST,
    });
    views.set(activation.id, { buffer, byteOffset: 0, byteLength });
  }
  return {
    byteLength: [...views.values()].reduce((sum, view) => sum + view.byteLength, 0),
    view(activation) {
      const view = views.get(activation.id);
      if (!view) throw new Error(`activation ${activation.label} is not part of the graph`);
      return view;
    },
    destroy() { for (const view of views.values()) view.buffer.destroy(); },
  };
}
