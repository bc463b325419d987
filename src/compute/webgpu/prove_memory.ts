/** How much GPU memory there is to have: WebGPU tells no size, so buffers are made until one fails. */
import type { ProvenMemory } from '../ops.ts';
import { GPU_COPY_DST, GPU_STORAGE, openDevice, type DeviceRequest } from './device.ts';

const BUFFER_BYTE_LENGTH = 2 ** 30;
/** More than any card has that a browser runs on. */
const MAX_TRIAL_BYTE_LENGTH = 64 * 2 ** 30;
/** A software adapter's memory is the machine's own, where too much would slow down everything. */
const MAX_SOFTWARE_TRIAL_BYTE_LENGTH = 2 ** 30;

/**
 * Allocates up to so many bytes and frees them again. On a device of its own: a driver that loses its device where
 * memory runs out then takes no loaded model with it. Never rejects; what can't be tried is not proven.
 */
export async function proveMemory(gpu: GPU, request: DeviceRequest, byteLength: number): Promise<ProvenMemory> {
  let askedByteLength = Math.min(byteLength, MAX_TRIAL_BYTE_LENGTH);
  let provenByteLength = 0;
  try {
    const { device, software } = await openDevice(gpu, request);
    if (software) askedByteLength = Math.min(askedByteLength, MAX_SOFTWARE_TRIAL_BYTE_LENGTH);
    try {
      const buffers: GPUBuffer[] = [];
      const largest = Math.min(BUFFER_BYTE_LENGTH, device.limits.maxBufferSize);
      while (provenByteLength < askedByteLength) {
        const size = Math.ceil(Math.min(largest, askedByteLength - provenByteLength) / 4) * 4;
        const buffer = await allocate(device, size);
        if (buffer === null) break;
        buffers.push(buffer);
        provenByteLength = Math.min(askedByteLength, provenByteLength + size);
      }
      for (const buffer of buffers) buffer.destroy();
    } finally {
      device.destroy();
    }
  } catch {
    // No second device, or one that was lost on the way: what was allocated until then stands.
  }
  return { askedByteLength, provenByteLength };
}

async function allocate(device: GPUDevice, size: number): Promise<GPUBuffer | null> {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const buffer = device.createBuffer({ label: 'memory trial', size, usage: GPU_STORAGE | GPU_COPY_DST });
  const invalid = await device.popErrorScope();
  const outOfMemory = await device.popErrorScope();
  return invalid || outOfMemory ? null : buffer;
}
