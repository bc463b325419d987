/**
 * Mirrors a recording into the Performance panel of Chromium's developer tools, as custom tracks of a group "Hotset":
 * https://developer.chrome.com/docs/devtools/performance/extension
 */
import { eventKind, type EventName } from './events.ts';
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

type TimeStamp = (label: string, start: number, end: number, track: string, group: string, color: string) => void;

/** console.timeStamp takes no properties but is much cheaper: for what happens many times a step, where it can draw spans. */
function timeStampOf({ console, userAgent }: DevToolsGlobals): TimeStamp | null {
  const version = Number(/Chrom(?:e|ium)\/(\d+)/.exec(userAgent)?.[1] ?? 0);
  if (version < TIMESTAMP_TRACKS_VERSION || typeof console.timeStamp !== 'function') return null;
  return (console.timeStamp as TimeStamp).bind(console);
}

export function createDevToolsSink(globals: DevToolsGlobals): TraceSink {
  const timeStamp = timeStampOf(globals);
  const { performance } = globals;
  const names = new Set<string>();
  let kept = 0;
  const measure = (event: EventName, start: number, end: number, args: ArrayLike<number>, label: string | null): void => {
    const kind = eventKind(event);
    const name = `${TRACK_GROUP}: ${label ?? kind.name}`;
    const properties = kind.args.map((arg, i): [string, string] => [arg, String(args[i])]);
    performance.measure(name, {
      start, end,
      detail: {
        devtools: {
          dataType: 'track-entry', track: kind.track, trackGroup: TRACK_GROUP, color: kind.color, properties,
          tooltipText: [label ?? kind.name, ...properties.map(([arg, value]) => `${arg} ${value}`)].join(' · '),
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
  return {
    event(event, start, end, args, label) {
      const kind = eventKind(event);
      if (kind.shape === 'counter') return;
      if (kind.hot && timeStamp) timeStamp(label ?? kind.name, start, end, kind.track, TRACK_GROUP, kind.color);
      else measure(event, start, end, args, label);
    },
  };
}
