import { describe, expect, it } from 'vitest';
import {
  gpuExpertByteLength, ramByteLength, smallerPool, trialByteLength, type ModelMemory,
} from '../../../src/experts/budget.ts';

const GIB = 2 ** 30;
const BIG: ModelMemory = { expertByteLength: 16 * GIB, leastExpertByteLength: GIB / 16, tierByteLength: 0, otherByteLength: 2 * GIB };
const SMALL: ModelMemory = { expertByteLength: 1e7, leastExpertByteLength: 1e5, tierByteLength: 0, otherByteLength: 1e6 };

const proven = (byteLength: number) => ({ askedByteLength: 64 * GIB, provenByteLength: byteLength });

describe('GPU budget', () => {
  it('tries memory only where nothing was chosen and the model is not small', () => {
    expect(trialByteLength('auto', BIG)).toBeGreaterThan(18 * GIB);
    expect(trialByteLength('auto', SMALL)).toBeNull();
    expect(trialByteLength({ share: 0.5 }, BIG)).toBeNull();
    expect(trialByteLength('auto', { ...SMALL, expertByteLength: 0, otherByteLength: 9 * GIB })).toBeNull();
  });

  it('takes all experts where they provably fit, else what fits with a margin', () => {
    const gpu = (byteLength: number): number => gpuExpertByteLength('auto', BIG, proven(byteLength));
    expect(gpu(24 * GIB)).toBe(16 * GIB);
    // Room for the weights alone is not enough.
    expect(gpu(18 * GIB)).toBeLessThan(14 * GIB);
    expect(gpu(8 * GIB)).toBe(Math.floor(8 * GIB * 0.85) - 2 * GIB - GIB / 8);
    expect(gpu(0)).toBe(GIB / 16);
    expect(gpuExpertByteLength('auto', SMALL, null)).toBe(1e7);
  });

  it('honours a share or bytes between the least that runs and all', () => {
    expect(gpuExpertByteLength({ share: 0.25 }, BIG, null)).toBe(4 * GIB);
    expect(gpuExpertByteLength({ share: 1 }, BIG, null)).toBe(16 * GIB);
    expect(gpuExpertByteLength({ byteLength: 3e9 }, BIG, null)).toBe(3e9);
    expect(gpuExpertByteLength({ byteLength: 99e9 }, BIG, null)).toBe(16 * GIB);
    expect(gpuExpertByteLength({ byteLength: 1 }, BIG, null)).toBe(GIB / 16);
  });

  it('counts copies of more bits beside the slots', () => {
    const tiered = { ...BIG, tierByteLength: 3 * GIB };
    expect(trialByteLength('auto', tiered)! - trialByteLength('auto', BIG)!).toBe(3 * GIB);
    expect(trialByteLength('auto', { ...SMALL, tierByteLength: GIB })).toBeGreaterThan(GIB);
    expect(gpuExpertByteLength('auto', tiered, proven(24 * GIB))).toBe(16 * GIB);
    expect(gpuExpertByteLength('auto', tiered, proven(20 * GIB))).toBe(17 * GIB - 5 * GIB - GIB / 8);
    expect(gpuExpertByteLength({ byteLength: 5 * GIB }, tiered, null)).toBe(2 * GIB);
    expect(gpuExpertByteLength({ byteLength: 2 * GIB }, tiered, null)).toBe(GIB / 16);
    expect(gpuExpertByteLength({ share: 0.25 }, tiered, null)).toBe(4 * GIB);
  });

  it('goes down to the least in a few steps', () => {
    const sizes: number[] = [];
    for (let size: number | null = 16 * GIB; size !== null; size = smallerPool(size, BIG)) sizes.push(size);
    expect(sizes[1]).toBe(Math.floor(9.6 * GIB));
    expect(sizes.at(-1)).toBe(GIB / 16);
    expect(sizes.length).toBeLessThan(14);
  });
});

describe('RAM budget', () => {
  it('is a quarter of what the browser tells, and nothing where all experts are on the GPU', () => {
    expect(ramByteLength(null, 8, 16 * GIB, 4 * GIB)).toBe(2 * GIB);
    expect(ramByteLength(null, undefined, 16 * GIB, 4 * GIB)).toBe(GIB);
    expect(ramByteLength(null, 8, GIB, GIB / 2)).toBe(GIB);
    expect(ramByteLength(null, 8, 16 * GIB, 16 * GIB)).toBe(0);
    expect(ramByteLength(3e9, 8, 16 * GIB, 4 * GIB)).toBe(3e9);
    expect(ramByteLength(0, 8, 16 * GIB, 4 * GIB)).toBe(0);
  });
});
