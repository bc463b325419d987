/** `npm run bench:residency`: upload ways, and decode speed against the size of the expert pool. See --help. */
import { parseArgs } from 'node:util';
import { openNodeBackend } from '../../../src/hosts/node_backend.ts';
import { BENCH_SHAPES } from '../shapes.ts';
import { measureInChromium } from './chromium/measure.ts';
import { answerChats } from './model_run.ts';
import { sweepPools } from './sweep.ts';
import { sweepOptionsOf } from './sweep_options.ts';
import { printUploads } from './uploads.ts';
import { withDawn } from './with_dawn.ts';

const HELP = `Usage: npm run bench:residency -- [options]
  --uploads             time the ways to upload rows, and stop
  --reads               time reads of the browser's storage by size, and stop; only with --chromium
  --read-file N         MiB of the file that is read (default 256)
  --model FILE          answer chats with a real model at each of --pools, and stop
  --prompts FILE        with --model: what a person says, a line each; /new begins another chat, the first warms up
  --chats N             with --model: only the first N chats
  --max-tokens N        with --model: tokens of an answer at most (default 64)
  --chromium            measure in a headless Chromium (CHROMIUM_PATH) instead of in Node
  --hardware            with --chromium: its Vulkan driver's graphics card; without it SwiftShader
  --site DIR            with --chromium: the page, built before
  --shape NAME          ${Object.keys(BENCH_SHAPES).join(', ')} (default qwen3-30b)
  --layers N            keep only the first N layers
  --expert-format F     (default W2)
  --pools LIST          shares of all experts in percent (default 100,50,25,12.5)
  --zipf LIST           exponents of the routers' preference, 0 = uniform (default 0,0.8)
  --step-mode LIST      how steps are submitted: adaptive, whole, stepwise (default adaptive)
  --tier LIST           shares of experts with a copy in MXFP4 in percent, 0 = no second tier (default 0)
  --warm N              tokens before the clock starts (default 64)
  --decode N            tokens timed (default 128)
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    uploads: { type: 'boolean', default: false },
    reads: { type: 'boolean', default: false },
    'read-file': { type: 'string', default: '256' },
    model: { type: 'string' },
    prompts: { type: 'string' },
    chats: { type: 'string' },
    'max-tokens': { type: 'string', default: '64' },
    chromium: { type: 'boolean', default: false },
    hardware: { type: 'boolean', default: false },
    site: { type: 'string' },
    shape: { type: 'string', default: 'qwen3-30b' },
    layers: { type: 'string' },
    'expert-format': { type: 'string', default: 'W2' },
    pools: { type: 'string', default: '100,50,25,12.5' },
    zipf: { type: 'string', default: '0,0.8' },
    'step-mode': { type: 'string', default: 'adaptive' },
    tier: { type: 'string', default: '0' },
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
} else if (values.model !== undefined) {
  await answerChats({ ...values, model: values.model });
} else if (values.uploads) {
  await withDawn((device, adapter) => printUploads(device, adapter, console.log));
} else {
  const options = sweepOptionsOf(values);
  const backend = await openNodeBackend('webgpu');
  console.log(backend.info.label);
  await sweepPools(backend, options, console.log);
  backend.dispose();
}
