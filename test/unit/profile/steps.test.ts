import { describe, expect, it } from 'vitest';
import { emptyStepRow, foundShares, splitOf, stepRows, summaryOfSteps, type StepRow } from '../../../src/profile/steps.ts';

function row(values: Partial<StepRow>): StepRow {
  return { ...emptyStepRow(), isDecode: 1, gpuMs: Number.NaN, ...values };
}

describe('where the time went', () => {
  it('adds up to the step', () => {
    const split = splitOf(row({ durationMs: 10, gpuMs: 4, waitMs: 6, readMs: 2, uploadMs: 0.5 }));
    expect(split).toEqual({ gpu: 4, wait: 2, fetch: 2, upload: 0.5, rest: 1.5 });
  });

  it('leaves the GPU in the wait where the device doesn\'t tell', () => {
    expect(splitOf(row({ durationMs: 10, waitMs: 6 }))).toEqual({ gpu: null, wait: 6, fetch: 0, upload: 0, rest: 4 });
  });

  it('bears clocks that disagree', () => {
    expect(splitOf(row({ durationMs: 10, gpuMs: 8, waitMs: 7, readMs: 4 }))).toEqual({ gpu: 7, wait: 0, fetch: 4, upload: 0, rest: 0 });
  });
});

describe('means', () => {
  it('are taken over decode steps', () => {
    const summary = summaryOfSteps([
      row({ isDecode: 0, durationMs: 1000, misses: 50 }),
      row({ durationMs: 10, gpuMs: 4, waitMs: 6, hits: 8 }),
      row({ durationMs: 20, gpuMs: 6, waitMs: 8, readMs: 6, hits: 6, misses: 2, missedLayers: 1, memoryReads: 1, storageReads: 1, bytesRead: 300 }),
    ])!;
    expect(summary).toMatchObject({ steps: 2, durationMs: 15, zeroMissShare: 0.5, missedLayers: 0.5, bytesRead: 150 });
    expect(summary.split).toEqual({ gpu: 5, wait: 2, fetch: 3, upload: 0, rest: 5 });
    expect(summary.found).toEqual({ device: 14 / 16, memory: 1 / 16, storage: 1 / 16 });
  });

  it('take the GPU\'s share of waiting from the steps that were timed', () => {
    const { split } = summaryOfSteps([row({ durationMs: 10, gpuMs: 4, waitMs: 5 }), row({ durationMs: 20, waitMs: 15 })])!;
    expect(split).toEqual({ gpu: 8, wait: 2, fetch: 0, upload: 0, rest: 5 });
  });

  it('leave the GPU in the wait where no step was timed', () => {
    const { split } = summaryOfSteps([row({ durationMs: 10, waitMs: 5 }), row({ durationMs: 20, waitMs: 15 })])!;
    expect(split).toEqual({ gpu: null, wait: 10, fetch: 0, upload: 0, rest: 5 });
  });

  it('are none without steps', () => {
    expect(summaryOfSteps([])).toBeNull();
    expect(summaryOfSteps([row({ isDecode: 0 })])).toBeNull();
    expect(foundShares([row({})])).toBeNull();
  });
});

it('refuses cells that are no rows', () => {
  expect(() => stepRows(new Float64Array(7))).toThrow(/7 cells are no rows/);
});
