/** A recording as files: Chrome's trace event format (Perfetto, chrome://tracing) and CSV. */
import { eventKind, TRACKS, type TraceEvent } from './events.ts';
import { splitOf, STEP_FIELDS, type StepRow } from './steps.ts';

/** Rows of the trace that belong together; there is one. */
const PROCESS_ID = 1;

/** Of the trace event format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
interface ChromeEvent {
  readonly name: string;
  readonly ph: 'X' | 'i' | 'C' | 'b' | 'e' | 'M';
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: string;
  /** Scope of an instant: its thread. */
  readonly s?: 't';
  readonly args?: Readonly<Record<string, string | number>>;
}

/** Spans that overlap on one track are written as pairs of asynchronous events: complete ones would have to nest. */
function chromeEvents({ event, start, end, args, label }: TraceEvent, number: number): ChromeEvent[] {
  const kind = eventKind(event);
  const common = {
    name: label ?? kind.name, pid: PROCESS_ID, tid: 1 + TRACKS.indexOf(kind.track), ts: start * 1000, cat: 'hotset',
    args: Object.fromEntries(kind.args.map((name, i) => [name, args[i]])),
  };
  switch (kind.shape) {
    case 'instant': return [{ ...common, ph: 'i', s: 't' }];
    case 'counter': return [{ ...common, ph: 'C' }];
    case 'span': {
      if (kind.overlaps) {
        const id = `0x${number.toString(16)}`;
        return [{ ...common, cat: kind.track, ph: 'b', id }, { ...common, cat: kind.track, ph: 'e', id, ts: end * 1000, args: {} }];
      }
      return [{ ...common, ph: 'X', dur: (end - start) * 1000 }];
    }
  }
}

/** Trace event JSON, its events in order of time. `about` names model and back end. */
export function chromeTrace(events: Iterable<TraceEvent>, about: Readonly<Record<string, string>>): string {
  const names: ChromeEvent[] = [
    { name: 'process_name', ph: 'M', pid: PROCESS_ID, tid: 0, ts: 0, args: { name: 'Hotset' } },
    ...TRACKS.flatMap((track, i): ChromeEvent[] => [
      { name: 'thread_name', ph: 'M', pid: PROCESS_ID, tid: i + 1, ts: 0, args: { name: track } },
      { name: 'thread_sort_index', ph: 'M', pid: PROCESS_ID, tid: i + 1, ts: 0, args: { sort_index: i } },
    ]),
  ];
  const timed = [...events].flatMap(chromeEvents).sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const lines = [...names, ...timed].map((entry) => JSON.stringify(entry));
  return `{"displayTimeUnit":"ms","otherData":${JSON.stringify(about)},"traceEvents":[\n${lines.join(',\n')}\n]}\n`;
}

/** One line a step: its row, then where its time went. A number that isn't known is empty. */
export function stepsCsv(rows: readonly Readonly<StepRow>[]): string {
  const header = [...STEP_FIELDS, 'splitGpuMs', 'splitWaitMs', 'splitFetchMs', 'splitUploadMs', 'splitRestMs'];
  const lines = rows.map((row) => {
    const { gpu, wait, fetch, upload, rest } = splitOf(row);
    const cells = [...STEP_FIELDS.map((field) => row[field]), gpu, wait, fetch, upload, rest];
    return cells.map((cell) => (cell === null || Number.isNaN(cell) ? '' : String(Math.round(cell * 1000) / 1000))).join(',');
  });
  return `${[header.join(','), ...lines].join('\n')}\n`;
}
