/** Measures what task.json asks for, with the back end that the product's worker opens. */
import { openDevice } from '../../../../src/compute/webgpu/device.ts';
import { createBackendProvider } from '../../../../src/hosts/browser_backend.ts';
import { sweepPools } from '../sweep.ts';
import { printUploads } from '../uploads.ts';
import { printReads } from './reads.ts';
import { fetchTask, reportEnd, reportLine } from './report.ts';
import type { BrowserTask } from './task.ts';

async function run({ measurement, hardware }: BrowserTask): Promise<void> {
  if (measurement.kind === 'reads') {
    await printReads(measurement.fileByteLength, reportLine);
    return;
  }
  const gpu = navigator.gpu as GPU | undefined;
  if (!gpu) throw new Error('this Chromium offers no WebGPU here');
  if (measurement.kind === 'uploads') {
    const { device, adapter, software } = await openDevice(gpu);
    if (software && hardware) throw softwareOnly(adapter);
    await printUploads(device, `WebGPU in Chromium · ${adapter}`, reportLine);
    device.destroy();
    return;
  }
  const backend = await createBackendProvider(gpu).get('webgpu');
  if (backend.info.fallbackReason !== null && hardware) throw softwareOnly(backend.info.adapter ?? 'an unnamed adapter');
  await reportLine(`${backend.info.label}, in Chromium`);
  await sweepPools(backend, measurement.options, reportLine);
  backend.dispose();
}

function softwareOnly(adapter: string): Error {
  return new Error(`--hardware was asked for, but Chromium offers only ${adapter}`);
}

try {
  await run(await fetchTask());
  await reportEnd(null);
} catch (error) {
  await reportEnd(error instanceof Error ? error.message : String(error));
}
