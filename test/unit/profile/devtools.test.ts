import { describe, expect, it } from 'vitest';
import { createDevToolsSink } from '../../../src/profile/devtools.ts';

interface Measure { readonly name: string; readonly options: PerformanceMeasureOptions }

function rig(userAgent: string) {
  const measures: Measure[] = [];
  const stamps: unknown[][] = [];
  let most = 0;
  const sink = createDevToolsSink({
    userAgent,
    console: { timeStamp: (...args: unknown[]) => { stamps.push(args); } },
    performance: {
      measure: (name: string, options?: unknown) => {
        measures.push({ name, options: options as PerformanceMeasureOptions });
        most = Math.max(most, measures.length);
        return {} as PerformanceMeasure;
      },
      clearMeasures: (name?: string) => {
        for (let i = measures.length - 1; i >= 0; i--) if (measures[i].name === name) measures.splice(i, 1);
      },
    },
  });
  return { sink, measures, stamps, most: () => most };
}

const NEW_CHROMIUM = 'Mozilla/5.0 AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

describe('DevTools tracks', () => {
  it('draws a step as a measure of the group', () => {
    const { sink, measures } = rig(NEW_CHROMIUM);
    sink.event('decode', 5, 9, [40, 1, 2], null);
    expect(measures).toEqual([{
      name: 'Hotset: decode step',
      options: {
        start: 5, end: 9,
        detail: {
          devtools: {
            dataType: 'track-entry', track: 'Steps', trackGroup: 'Hotset', color: 'primary',
            properties: [['position', '40'], ['missed layers', '1'], ['missed experts', '2']],
            tooltipText: 'decode step · position 40 · missed layers 1 · missed experts 2',
          },
        },
      },
    }]);
  });

  it('draws what is frequent by time stamps, as measures where those have no tracks', () => {
    const current = rig(NEW_CHROMIUM);
    current.sink.event('kernel', 5, 6, [1000], 'matvec');
    expect(current.stamps).toEqual([['matvec', 5, 6, 'Kernels', 'Hotset', 'primary-light']]);
    const older = rig('Mozilla/5.0 Chrome/120.0.0.0');
    older.sink.event('kernel', 5, 6, [1000], 'matvec');
    expect([older.stamps.length, older.measures[0].name]).toEqual([0, 'Hotset: matvec']);
    expect(rig('Mozilla/5.0 Firefox/140.0').stamps).toEqual([]);
  });

  it('draws a run of loads as one, before what they belong to', () => {
    const { sink, measures, stamps } = rig(NEW_CHROMIUM);
    for (const start of [5, 2, 3]) sink.event('loadMemory', start, start + 4, [1, start, 100], null);
    sink.event('upload', 9, 10, [1, 5, 100], null);
    expect(stamps).toEqual([]);
    sink.event('missedLayer', 2, 10, [1, 3, 1], null);
    expect(stamps).toEqual([
      ['3 × load from RAM', 2, 9, 'Expert loads', 'Hotset', 'tertiary-light'], ['upload', 9, 10, 'Uploads', 'Hotset', 'secondary'],
      ['layer with misses · layer 1 · missing 3 · attempt 1', 2, 10, 'Layers with misses', 'Hotset', 'error'],
    ]);
    sink.event('decode', 0, 12, [1, 1, 3], null);
    expect(stamps).toHaveLength(3);
    expect(measures.map(({ name }) => name)).toEqual(['Hotset: decode step']);
  });

  it('clears its measures, so that memory is bounded', () => {
    const { sink, measures, most } = rig(NEW_CHROMIUM);
    for (let i = 0; i < 2000; i++) sink.event(i % 2 === 0 ? 'decode' : 'prefill', i, i + 1, [0, 0, 0], null);
    expect(most()).toBeLessThanOrEqual(256);
    expect(measures.length).toBeLessThan(256);
  });
});
