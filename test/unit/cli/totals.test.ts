import { describe, expect, it } from 'vitest';
import { readPlaywrightReport, readVitestReport, settle, sumLine } from '../../totals.ts';

const vitestReport = {
  numPassedTests: 7, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1,
  testResults: [
    { status: 'passed', assertionResults: [{}] },
    { status: 'failed', assertionResults: [{}] },
    { status: 'failed', assertionResults: [] },
  ],
};

describe('totals of npm test', () => {
  it('counts a test file that failed to load as a failure', () => {
    expect(readVitestReport(vitestReport)).toEqual({ passed: 7, failed: 2, skipped: 3 });
  });

  it('counts a flaky end-to-end test as a failure', () => {
    const report = { stats: { expected: 4, unexpected: 0, flaky: 1, skipped: 0 } };
    expect(readPlaywrightReport(report)).toEqual({ passed: 4, failed: 1, skipped: 0 });
  });

  it.each([[{}], [{ stats: {} }], [null]])('refuses the report %j', (report) => {
    expect(() => readPlaywrightReport(report)).toThrow();
    expect(() => readVitestReport(report)).toThrow();
  });

  it('counts a missing report, an empty run and a crash as one failure', () => {
    const clean = { passed: 3, failed: 0, skipped: 0 };
    expect(settle(null, 0).failed).toBe(1);
    expect(settle({ passed: 0, failed: 0, skipped: 5 }, 0).failed).toBe(1);
    expect(settle(clean, 1).failed).toBe(1);
    expect(settle(clean, null).failed).toBe(1);
    expect(settle({ ...clean, failed: 2 }, 1).failed).toBe(2);
    expect(settle(clean, 0)).toEqual(clean);
  });

  it('ends with one plain line that names skipped tests only where there are some', () => {
    const clean = { passed: 3, failed: 0, skipped: 0 };
    expect(sumLine([clean, clean])).toBe('6 passed, 0 failed');
    expect(sumLine([clean, { passed: 1, failed: 2, skipped: 4 }])).toBe('4 passed, 2 failed, 4 skipped');
  });
});
