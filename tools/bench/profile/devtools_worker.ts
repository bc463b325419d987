/** In Chromium: what it takes to draw recorded steps into the developer tools, against recording them alone. */
import { createDevToolsSink } from '../../../src/profile/devtools.ts';
import { Tracer, type TraceSink } from '../../../src/profile/trace.ts';
import type { DevToolsCost, StepKind } from './devtools.ts';

/** Steps between two looks at the clock, after each of which messages are let through. */
const BATCH_STEPS = 64;
const BATCHES = 60;
const TIMED_EVERY_STEPS = 8;

/** What the back end tells of a step, with times as a real one has them. */
function record(tracer: Tracer, { resumes, rowsLoaded }: StepKind, number: number): void {
  tracer.beginStep('decode', number, 1);
  const start = tracer.now();
  for (let attempt = 0; attempt <= resumes; attempt++) {
    tracer.span('submit', start, tracer.now(), attempt);
    if (number % TIMED_EVERY_STEPS === 0) tracer.span('gpuPass', start, tracer.now(), 1000);
    if (attempt > 0) tracer.span('missedLayer', start, tracer.now(), attempt, 3, attempt);
  }
  for (let row = 0; row < rowsLoaded; row++) {
    tracer.read('memory', start, row, row, 3_538_944);
    tracer.span('upload', start, tracer.now(), row, row, 3_538_944);
    tracer.mark('eviction', row, row + 1);
  }
  tracer.endStep();
}

/** Microseconds a step: batches with the sink and without it take turns. */
async function measure(step: StepKind): Promise<DevToolsCost> {
  const tracer = new Tracer();
  const sink = createDevToolsSink({ performance, console, userAgent: navigator.userAgent });
  const times = { recorded: [] as number[], drawn: [] as number[] };
  const batch = async (way: keyof typeof times, drawTo: TraceSink | null): Promise<void> => {
    tracer.start({ kernels: false, sink: drawTo });
    const start = performance.now();
    for (let i = 0; i < BATCH_STEPS; i++) record(tracer, step, i);
    times[way].push((1000 * (performance.now() - start)) / BATCH_STEPS);
    await new Promise((resolve) => setTimeout(resolve, 2));
  };
  for (let i = 0; i < BATCHES; i++) {
    await batch('recorded', null);
    await batch('drawn', sink);
  }
  return times;
}

self.addEventListener('message', ({ data }: MessageEvent<StepKind>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's postMessage has no such argument
  void measure(data).then((cost) => self.postMessage(cost));
});
