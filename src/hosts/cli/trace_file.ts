/** `--trace FILE`: what a run did and what that took, for Perfetto or chrome://tracing. */
import { writeFile } from 'node:fs/promises';
import { Tracer } from '../../profile/trace.ts';
import { recordedTrace, type RecordingAbout } from '../profiling.ts';
import { flag, textOption, UsageError, type OptionSpecs, type ParsedCommand } from './args.ts';

export const TRACE_OPTIONS: OptionSpecs = {
  trace: { type: 'string', value: 'FILE', help: 'write steps, expert loads, uploads and waits as Chrome trace JSON (Perfetto reads it)' },
  'trace-kernels': { type: 'boolean', help: 'with --trace: time every kernel where the device can; slows each step' },
};

export interface TraceFile {
  readonly tracer: Tracer;
  /** Begins recording. */
  start(): void;
  /** Ends it. @throws Error where the file can't be written */
  write(about: RecordingAbout): Promise<void>;
}

/** Null where the option isn't given. @throws UsageError */
export function traceFileOf(parsed: ParsedCommand): TraceFile | null {
  const path = textOption(parsed, 'trace');
  const kernels = flag(parsed, 'trace-kernels');
  if (path === null) {
    if (kernels) throw new UsageError('--trace-kernels needs --trace FILE');
    return null;
  }
  const tracer = new Tracer();
  return {
    tracer,
    start: () => tracer.start({ kernels }),
    async write(about) {
      tracer.stop();
      await writeFile(path, recordedTrace(tracer, about));
    },
  };
}
