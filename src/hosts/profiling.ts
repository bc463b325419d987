/** Recording of the open model, as pages and programs ask for it. */
import { createDevToolsSink, type DevToolsGlobals } from '../profile/devtools.ts';
import { chromeTrace, stepsCsv } from '../profile/exports.ts';
import { snapshotOf, type ProfileSnapshot } from '../profile/snapshot.ts';
import { stepRows } from '../profile/steps.ts';
import type { Tracer } from '../profile/trace.ts';
import type { ProfileForm, ProfilingOptions } from './api.ts';

/** Back end and model in words, for whoever reads an exported recording. */
export type RecordingAbout = Readonly<Record<string, string>>;

export interface Profiler {
  set(options: ProfilingOptions | null): void;
  snapshot(since: number): ProfileSnapshot;
  export(form: ProfileForm, about: RecordingAbout): Blob;
}

export function createProfiler(tracer: Tracer, globals: DevToolsGlobals): Profiler {
  return {
    set(options) {
      if (options === null) {
        tracer.stop();
        return;
      }
      if (!tracer.on) tracer.clear();
      tracer.start({ kernels: options.kernels, sink: options.devTools ? createDevToolsSink(globals) : null });
    },
    snapshot: (since) => snapshotOf(tracer, since),
    export: (form, about) => form === 'csv'
      ? new Blob([recordedSteps(tracer)], { type: 'text/csv' })
      : new Blob([recordedTrace(tracer, about)], { type: 'application/json' }),
  };
}

/** CSV of the recorded steps that are kept. */
export function recordedSteps(tracer: Tracer): string {
  return stepsCsv(stepRows(tracer.steps?.since(0) ?? new Float64Array()));
}

/** Chrome trace JSON of the recorded events that are kept. */
export function recordedTrace(tracer: Tracer, about: RecordingAbout): string {
  return chromeTrace(tracer.events(), about);
}
