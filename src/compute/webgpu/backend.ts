/** The WebGPU back end: WGSL in a browser worker or in Node on Dawn. */
import type { Backend } from '../ops.ts';
import { openDevice, type DeviceRequest } from './device.ts';
import { createKernelProfile, type KernelProfile } from './kernel_profile.ts';
import { loadModel } from './loaded_model.ts';
import { createPipelineCache } from './pipeline_cache.ts';
import { createShaderLibrary } from './shader_library.ts';
import { proveMemory } from './prove_memory.ts';

export interface WebGpuOptions extends DeviceRequest {
  /** navigator.gpu, or Dawn's. */
  readonly gpu: GPU;
  /** WGSL by path below shaders/. */
  readonly shaderSources: Readonly<Record<string, string>>;
  /** Measure every kernel by timestamp queries: slows a step, see WebGpuBackend.kernelProfile. */
  readonly profileKernels?: boolean;
}

const SOFTWARE_REASON = 'WebGPU runs on a software adapter here, not on a graphics card: expect a few tokens a second. '
  + 'Check that hardware acceleration is on in the browser\'s settings and that the graphics driver is current.';

export interface WebGpuBackend extends Backend {
  readonly kernelProfile: KernelProfile | null;
}

/** @throws Error with a sentence for people where there is no adapter. */
export async function createWebGpuBackend(options: WebGpuOptions): Promise<WebGpuBackend> {
  const opened = await openDevice(options.gpu, options);
  const { device, adapter, software } = opened;
  const pipelines = createPipelineCache(device, createShaderLibrary(options.shaderSources));
  const kernelProfile = options.profileKernels ? createKernelProfile(device) : null;
  let disposed = false;
  return {
    info: {
      kind: 'webgpu',
      label: `WebGPU · ${adapter}`,
      adapter,
      features: [...device.features].sort(),
      fallbackReason: software ? SOFTWARE_REASON : null,
    },
    load: (source, graph, loadOptions) => loadModel(opened, pipelines, kernelProfile, source, graph, loadOptions),
    proveMemory: (byteLength) => proveMemory(options.gpu, options, byteLength),
    kernelProfile,
    // A device that we destroyed ourselves is no loss to report.
    lost: device.lost.then((info) => disposed ? new Promise<string>(() => undefined)
      : `The GPU was lost (${info.message || info.reason || 'no reason given'}). Open the model again to go on.`),
    dispose() {
      disposed = true;
      device.destroy();
    },
  };
}
