/**
 * What the tracks in Chromium's developer tools cost a step, while the Performance panel records and while it doesn't:
 * `npx tsx tools/bench/profile/devtools.ts`
 */
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright';
import { build, type Rolldown } from 'vite';
import { ensureChromium } from '../../chromium.ts';
import { quantile } from './ratios.ts';

export interface StepKind {
  readonly name: string;
  readonly resumes: number;
  readonly rowsLoaded: number;
}

/** Microseconds a step, by batches of steps. */
export interface DevToolsCost {
  readonly recorded: readonly number[];
  readonly drawn: readonly number[];
}

const STEPS: readonly StepKind[] = [
  { name: 'all experts resident', resumes: 0, rowsLoaded: 0 },
  { name: '1 resume, 3 rows loaded', resumes: 1, rowsLoaded: 3 },
  { name: '2 resumes, 16 rows loaded', resumes: 2, rowsLoaded: 16 },
];
/** What the costs are set against. */
const STEP_MILLIS = 5;

/** What the Performance panel asks for when it records. */
const PANEL_CATEGORIES = [
  '-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'disabled-by-default-devtools.timeline.frame',
  'blink.console', 'blink.user_timing', 'v8.execute', 'disabled-by-default-v8.cpu_profiler', 'loading', 'latencyInfo',
];

async function workerScript(): Promise<string> {
  const output = await build({
    configFile: false, publicDir: false, logLevel: 'warn',
    build: {
      write: false, minify: false,
      lib: { entry: join(import.meta.dirname, 'devtools_worker.ts'), formats: ['iife'], name: 'worker' },
    },
  }) as Rolldown.RolldownOutput[];
  const [chunk] = output[0].output;
  return chunk.code;
}

async function costOf(page: Page, script: string, step: StepKind): Promise<DevToolsCost> {
  return page.evaluate(([code, kind]) => new Promise<DevToolsCost>((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
    worker.addEventListener('error', (event) => reject(new Error(event.message)));
    worker.addEventListener('message', ({ data }: MessageEvent<DevToolsCost>) => {
      worker.terminate();
      resolve(data);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's postMessage has no such argument
    worker.postMessage(kind);
  }), [script, step] as const);
}

async function measureAll(browser: Browser, script: string): Promise<void> {
  console.log('| step | Performance panel | recording alone | tracks, of a step of 5 ms | median |\n|---|---|---|---|---|');
  const page = await browser.newPage();
  for (const step of STEPS) {
    for (const panel of ['off', 'recording'] as const) {
      if (panel === 'recording') await browser.startTracing(page, { categories: PANEL_CATEGORIES });
      const { recorded, drawn } = await costOf(page, script, step);
      if (panel === 'recording') await browser.stopTracing();
      const cost = (share: number): number => quantile(drawn, share) - quantile(recorded, share);
      const cells = [0.1, 0.5].map((share) => `${cost(share).toFixed(1)} µs, ${(cost(share) / (10 * STEP_MILLIS)).toFixed(2)} %`);
      console.log(`| ${step.name} | ${panel} | ${quantile(recorded, 0.1).toFixed(1)} µs | ${cells.join(' | ')} |`);
    }
  }
}

const browser = await chromium.launch({ executablePath: ensureChromium(), args: ['--no-sandbox'] });
try {
  console.log(`Chromium ${browser.version()}, headless; a step's time in the fastest tenth of batches, which others disturb least, and the median\n`);
  await measureAll(browser, await workerScript());
} finally {
  await browser.close();
}
