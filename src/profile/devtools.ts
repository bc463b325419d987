/**
 * Mirrors a recording into the Performance panel of Chromium's developer tools, as custom tracks of a group "Hotset":
 * https://developer.chrome.com/docs/devtools/performance/extension
 *
 * While the panel records, a measure takes tens of microseconds and a time stamp a few (tools/bench/profile/devtools.ts),
 * so measures are for what happens once a step, and a run of loads, uploads or evictions is drawn as one.
 */
import { EVENT_NAMES, eventKind, type EventName } from './events.ts';
import type { TraceSink } from './trace.ts';

export const TRACK_GROUP = 'Hotset';
/** Measures pile up in the performance timeline: cleared after so many. The panel has its own record of them. */
const MEASURES_KEPT = 256;
/** First Chromium whose console.timeStamp draws on tracks. */
const TIMESTAMP_TRACKS_VERSION = 134;

export interface DevToolsGlobals {
  readonly performance: Pick<Performance, 'measure' | 'clearMeasures'>;
  readonly console: Pick<Console, 'timeStamp'>;
  readonly userAgent: string;
}

/** Events of one kind that are not drawn yet. */
interface Run {
  start: number;
  end: number;
  count: number;
}

type TimeStamp = (label: string, start: number, end: number, track: string, group: string, color: string) => void;

/** console.timeStamp takes no properties but is much cheaper: for what happens many times a step, where it can draw spans. */
function timeStampOf({ console, userAgent }: DevToolsGlobals): TimeStamp | null {
  const version = Number(/Chrom(?:e|ium)\/(\d+)/.exec(userAgent)?.[1] ?? 0);
  if (version < TIMESTAMP_TRACKS_VERSION || typeof console.timeStamp !== 'function') return null;
  return (console.timeStamp as TimeStamp).bind(console);
}

/** 'layer with misses · layer 3 · missing 2 · attempt 1' */
function textOf(event: EventName, args: ArrayLike<number>): string {
  const { name, args: names } = eventKind(event);
  return [name, ...names.map((arg, i) => `${arg} ${args[i]}`)].join(' · ');
}

export function createDevToolsSink(globals: DevToolsGlobals): TraceSink {
  const timeStamp = timeStampOf(globals);
  const { performance } = globals;
  const names = new Set<string>();
  let kept = 0;
  const measure = (event: EventName, start: number, end: number, args: ArrayLike<number>, label: string | null): void => {
    const kind = eventKind(event);
    const name = `${TRACK_GROUP}: ${label ?? kind.name}`;
    // A label says it all: a kernel's name, a run.
    const properties = label === null ? kind.args.map((arg, i): [string, string] => [arg, String(args[i])]) : [];
    performance.measure(name, {
      start, end,
      detail: {
        devtools: {
          dataType: 'track-entry', track: kind.track, trackGroup: TRACK_GROUP, color: kind.color, properties,
          tooltipText: label ?? textOf(event, args),
        },
      },
    });
    names.add(name);
    kept += 1;
    if (kept < MEASURES_KEPT) return;
    // By name: others measure, too.
    for (const used of names) performance.clearMeasures(used);
    names.clear();
    kept = 0;
  };
  const draw = (event: EventName, start: number, end: number, args: ArrayLike<number>, label: string | null): void => {
    const kind = eventKind(event);
    if (kind.hot && timeStamp) timeStamp(label ?? textOf(event, args), start, end, kind.track, TRACK_GROUP, kind.color);
    else measure(event, start, end, args, label);
  };
  const runs = new Map(EVENT_NAMES.filter((name) => eventKind(name).inRuns).map((name): [EventName, Run] => [name, { start: 0, end: 0, count: 0 }]));
  const drawRuns = (): void => {
    for (const [event, run] of runs) {
      if (run.count === 0) continue;
      draw(event, run.start, run.end, [], run.count === 1 ? eventKind(event).name : `${run.count} × ${eventKind(event).name}`);
      run.count = 0;
    }
  };
  return {
    event(event, start, end, args, label) {
      const kind = eventKind(event);
      if (kind.shape === 'counter') return;
      const run = runs.get(event);
      if (run) {
        run.start = run.count === 0 ? start : Math.min(run.start, start);
        run.end = run.count === 0 ? end : Math.max(run.end, end);
        run.count += 1;
        return;
      }
      // What a run belongs to (a layer that waited, a wave, a step) is told after it.
      drawRuns();
      draw(event, start, end, args, label);
    },
  };
}
