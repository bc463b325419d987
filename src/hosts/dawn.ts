/** WebGPU in Node: Dawn from the npm package `webgpu`, on the machine's Vulkan, Metal or D3D12 driver. */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findSwiftShader, type SwiftShader } from './swiftshader.ts';

export interface DawnOptions {
  /** Use SwiftShader where no driver gives an adapter. Default true. */
  readonly allowSoftware?: boolean;
  /** Dawn features to enable ('vulkan_enable_f16_on_nvidia'). */
  readonly dawnFeatures?: readonly string[];
}

const NO_ADAPTER = 'No WebGPU adapter was found: this machine needs a graphics driver with Vulkan, Metal or D3D12'
  + ' (Debian: apt-get install libvulkan1 and the driver); a Chromium beside it gives at least a software adapter.';

/** dlopen flags of Linux: RTLD_LAZY | RTLD_NODELETE. */
const LOAD_AND_KEEP = 0x1 | 0x1000;

/**
 * Loads a shared library into the process for good, so that Dawn's own dlopen of the same name finds it.
 * Node then complains that it is no addon, which is expected.
 */
function preloadLibrary(path: string): boolean {
  try {
    process.dlopen({ exports: {} }, path, LOAD_AND_KEEP);
    return true;
  } catch (error) {
    return error instanceof Error && error.message.includes('did not self-register');
  }
}

/** False where the Vulkan loader would find no driver manifest and complain on stderr. Searches where the loader does. */
function hasVulkanDriver(): boolean {
  const { env } = process;
  if (env['VK_DRIVER_FILES'] || env['VK_ICD_FILENAMES'] || env['VK_ADD_DRIVER_FILES']) {
    return true;
  }
  const shares = (env['XDG_DATA_DIRS'] ?? '/usr/local/share:/usr/share').split(':');
  const roots = ['/etc', '/usr/local/etc', '/etc/xdg', join(homedir(), '.local/share'), join(homedir(), '.config'), ...shares];
  return roots
    .map((root) => join(root, 'vulkan', 'icd.d'))
    .some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.json')));
}

/**
 * Makes the Vulkan loader and a driver known to Dawn, before Dawn writes its own warnings about their absence.
 * @throws Error where there is neither a driver nor SwiftShader
 */
function prepareVulkan(swiftShader: SwiftShader | null): void {
  const hasLoader = preloadLibrary('libvulkan.so.1') || (swiftShader !== null && preloadLibrary(swiftShader.loaderPath));
  const hasDriver = hasVulkanDriver();
  if (!hasLoader || (!hasDriver && swiftShader === null)) {
    throw new Error(NO_ADAPTER);
  }
  if (!hasDriver && swiftShader !== null) {
    process.env['VK_DRIVER_FILES'] = swiftShader.icdPath;
  }
}

/**
 * Opens WebGPU on this machine's best adapter, else on SwiftShader where a Chromium brings it.
 * The caller keeps the GPU object reachable as long as it uses its devices: Dawn crashes when it is collected.
 * @throws Error with one sentence where no adapter is found.
 */
export async function openDawn(options: DawnOptions = {}): Promise<GPU> {
  const swiftShader = process.platform === 'linux' && options.allowSoftware !== false ? findSwiftShader() : null;
  if (process.platform === 'linux') {
    prepareVulkan(swiftShader);
  }
  const dawn = await import('webgpu').catch((error: unknown) => {
    throw new Error(`WebGPU is not available in this Node: ${error instanceof Error ? error.message : String(error)}`);
  });
  const flags = options.dawnFeatures?.length ? [`enable-dawn-features=${options.dawnFeatures.join(',')}`] : [];
  let gpu = dawn.create(flags);
  let adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter && swiftShader) {
    process.env['VK_DRIVER_FILES'] = swiftShader.icdPath;
    gpu = dawn.create(flags);
    adapter = await gpu.requestAdapter();
  }
  if (!adapter) {
    throw new Error(NO_ADAPTER);
  }
  return gpu;
}
