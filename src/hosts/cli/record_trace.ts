/** `--record-trace FILE`: the routing of a run, for tools/residency. */
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { traceText, TraceRecorder } from '../../experts/trace.ts';
import type { Manifest } from '../../storage/model_source.ts';
import type { NodeBackendOptions } from '../node_backend.ts';
import { textOption, type OptionSpecs, type ParsedCommand } from './args.ts';

export const RECORD_TRACE_OPTION: OptionSpecs = {
  'record-trace': {
    type: 'string', value: 'FILE',
    help: 'write the experts that each step was routed to (gzip where FILE ends in .gz); needs --backend reference or --expert-pool',
  },
};

/** Null where the option isn't given. */
export function recorderOf(parsed: ParsedCommand, { expertLayers, expertCount, hyperparameters }: Manifest): TraceRecorder | null {
  if (textOption(parsed, 'record-trace') === null) return null;
  return new TraceRecorder({ expertLayerCount: expertLayers.length, expertCount, topK: hyperparameters.expertUsedCount });
}

/** Hooks of the reference back end that feed the recorder. */
export function referenceHooks(recorder: TraceRecorder, { expertLayers, expertCount }: Manifest): NonNullable<NodeBackendOptions['reference']> {
  const indexes = new Map(expertLayers.map(({ layer }, index) => [layer, index]));
  return {
    onRouted: (layer, expert) => recorder.routed([indexes.get(layer)! * expertCount + expert]),
    onStepped: (tokens) => recorder.stepped(tokens === 1 ? 'decode' : 'prefill'),
  };
}

/** Writes what was recorded. @throws Error with a sentence where the back end told nothing, or the file can't be written */
export async function writeTrace(parsed: ParsedCommand, recorder: TraceRecorder | null): Promise<void> {
  const path = textOption(parsed, 'record-trace');
  if (path === null || recorder === null) return;
  if (recorder.trace.steps.length === 0) {
    throw new Error('nothing was recorded, since all experts are resident: record with --backend reference or a smaller --expert-pool');
  }
  const text = traceText(recorder.trace);
  await writeFile(path, path.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text);
}
