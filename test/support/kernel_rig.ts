/** Runs kernel calls on a Dawn device and reads their results back. */
import { GPU_COPY_DST, GPU_COPY_SRC, GPU_MAP_READ, GPU_STORAGE, MAP_MODE_READ } from '../../src/compute/webgpu/device.ts';
import type { BufferView, DeviceTraits, KernelCall } from '../../src/compute/webgpu/kernel.ts';
import { createPipelineCache, encodeCalls, type PipelineCache } from '../../src/compute/webgpu/pipeline_cache.ts';
import { createShaderLibrary } from '../../src/compute/webgpu/shader_library.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';
import { openDevice } from './dawn.ts';

/** At least so many floats past the end of a poisoned buffer are NaN too: a kernel must leave them alone. */
const GUARD_FLOATS = 64;

export interface KernelRig {
  readonly device: GPUDevice;
  readonly cache: PipelineCache;
  /** A buffer of its own that holds `data`, its length rounded up to 16 bytes. */
  upload(data: ArrayBufferView): BufferView;
  /** A buffer full of NaN, longer than asked for. */
  poisoned(floats: number): BufferView;
  /** Compiles and runs the calls in one pass. */
  run(calls: readonly KernelCall[]): Promise<void>;
  readFloats(view: BufferView): Promise<Float32Array>;
  readWords(view: BufferView): Promise<Uint32Array>;
  /** Frees the buffers made so far. */
  clear(): void;
  destroy(): void;
}

export async function openRig(): Promise<KernelRig> {
  const device = await openDevice();
  const cache = createPipelineCache(device, createShaderLibrary(await loadShaderSources()));
  const buffers: GPUBuffer[] = [];

  function upload(data: ArrayBufferView): BufferView {
    const byteLength = Math.max(16, Math.ceil(data.byteLength / 16) * 16);
    const buffer = device.createBuffer({ size: byteLength, usage: GPU_STORAGE | GPU_COPY_SRC | GPU_COPY_DST });
    buffers.push(buffer);
    const padded = new Uint8Array(byteLength);
    padded.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    device.queue.writeBuffer(buffer, 0, padded);
    return { buffer, byteOffset: 0, byteLength };
  }

  async function read(view: BufferView): Promise<ArrayBuffer> {
    const staging = device.createBuffer({ size: view.byteLength, usage: GPU_MAP_READ | GPU_COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(view.buffer, view.byteOffset, staging, 0, view.byteLength);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_MODE_READ);
    const bytes = staging.getMappedRange().slice(0);
    staging.destroy();
    return bytes;
  }

  return {
    device, cache, upload,
    poisoned: (floats) => upload(new Float32Array(4 * Math.ceil((floats + GUARD_FLOATS) / 4)).fill(NaN)),
    async run(calls) {
      const prepared = await cache.prepare(calls);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      encodeCalls(pass, prepared);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
    readFloats: async (view) => new Float32Array(await read(view)),
    readWords: async (view) => new Uint32Array(await read(view)),
    clear() { for (const buffer of buffers.splice(0)) buffer.destroy(); },
    destroy() { device.destroy(); },
  };
}

const TRAITS: DeviceTraits = {
  subgroups: false, subgroupMinSize: 4, subgroupMaxSize: 4, shaderF16: false, cpuAdapter: false,
  maxComputeInvocationsPerWorkgroup: 256, maxStorageBufferBindingSize: 128 * 1024 * 1024,
};

/** The three reductions as the device traits that choose them. */
export const TRAITS_BY_REDUCE: Readonly<Record<'serial' | 'workgroup' | 'subgroup', DeviceTraits>> = {
  serial: { ...TRAITS, cpuAdapter: true },
  workgroup: TRAITS,
  subgroup: { ...TRAITS, subgroups: true },
};
