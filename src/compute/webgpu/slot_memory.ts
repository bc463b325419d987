/** The buffers of an expert pool: slabs of slots, tables, staging for uploads. */
import { alignUp } from '../../quant/packed.ts';
import type { PoolShape, SlotGroup } from '../residency.ts';
import { BufferSet, GPU_COPY_DST, GPU_STORAGE } from './device.ts';
import type { BufferView } from './kernel.ts';
import { slabRanges } from './slot_groups.ts';
import { UploadRing } from './upload_ring.ts';
import type { ExpertSlab } from './weights.ts';

/** Table entry of an expert that no slot holds. */
export const NO_SLOT = 0xffffffff;
/** Bounds of a staging buffer for uploads, of which there are two. */
const MIN_STAGING_BYTES = 2 ** 20;
const MAX_STAGING_BYTES = 32 * 2 ** 20;

/** A group of slots, and what is in them. */
export interface FilledGroup extends SlotGroup {
  /** By number of their slots in the group. */
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
 * Slots for groups, all empty, in slabs no larger than a binding.
 * @param label of the buffers
 * @param nameOf what a group's slots are for, for messages
 * @throws Error with a sentence where the GPU has no room or a slot is larger than a binding
 */
export async function createFilledGroups(
  buffers: BufferSet, groups: readonly SlotGroup[], label: string, nameOf: (group: SlotGroup) => string, maxBindingByteLength: number,
): Promise<FilledGroup[]> {
  const made: FilledGroup[] = [];
  for (const [g, group] of groups.entries()) {
    const { slotCount, slotByteLength } = group;
    const slabs: ExpertSlab[] = [];
    for (const { first, count } of slabRanges(slotCount, slotByteLength, maxBindingByteLength, nameOf(group))) {
      const view = await buffers.make(`${label} ${g}, ${first}+`, count * slotByteLength, GPU_STORAGE | GPU_COPY_DST);
      slabs.push({ view, firstExpert: first, expertCount: count });
    }
    made.push({ ...group, slabs, keys: new Int32Array(slotCount).fill(-1) });
  }
  return made;
}

/** Groups by the layers (places in Manifest.expertLayers) whose experts they hold. */
export function groupsByLayer(groups: readonly FilledGroup[]): ReadonlyMap<number, FilledGroup> {
  return new Map(groups.flatMap((group) => group.layerIndexes.map((layer) => [layer, group] as const)));
}

/** Has a row copied into a slot, by the next flush at the latest. */
export function writeSlot(uploads: UploadRing, { slabs, slotByteLength }: FilledGroup, slot: number, row: Uint8Array): Promise<void> {
  const slab = slabs.findLast(({ firstExpert }) => firstExpert <= slot)!;
  return uploads.write(slab.view.buffer, (slot - slab.firstExpert) * slotByteLength, row);
}

/**
 * @param layers number of each expert layer, for messages
 * @param rowsAtOnce rows that are staged together
 * @throws Error with a sentence where the GPU has no room or a slot is larger than a binding
 */
export async function createSlotMemory(
  device: GPUDevice, shape: PoolShape, layers: readonly number[], maxBindingByteLength: number, rowsAtOnce: number,
): Promise<SlotMemory> {
  const buffers = new BufferSet(device);
  try {
    const nameOf = ({ layerIndexes }: SlotGroup): string => `layer ${layers[layerIndexes[0]]}`;
    const groups = await createFilledGroups(buffers, shape.groups, 'expert slots', nameOf, maxBindingByteLength);
    const table = await buffers.make(
      'expert slots', alignUp(shape.expertLayerCount * shape.expertCount * 4, 16), GPU_STORAGE | GPU_COPY_DST);
    const waveTable = await buffers.make('wave slots', alignUp(shape.expertCount * 4, 16), GPU_STORAGE | GPU_COPY_DST);
    const longest = Math.max(...shape.groups.map((group) => group.slotByteLength));
    const staging = Math.min(MAX_STAGING_BYTES, Math.max(MIN_STAGING_BYTES, rowsAtOnce * longest));
    const uploads = await UploadRing.create(device, alignUp(staging, 4));
    return {
      groups, table, waveTable, uploads, byteLength: buffers.byteLength + uploads.byteLength,
      destroy() {
        buffers.destroy();
        uploads.destroy();
      },
    };
  } catch (error) {
    buffers.destroy();
    throw error;
  }
}
