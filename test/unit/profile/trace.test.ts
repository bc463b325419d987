import { describe, expect, it } from 'vitest';
import { snapshotOf } from '../../../src/profile/snapshot.ts';
import { stepRows } from '../../../src/profile/steps.ts';
import { Tracer, type ExpertView, type TraceSink } from '../../../src/profile/trace.ts';

function fakeClock(): { now: () => number; advance(milliseconds: number): void } {
  let time = 100;
  return { now: () => time, advance: (milliseconds) => { time += milliseconds; } };
}

const VIEW: ExpertView = {
  layers: [1, 3], expertCount: 4, topK: 2, pool: { slotCount: 5, tierSlotCount: 4, byteLength: 500 },
  resident: () => Uint8Array.of(1, 0, 0, 3, 1, 2, 0, 0),
};

describe('events', () => {
  it('keeps the latest, in order, with their numbers', () => {
    const tracer = new Tracer({ eventCapacity: 4 });
    tracer.start({ kernels: false });
    for (let i = 0; i < 10; i++) tracer.span('upload', i, i + 1, 0, i, 100 * i);
    expect(tracer.eventCount).toBe(10);
    expect([...tracer.events()]).toEqual([6, 7, 8, 9].map((i) =>
      ({ event: 'upload', start: i, end: i + 1, args: [0, i, 100 * i], label: null })));
  });

  it('gives only the numbers that a kind has, and its label', () => {
    const { now, advance } = fakeClock();
    const tracer = new Tracer({ now });
    tracer.start({ kernels: false });
    advance(5);
    tracer.mark('eviction', 3, 7);
    tracer.span('kernel', 1, 2, 1000, 9, 9, 'matvec');
    expect([...tracer.events()]).toEqual([
      { event: 'eviction', start: 105, end: 105, args: [3, 7], label: null },
      { event: 'kernel', start: 1, end: 2, args: [1000], label: 'matvec' },
    ]);
  });

  it('mirrors events into a sink until recording ends', () => {
    const seen: unknown[] = [];
    const sink: TraceSink = { event: (name, start, end, args) => seen.push([name, start, end, ...Array.from(args)]) };
    const tracer = new Tracer();
    tracer.start({ kernels: false, sink });
    tracer.span('submit', 1, 2, 3);
    tracer.stop();
    expect(tracer.on).toBe(false);
    tracer.start({ kernels: true });
    expect(tracer.kernels).toBe(true);
    tracer.span('submit', 4, 5);
    expect(seen).toEqual([['submit', 1, 2, 3, 0, 0]]);
  });
});

describe('steps', () => {
  it('adds up what a step does, and begins each at nothing', () => {
    const { now, advance } = fakeClock();
    const tracer = new Tracer({ now });
    tracer.start({ kernels: false });
    tracer.beginStep('decode', 17, 1);
    tracer.read('memory', now(), 3, 2, 40);
    tracer.read('storage', now(), 3, 1, 60);
    tracer.addGpuTime(2);
    tracer.addGpuTime(3);
    advance(9);
    tracer.endStep();
    tracer.beginStep('prefill', 18, 5);
    advance(1);
    tracer.endStep();
    const [first, second] = stepRows(tracer.steps!.since(0));
    expect(first).toMatchObject({
      step: 0, isDecode: 1, startMs: 100, durationMs: 9, position: 17, tokens: 1, gpuMs: 5, memoryReads: 1, storageReads: 1, bytesRead: 100,
    });
    expect(second).toMatchObject({ step: 1, isDecode: 0, startMs: 109, durationMs: 1, position: 18, tokens: 5, gpuMs: Number.NaN, bytesRead: 0 });
    expect([...tracer.events()].map(({ event }) => event)).toEqual(['loadMemory', 'loadStorage', 'decode', 'prefill']);
  });

  it('leaves a step out that began before recording did', () => {
    const tracer = new Tracer();
    tracer.start({ kernels: false });
    tracer.beginStep('decode', 0, 1);
    tracer.stop();
    tracer.start({ kernels: false });
    tracer.endStep();
    expect(tracer.steps!.count).toBe(0);
  });

  it('gives the rows from a number on, as far as they are kept', () => {
    const tracer = new Tracer({ stepCapacity: 3 });
    tracer.start({ kernels: false });
    for (let i = 0; i < 5; i++) {
      tracer.beginStep('decode', i, 1);
      tracer.endStep();
    }
    const numbers = (since: number): number[] => stepRows(snapshotOf(tracer, since).steps).map((row) => row.step);
    expect(snapshotOf(tracer, 0).stepCount).toBe(5);
    expect(numbers(0)).toEqual([2, 3, 4]);
    expect(numbers(4)).toEqual([4]);
    expect(numbers(5)).toEqual([]);
    expect(numbers(9)).toEqual([]);
  });
});

describe('experts', () => {
  it('counts routing by layer and expert, and tells who is on the device', () => {
    const tracer = new Tracer();
    expect(snapshotOf(tracer, 0)).toMatchObject({ recording: false, stepCount: 0, experts: null });
    tracer.attach(VIEW);
    tracer.start({ kernels: false });
    tracer.routed(0, 3);
    tracer.routed(1, 0);
    tracer.routed(1, 0);
    const { experts } = snapshotOf(tracer, 0);
    expect([...experts!.heat]).toEqual([0, 0, 0, 1, 2, 0, 0, 0]);
    expect(experts!.pool).toEqual({ slotCount: 5, byteLength: 500, usedSlots: 3, tierSlotCount: 4, usedTierSlots: 2 });
    expect(tracer.layerAt(1)).toBe(3);
    expect(structuredClone(snapshotOf(tracer, 0))).toEqual(snapshotOf(tracer, 0));
  });

  it('forgets a model when another comes, and keeps that one when the first goes', () => {
    const tracer = new Tracer();
    tracer.start({ kernels: false });
    tracer.attach(VIEW);
    tracer.routed(0, 0);
    tracer.mark('eviction', 1, 1);
    const other: ExpertView = { ...VIEW, layers: [0], pool: null, resident: () => null };
    tracer.attach(other);
    tracer.detach(VIEW);
    expect([...snapshotOf(tracer, 0).experts!.heat]).toEqual([0, 0, 0, 0]);
    expect(tracer.eventCount).toBe(0);
    tracer.detach(other);
    expect(snapshotOf(tracer, 0).experts).toBeNull();
  });
});
