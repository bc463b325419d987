/** Compute back ends for programs in Node: command line, benchmarks, bridge. */
import type { Backend } from '../compute/ops.ts';
import { createReferenceBackend, type ReferenceOptions } from '../compute/reference/backend.ts';
import { createWebGpuBackend } from '../compute/webgpu/backend.ts';
import { openDawn, type DawnOptions } from './dawn.ts';
import { loadShaderSources } from './shaders_node.ts';

export const NODE_BACKENDS = ['reference', 'webgpu'] as const;
export type NodeBackendName = (typeof NODE_BACKENDS)[number];

export interface NodeBackendOptions extends DawnOptions {
  /** Cap on WebGPU's binding size, to test what adapters with 128 MiB do. */
  readonly maxBindingByteLength?: number;
  /** Measure every kernel of the WebGPU back end. */
  readonly profileKernels?: boolean;
  /** Observers of the reference back end. */
  readonly reference?: Pick<ReferenceOptions, 'onRouted' | 'onStepped'>;
}

/**
 * Opens the back end of that name; 'auto' is WebGPU on the machine's own driver, else the reference.
 * @throws Error with one sentence where WebGPU was asked for and finds no adapter
 */
export async function openNodeBackend(name: NodeBackendName | 'auto', options: NodeBackendOptions = {}): Promise<Backend> {
  if (name === 'reference') {
    return createReferenceBackend(options.reference);
  }
  if (name === 'webgpu') {
    return openWebGpu(options);
  }
  try {
    return await openWebGpu({ ...options, allowSoftware: false });
  } catch (error) {
    return createReferenceBackend({ ...options.reference, fallbackReason: error instanceof Error ? error.message : String(error) });
  }
}

async function openWebGpu(options: NodeBackendOptions): Promise<Backend> {
  const gpu = await openDawn(options);
  return createWebGpuBackend({
    gpu, shaderSources: await loadShaderSources(), maxBindingByteLength: options.maxBindingByteLength,
    profileKernels: options.profileKernels,
  });
}
