import { describe, expect, it } from 'vitest';
import { proveMemory } from '../../../src/compute/webgpu/prove_memory.ts';

const GIB = 2 ** 30;

/** A device with so much memory, that counts what is allocated. */
function fakeGpu(memoryByteLength: number, { description = 'Card', maxBufferSize = 4 * GIB, lost = false } = {}) {
  const state = { allocated: 0, most: 0, sizes: [] as number[], destroyed: false };
  let failed = false;
  const device = {
    limits: { maxBufferSize, maxStorageBufferBindingSize: maxBufferSize, maxComputeInvocationsPerWorkgroup: 256 },
    pushErrorScope: () => undefined,
    popErrorScope: async () => {
      if (lost) throw new Error('the device is lost');
      const error = failed ? {} : null;
      failed = false;
      return error;
    },
    createBuffer: ({ size }: { size: number }) => {
      failed = state.allocated + size > memoryByteLength;
      if (!failed) {
        state.allocated += size;
        state.sizes.push(size);
      }
      state.most = Math.max(state.most, state.allocated);
      return { destroy: () => { state.allocated -= size; } };
    },
    destroy: () => { state.destroyed = true; },
  };
  const adapter = { features: new Set(), limits: {}, info: { description }, requestDevice: async () => device };
  return { gpu: { requestAdapter: async () => adapter } as unknown as GPU, state };
}

describe('proving GPU memory', () => {
  it('stops at what was asked for, in buffers that the device allows', async () => {
    const { gpu, state } = fakeGpu(100 * GIB, { maxBufferSize: GIB / 2 });
    expect(await proveMemory(gpu, {}, 1.3 * GIB)).toEqual({
      askedByteLength: 1.3 * GIB, provenByteLength: 1.3 * GIB,
    });
    expect(state.sizes.map((size) => size / GIB)).toEqual([0.5, 0.5, expect.closeTo(0.3, 5)]);
    expect(state).toMatchObject({ allocated: 0, destroyed: true });
  });

  it('stops where memory ends, and gives all of it back', async () => {
    const { gpu, state } = fakeGpu(2.5 * GIB);
    expect(await proveMemory(gpu, {}, 10 * GIB)).toEqual({ askedByteLength: 10 * GIB, provenByteLength: 2 * GIB });
    expect(state).toMatchObject({ allocated: 0, most: 2 * GIB, destroyed: true });
  });

  it('asks for no more than a trial may take: less of a software adapter', async () => {
    expect(await proveMemory(fakeGpu(500 * GIB).gpu, {}, 200 * GIB)).toMatchObject({ askedByteLength: 64 * GIB });
    const software = fakeGpu(500 * GIB, { description: 'SwiftShader Device' });
    expect(await proveMemory(software.gpu, {}, 200 * GIB)).toEqual({ askedByteLength: GIB, provenByteLength: GIB });
  });

  it('proves nothing where there is no device, or it is lost', async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU;
    expect(await proveMemory(none, {}, 5)).toEqual({ askedByteLength: 5, provenByteLength: 0 });
    const { gpu, state } = fakeGpu(GIB, { lost: true });
    expect(await proveMemory(gpu, {}, 5)).toEqual({ askedByteLength: 5, provenByteLength: 0 });
    expect(state.destroyed).toBe(true);
  });
});
