/** Totals of the test runners, read from their JSON reports. */

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

function count(report: unknown, key: string): number {
  const value = (report as Record<string, unknown> | null)?.[key];
  if (typeof value !== 'number') {
    throw new TypeError(`the report has no number ${key}`);
  }
  return value;
}

/** Vitest's JSON reporter (Jest's shape). A file that failed to load has no failed test: it counts as one. */
export function readVitestReport(report: unknown): Totals {
  const files = (report as { testResults?: { status: string; assertionResults: unknown[] }[] }).testResults ?? [];
  const brokenFiles = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  return {
    passed: count(report, 'numPassedTests'),
    failed: count(report, 'numFailedTests') + brokenFiles,
    skipped: count(report, 'numPendingTests') + count(report, 'numTodoTests'),
  };
}

/** Playwright's JSON reporter. A flaky test failed at least once: it counts as failed. */
export function readPlaywrightReport(report: unknown): Totals {
  const stats = (report as { stats?: unknown }).stats;
  return {
    passed: count(stats, 'expected'),
    failed: count(stats, 'unexpected') + count(stats, 'flaky'),
    skipped: count(stats, 'skipped'),
  };
}

/**
 * What a runner's totals are worth, given its exit status: no report, no passed test, or a bad exit with no failed
 * test (a crash, an error outside any test) is one failure.
 */
export function settle(totals: Totals | null, exitStatus: number | null): Totals {
  const known = totals ?? { passed: 0, failed: 0, skipped: 0 };
  const broken = totals === null || known.passed === 0 || exitStatus !== 0;
  return broken && known.failed === 0 ? { ...known, failed: 1 } : known;
}

export function totalsText(totals: Totals): string {
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  return `${totals.passed} passed, ${totals.failed} failed${skipped}`;
}

export function sumLine(all: readonly Totals[]): string {
  const add = (key: keyof Totals) => all.reduce((sum, totals) => sum + totals[key], 0);
  return totalsText({ passed: add('passed'), failed: add('failed'), skipped: add('skipped') });
}
