/** WebGPU devices for tests in Node: Dawn on whatever the machine has, SwiftShader out of Chromium at the least. */
import { openDawn } from '../../src/hosts/dawn.ts';

/**
 * SwiftShader compiles the zeroing of workgroup memory to one store an element: 5 s for the tiles of matmul.wgsl. Our
 * kernels write it before they read it; where one doesn't, leaving it as it was lets a test see that.
 */
const DAWN_FEATURES = ['disable_workgroup_init'];

/** Reachable for the whole run: Dawn crashes the process when its root object is collected. */
let opened: Promise<GPU> | undefined;

export interface DeviceOptions {
  /** Default: subgroups and shader-f16 where the adapter has them. One that it lacks makes the call fail. */
  readonly features?: readonly GPUFeatureName[];
  /** Limits better than WebGPU's defaults (a device never has worse ones: small bindings are tested through DeviceTraits). */
  readonly limits?: Readonly<Record<string, number>>;
}

/** The machine's adapter. @throws Error saying what to install where there is none; tests never skip for that. */
export async function openAdapter(): Promise<GPUAdapter> {
  opened ??= openDawn({ dawnFeatures: DAWN_FEATURES });
  const adapter = await (await opened).requestAdapter();
  if (adapter === null) throw new Error('the WebGPU adapter is gone');
  return adapter;
}

/** A device of its own; the caller destroys it. Validation errors that no scope caught are thrown at the process. */
export async function openDevice(options: DeviceOptions = {}): Promise<GPUDevice> {
  const adapter = await openAdapter();
  const optional: readonly GPUFeatureName[] = ['subgroups', 'shader-f16'];
  const device = await adapter.requestDevice({
    requiredFeatures: [...(options.features ?? optional.filter((feature) => adapter.features.has(feature)))],
    requiredLimits: { ...options.limits },
  });
  device.addEventListener('uncapturederror', (event) => {
    const { error } = event as GPUUncapturedErrorEvent;
    queueMicrotask(() => { throw new Error(`uncaptured WebGPU error: ${error.message}`); });
  });
  return device;
}
