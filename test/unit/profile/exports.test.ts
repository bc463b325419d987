import { describe, expect, it } from 'vitest';
import { chromeTrace, stepsCsv } from '../../../src/profile/exports.ts';
import { EVENT_NAMES, eventKind, TRACKS } from '../../../src/profile/events.ts';
import { emptyStepRow, STEP_FIELDS } from '../../../src/profile/steps.ts';
import { Tracer } from '../../../src/profile/trace.ts';

interface ChromeEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly id?: string;
  readonly s?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

function recording(): Tracer {
  const tracer = new Tracer({ now: () => 12 });
  tracer.start({ kernels: true });
  // Two reads that overlap without nesting, inside a layer's fetch, inside a step; told as they end.
  tracer.span('loadMemory', 2, 5, 3, 9, 4096);
  tracer.span('loadStorage', 3, 7, 3, 11, 4096);
  tracer.span('upload', 7, 8, 3, 9, 4096);
  tracer.span('missedLayer', 2, 8, 3, 2, 1);
  tracer.span('kernel', 8.5, 9, 500, 0, 0, 'matvec "q"');
  tracer.mark('eviction', 3, 1);
  tracer.mark('occupancy', 17);
  tracer.span('decode', 1, 10, 40, 1, 2);
  return tracer;
}

describe('Chrome trace JSON', () => {
  const trace = JSON.parse(chromeTrace(recording().events(), { model: 'tiny' })) as
    { readonly displayTimeUnit: string; readonly otherData: unknown; readonly traceEvents: readonly ChromeEvent[] };
  const events = trace.traceEvents;

  it('has what each phase of the trace event format asks for', () => {
    expect(trace.displayTimeUnit).toBe('ms');
    expect(trace.otherData).toEqual({ model: 'tiny' });
    for (const event of events) {
      expect(event.ph).toMatch(/^[XiCbeM]$/);
      expect(event.name).not.toBe('');
      for (const number of [event.pid, event.tid, event.ts]) expect(Number.isFinite(number)).toBe(true);
      if (event.ph === 'X') expect(event.dur).toBeGreaterThanOrEqual(0);
      if (event.ph === 'i') expect(event.s).toBe('t');
      if (event.ph === 'C') expect(Object.values(event.args!).every((value) => typeof value === 'number')).toBe(true);
    }
    const timed = events.filter(({ ph }) => ph !== 'M').map(({ ts }) => ts);
    expect(timed).toEqual([...timed].sort((a, b) => a - b));
  });

  it('names the process and every track that has events', () => {
    const names = new Map(events.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args!['name']]));
    expect(events.find(({ name }) => name === 'process_name')?.args).toEqual({ name: 'Hotset' });
    for (const { tid, ph } of events) if (ph !== 'M') expect(TRACKS).toContain(names.get(tid));
    expect(names.get(events.find(({ name }) => name === 'decode step')!.tid)).toBe('Steps');
  });

  it('pairs the ends of overlapping spans, and nests all others', () => {
    const begins = events.filter(({ ph }) => ph === 'b');
    expect(begins).toHaveLength(2);
    for (const { id, cat, ts, name } of begins) {
      const ends = events.filter((event) => event.ph === 'e' && event.id === id && event.cat === cat);
      expect(ends).toHaveLength(1);
      expect(ends[0].name).toBe(name);
      expect(ends[0].ts).toBeGreaterThanOrEqual(ts);
    }
    const complete = events.filter(({ ph }) => ph === 'X');
    for (const a of complete) {
      for (const b of complete) {
        if (a === b || a.tid !== b.tid || b.ts < a.ts || b.ts >= a.ts + a.dur!) continue;
        expect(b.ts + b.dur!).toBeLessThanOrEqual(a.ts + a.dur!);
      }
    }
  });

  it('has microseconds, labels and numbers by name', () => {
    expect(events.find(({ name }) => name === 'layer with misses')).toMatchObject({ ts: 2000, dur: 6000, args: { layer: 3, missing: 2, attempt: 1 } });
    expect(events.find(({ name }) => name === 'matvec "q"')).toMatchObject({ ts: 8500, dur: 500, args: { microseconds: 500 } });
    expect(events.find(({ ph }) => ph === 'C')).toMatchObject({ name: 'expert slots', args: { used: 17 } });
  });

  it('is whole without events', () => {
    const empty = JSON.parse(chromeTrace([], {})) as { readonly traceEvents: readonly ChromeEvent[] };
    expect(empty.traceEvents.every(({ ph }) => ph === 'M')).toBe(true);
  });
});

describe('CSV', () => {
  it('has one line a step, its unknown GPU time empty', () => {
    const rows = [
      { ...emptyStepRow(), step: 0, isDecode: 1, durationMs: 9.87654, waitMs: 5, gpuMs: Number.NaN },
      { ...emptyStepRow(), step: 1, isDecode: 1, durationMs: 4, waitMs: 3, gpuMs: 2, hits: 16 },
    ];
    const [header, first, second, ...rest] = stepsCsv(rows).split('\n').map((line) => line.split(','));
    expect(header.slice(0, STEP_FIELDS.length)).toEqual([...STEP_FIELDS]);
    const cell = (line: string[], name: string): string => line[header.indexOf(name)];
    expect([cell(first, 'durationMs'), cell(first, 'gpuMs'), cell(first, 'splitGpuMs'), cell(first, 'splitWaitMs')]).toEqual(['9.877', '', '', '5']);
    expect([cell(second, 'step'), cell(second, 'hits'), cell(second, 'splitGpuMs'), cell(second, 'splitRestMs')]).toEqual(['1', '16', '2', '1']);
    expect(rest).toEqual([['']]);
  });
});

it('has at most as many numbers an event as the recorder keeps', () => {
  for (const name of EVENT_NAMES) expect(eventKind(name).args.length).toBeLessThanOrEqual(3);
});
