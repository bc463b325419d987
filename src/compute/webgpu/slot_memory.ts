/** The buffers of an expert pool: slabs of slots, tables, staging for uploads. */
import { alignUp } from '../../quant/packed.ts';
import type { PoolShape, SlotGroup } from '../residency.ts';
import { checked, GPU_COPY_DST, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';
import { slabRanges } from './slot_groups.ts';
import { UploadRing } from './upload_ring.ts';
import type { ExpertSlab } from './weights.ts';

/** Bounds of a staging buffer for uploads, of which there are two. */
const MIN_STAGING_BYTES = 2 ** 20;
const MAX_STAGING_BYTES = 32 * 2 ** 20;

/** A group of slots, and what is in them. */
export interface FilledGroup extends SlotGroup {
  readonly slabs: readonly ExpertSlab[];
  /** Expert in each slot; -1: empty. */
  readonly keys: Int32Array;
}

export interface SlotMemory {
  readonly groups: readonly FilledGroup[];
  /** [expertLayerCount * expertCount] u32: slot of each expert in its layer's group. */
  readonly table: BufferView;
  /** [expertCount] u32: the same for the experts of one layer that take part in a wave of a prompt. */
  readonly waveTable: BufferView;
  readonly uploads: UploadRing;
  readonly byteLength: number;
  destroy(): void;
}

/**
 * @param layers number of each expert layer, for messages
 * @param rowsAtOnce rows that are staged together
 * @throws Error with a sentence where the GPU has no room or a slot is larger than a binding
 */
export async function createSlotMemory(
  device: GPUDevice, shape: PoolShape, layers: readonly number[], maxBindingByteLength: number, rowsAtOnce: number,
): Promise<SlotMemory> {
  const made: GPUBuffer[] = [];
  const destroy = (): void => {
    for (const buffer of made) buffer.destroy();
  };
  const make = async (label: string, size: number): Promise<BufferView> => {
    const buffer = await checked(device, `${label} (${size} bytes)`, () => device.createBuffer({
      label, size, usage: GPU_STORAGE | GPU_COPY_DST,
    }));
    made.push(buffer);
    return { buffer, byteOffset: 0, byteLength: buffer.size };
  };
  try {
    const groups: FilledGroup[] = [];
    for (const [g, group] of shape.groups.entries()) {
      const slabs: ExpertSlab[] = [];
      const name = `layer ${layers[group.layerIndexes[0]]}`;
      for (const { first, count } of slabRanges(group.slotCount, group.slotByteLength, maxBindingByteLength, name)) {
        slabs.push({ view: await make(`expert slots ${g}, ${first}+`, count * group.slotByteLength), firstExpert: first, expertCount: count });
      }
      groups.push({ ...group, slabs, keys: new Int32Array(group.slotCount).fill(-1) });
    }
    const table = await make('expert slots', alignUp(shape.expertLayerCount * shape.expertCount * 4, 16));
    const waveTable = await make('wave slots', alignUp(shape.expertCount * 4, 16));
    const longest = Math.max(...shape.groups.map((group) => group.slotByteLength));
    const staging = Math.min(MAX_STAGING_BYTES, Math.max(MIN_STAGING_BYTES, rowsAtOnce * longest));
    const uploads = await UploadRing.create(device, alignUp(staging, 4));
    made.push(...uploads.buffers);
    return { groups, table, waveTable, uploads, byteLength: made.reduce((sum, { size }) => sum + size, 0), destroy };
  } catch (error) {
    destroy();
    throw error;
  }
}
