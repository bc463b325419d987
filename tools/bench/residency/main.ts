/** `npm run bench:residency`: upload ways, and decode speed against the size of the expert pool. See --help. */
import { parseArgs } from 'node:util';
import { openDevice } from '../../../src/compute/webgpu/device.ts';
import { openDawn } from '../../../src/hosts/dawn.ts';
import { openNodeBackend } from '../../../src/hosts/node_backend.ts';
import { BENCH_SHAPES } from '../shapes.ts';
import { measureInChromium } from './chromium/measure.ts';
import { sweepPools } from './sweep.ts';
import { sweepOptionsOf } from './sweep_options.ts';
import { printUploads } from './uploads.ts';

const HELP = `Usage: npm run bench:residency -- [options]
  --uploads             time the ways to upload rows, and stop
  --reads               time reads of the browser's storage by size, and stop; only with --chromium
  --read-file N         MiB of the file that is read (default 256)
  --chromium            measure in a headless Chromium (CHROMIUM_PATH) instead of in Node
  --hardware            with --chromium: its Vulkan driver's graphics card; without it SwiftShader
  --site DIR            with --chromium: the page, built before
  --shape NAME          ${Object.keys(BENCH_SHAPES).join(', ')} (default qwen3-30b)
  --layers N            keep only the first N layers
  --expert-format F     (default W2)
  --pools LIST          shares of all experts in percent (default 100,50,25,12.5)
  --zipf LIST           exponents of the routers' preference, 0 = uniform (default 0,0.8)
  --warm N              tokens before the clock starts (default 64)
  --decode N            tokens timed (default 128)
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    uploads: { type: 'boolean', default: false },
    reads: { type: 'boolean', default: false },
    'read-file': { type: 'string', default: '256' },
    chromium: { type: 'boolean', default: false },
    hardware: { type: 'boolean', default: false },
    site: { type: 'string' },
    shape: { type: 'string', default: 'qwen3-30b' },
    layers: { type: 'string' },
    'expert-format': { type: 'string', default: 'W2' },
    pools: { type: 'string', default: '100,50,25,12.5' },
    zipf: { type: 'string', default: '0,0.8' },
    warm: { type: 'string', default: '64' },
    decode: { type: 'string', default: '128' },
  },
});

if (values.help) {
  process.stdout.write(HELP);
} else if (values.chromium) {
  await measureInChromium(values);
} else if (values.reads) {
  throw new RangeError('--reads needs --chromium: it measures the storage of browsers');
} else if (values.uploads) {
  const opened = await openDevice(await openDawn());
  const { device, adapter } = opened;
  await printUploads(device, adapter, console.log);
  device.destroy();
  // Dawn crashes where its root object is collected while a device works: this keeps it.
  if (!opened.gpu) throw new Error('the GPU is gone');
} else {
  const options = sweepOptionsOf(values);
  const backend = await openNodeBackend('webgpu');
  console.log(backend.info.label);
  await sweepPools(backend, options, console.log);
  backend.dispose();
}
