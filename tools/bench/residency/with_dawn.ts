import { openDevice } from '../../../src/compute/webgpu/device.ts';
import { openDawn } from '../../../src/hosts/dawn.ts';

/** A device of its own for a measurement in Node. */
export async function withDawn<T>(use: (device: GPUDevice, adapter: string) => Promise<T>): Promise<T> {
  const opened = await openDevice(await openDawn());
  try {
    const result = await use(opened.device, opened.adapter);
    // Dawn crashes where its root object is collected while a device works: this keeps it.
    if (!opened.gpu) throw new Error('the GPU is gone');
    return result;
  } finally {
    opened.device.destroy();
  }
}
