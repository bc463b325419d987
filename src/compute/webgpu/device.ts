/** Adapter and device: the features and limits that we use when they are there, and what they are called. */
import { DeviceMemoryError } from '../memory_error.ts';
import type { BufferView, DeviceTraits } from './kernel.ts';

// GPUBufferUsage is a global of browsers only (Node + Dawn exports it elsewhere): the specification's values.
export const GPU_MAP_READ = 0x0001;
export const GPU_MAP_WRITE = 0x0002;
export const GPU_COPY_SRC = 0x0004;
export const GPU_COPY_DST = 0x0008;
export const GPU_STORAGE = 0x0080;
export const GPU_QUERY_RESOLVE = 0x0200;
/** GPUMapMode.READ */
export const MAP_MODE_READ = 0x0001;
/** GPUMapMode.WRITE */
export const MAP_MODE_WRITE = 0x0002;

export interface OpenedDevice {
  readonly device: GPUDevice;
  /** Kept as long as the device is used: Dawn in Node crashes when its root object is collected before. */
  readonly gpu: GPU;
  readonly traits: DeviceTraits;
  /** Adapter in words: 'NVIDIA H200', 'SwiftShader (software)'. */
  readonly adapter: string;
  readonly software: boolean;
}

export interface DeviceRequest {
  /** Features to leave off, so that the plain paths can be tested on an adapter that has more. */
  readonly withoutFeatures?: readonly GPUFeatureName[];
  /** Cap on what one binding holds, to test splitting: WebGPU guarantees 128 MiB, and many adapters stop there. */
  readonly maxBindingByteLength?: number;
  /** Run the kernels meant for graphics cards on a software adapter too, to test them there. */
  readonly gpuKernelsOnSoftware?: boolean;
}

const WANTED_FEATURES: readonly GPUFeatureName[] = ['subgroups', 'shader-f16', 'timestamp-query'];

const WANTED_LIMITS = [
  'maxBufferSize', 'maxStorageBufferBindingSize', 'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxStorageBuffersPerShaderStage',
] as const;

/**
 * Opens the best adapter with all that it offers of what we use.
 * @throws Error with a sentence for people where WebGPU has no adapter.
 */
export async function openDevice(gpu: GPU, request: DeviceRequest = {}): Promise<OpenedDevice> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }) ?? await gpu.requestAdapter();
  if (!adapter) throw new Error('WebGPU is there, but it offers no adapter: the graphics driver is missing or blocked.');
  const without = new Set<string>(request.withoutFeatures ?? []);
  const features = WANTED_FEATURES.filter((name) => adapter.features.has(name) && !without.has(name));
  const requiredLimits: Record<string, number> = {};
  for (const name of WANTED_LIMITS) requiredLimits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({ label: 'hotset', requiredFeatures: features, requiredLimits });
  const info = adapter.info;
  // subgroupMinSize is missing in older browsers, where 'subgroups' alone says little: take the spec's bounds.
  const subgroups = features.includes('subgroups');
  const software = info.isFallbackAdapter === true
    || /swiftshader|llvmpipe|lavapipe|software|basic render/i.test(`${info.device} ${info.description} ${info.architecture}`);
  return {
    device,
    gpu,
    software,
    adapter: adapterName(info, software),
    traits: {
      subgroups,
      subgroupMinSize: subgroups ? info.subgroupMinSize ?? 4 : 0,
      subgroupMaxSize: subgroups ? info.subgroupMaxSize ?? 128 : 0,
      shaderF16: features.includes('shader-f16'),
      cpuAdapter: software && request.gpuKernelsOnSoftware !== true,
      maxComputeInvocationsPerWorkgroup: device.limits.maxComputeInvocationsPerWorkgroup,
      maxStorageBufferBindingSize: Math.min(
        request.maxBindingByteLength ?? Infinity, device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize),
    },
  };
}

function adapterName(info: GPUAdapterInfo, software: boolean): string {
  const words = info.description || [info.vendor, info.architecture, info.device].filter(Boolean).join(' ') || 'unnamed adapter';
  return software ? `${words} (software adapter, runs on the CPU)` : words;
}

/**
 * Runs `create` inside error scopes.
 * @throws DeviceMemoryError or Error saying what was being made when memory or validation fails
 */
export async function checked<T>(device: GPUDevice, what: string, create: () => T): Promise<T> {
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  const made = create();
  const memory = await device.popErrorScope();
  const validation = await device.popErrorScope();
  if (memory) throw new DeviceMemoryError(`The GPU ran out of memory making ${what}. Close other GPU programs, choose a shorter context or a smaller model.`);
  if (validation) throw new Error(`WebGPU refused ${what}: ${validation.message}`);
  return made;
}

/** Buffers that are made one by one and go together. */
export class BufferSet {
  readonly #device: GPUDevice;
  readonly #buffers: GPUBuffer[] = [];

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** @throws Error saying what was being made and its size where the GPU has no room for it */
  async make(label: string, byteLength: number, usage: number): Promise<BufferView> {
    const buffer = await checked(this.#device, `${label} (${byteLength} bytes)`, () => this.#device.createBuffer({ label, size: byteLength, usage }));
    this.#buffers.push(buffer);
    return { buffer, byteOffset: 0, byteLength };
  }

  get byteLength(): number {
    return this.#buffers.reduce((sum, { size }) => sum + size, 0);
  }

  destroy(): void {
    for (const buffer of this.#buffers) buffer.destroy();
  }
}
