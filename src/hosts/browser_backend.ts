import type { Backend } from '../compute/ops.ts';
import { createReferenceBackend } from '../compute/reference/backend.ts';
import { createWebGpuBackend } from '../compute/webgpu/backend.ts';
import type { OpenOptions } from './api.ts';
import { shaderSources } from './shaders_vite.ts';

const NO_WEBGPU = 'This browser has WebGPU switched off or doesn’t support it.';

/** The back end of a browser worker. A WebGPU device is kept until it is lost: models share it one after another. */
export interface BackendProvider {
  /** @throws Error with a sentence where 'webgpu' was asked for and isn't there. */
  get(choice: OpenOptions['backend']): Promise<Backend>;
  /** The back end in the place of one that failed for this reason. */
  fallback(reason: string): Backend;
}

/** @param gpu navigator.gpu, undefined where the browser has none */
export function createBackendProvider(gpu: GPU | undefined): BackendProvider {
  let webgpu: Promise<Backend> | null = null;

  const openWebGpu = (): Promise<Backend> => {
    if (gpu === undefined) return Promise.reject(new Error(NO_WEBGPU));
    const opening = createWebGpuBackend({ gpu, shaderSources: shaderSources() });
    webgpu = opening;
    const forget = (): void => {
      if (webgpu === opening) webgpu = null;
    };
    opening.then(async (backend) => {
      await backend.lost;
      forget();
      backend.dispose();
      // A failure isn't kept either: the driver may come back, or the person may turn WebGPU on.
    }, forget);
    return opening;
  };

  return {
    async get(choice) {
      if (choice === 'reference') return createReferenceBackend();
      try {
        return await (webgpu ?? openWebGpu());
      } catch (error) {
        if (choice === 'webgpu') throw error;
        return createReferenceBackend({ fallbackReason: error instanceof Error ? error.message : NO_WEBGPU });
      }
    },
    fallback: (reason) => createReferenceBackend({ fallbackReason: reason }),
  };
}
