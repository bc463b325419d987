/** How much memory a model's experts may take on the GPU and in RAM. Pure arithmetic; bytes throughout. */
import type { ProvenMemory } from '../compute/ops.ts';

/** What a person chose for the GPU: what fits, a share of all experts, or bytes that copies of more bits are taken from. */
export type GpuBudget = 'auto' | { readonly share: number } | { readonly byteLength: number };

export interface ExpertBudget {
  readonly gpu: GpuBudget;
  /** RAM for experts that the GPU doesn't hold; null: as much as the machine's size suggests. */
  readonly ramByteLength: number | null;
}

/** What a model needs of a GPU. */
export interface ModelMemory {
  /** Slots for all experts. */
  readonly expertByteLength: number;
  /** The least that runs: one layer's active experts. */
  readonly leastExpertByteLength: number;
  /** Copies of more bits, as they were chosen: what is answered depends on them, so they are never made fewer. */
  readonly tierByteLength: number;
  /** Everything else: dense weights, KV cache. */
  readonly otherByteLength: number;
}

/** Where a model's experts are. */
export interface ExpertPlacement {
  readonly expertByteLength: number;
  /** As much as expertByteLength where all are resident. */
  readonly gpuByteLength: number;
  /** Copies of more bits beside them on the GPU. */
  readonly tierByteLength: number;
  readonly ramByteLength: number;
  /** Why this is less than was asked for, in a sentence; null where it isn't. */
  readonly fallbackReason: string | null;
}

/** Any device that runs WebGPU has this: no trial is made for less. */
const SMALL_BYTE_LENGTH = 256 * 2 ** 20;
/** Activations, scratch and staging of the largest chunk. */
const WORK_BYTE_LENGTH = 128 * 2 ** 20;
/** Part of proven memory that is left alone where a model doesn't fit: drivers and the page need some, too. */
const MARGIN = 0.15;
/** Part of a machine's memory that experts may take. */
const RAM_SHARE = 0.25;
/** Where the browser doesn't tell. */
const ASSUMED_MEMORY_BYTES = 4 * 2 ** 30;
/** Next size after one that could not be allocated. */
const SMALLER = 0.6;

/** Memory that a trial should ask for; null where none is needed. */
export function trialByteLength(
  budget: GpuBudget, { expertByteLength, tierByteLength, otherByteLength }: ModelMemory,
): number | null {
  const needed = expertByteLength + tierByteLength + otherByteLength;
  return budget !== 'auto' || expertByteLength === 0 || needed <= SMALL_BYTE_LENGTH ? null : needed + WORK_BYTE_LENGTH;
}

/**
 * Bytes of expert slots, between the least that runs and all; copies of more bits come on top.
 * @param proven of a trial for trialByteLength(); null where there was none
 */
export function gpuExpertByteLength(budget: GpuBudget, memory: ModelMemory, proven: ProvenMemory | null): number {
  const { expertByteLength, leastExpertByteLength, tierByteLength } = memory;
  const besideByteLength = tierByteLength + memory.otherByteLength + WORK_BYTE_LENGTH;
  let wanted = expertByteLength;
  if (budget !== 'auto') {
    wanted = 'share' in budget ? Math.ceil(expertByteLength * budget.share) : budget.byteLength - tierByteLength;
  } else if (proven !== null && proven.provenByteLength < expertByteLength + besideByteLength) {
    wanted = Math.floor(proven.provenByteLength * (1 - MARGIN)) - besideByteLength;
  }
  return Math.min(expertByteLength, Math.max(leastExpertByteLength, wanted));
}

/** A pool to try after one of this size could not be allocated; null where it was the least already. */
export function smallerPool(byteLength: number, { leastExpertByteLength }: ModelMemory): number | null {
  return byteLength <= leastExpertByteLength ? null : Math.max(leastExpertByteLength, Math.floor(byteLength * SMALLER));
}

/**
 * RAM for rows that the GPU doesn't hold.
 * @param deviceMemory navigator.deviceMemory: GiB, rounded and capped by the browser; undefined where it tells nothing
 */
export function ramByteLength(
  chosen: number | null, deviceMemory: number | undefined, expertByteLength: number, gpuByteLength: number,
): number {
  if (gpuByteLength >= expertByteLength) return 0;
  const suggested = (deviceMemory === undefined ? ASSUMED_MEMORY_BYTES : deviceMemory * 2 ** 30) * RAM_SHARE;
  return Math.min(expertByteLength, chosen ?? suggested);
}
