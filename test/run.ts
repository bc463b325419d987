/**
 * `npm test`: everything CI runs. Finds or installs a Chromium, then runs the static checks, Vitest (unit, kernels,
 * models) and Playwright, and ends with their totals. A runner that crashes, runs nothing or leaves no report counts
 * as a failure, so that the last line can be trusted by itself.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { ensureChromium } from '../tools/chromium.ts';
import { runChecks } from '../tools/checks.ts';
import { readPlaywrightReport, readVitestReport, settle, sumLine, totalsText, type Totals } from './totals.ts';

const REPORT_DIR = 'test-results/reports';
const VITEST_REPORT = `${REPORT_DIR}/vitest.json`;
const PLAYWRIGHT_REPORT = `${REPORT_DIR}/playwright.json`;
/** Written by test/e2e/support/browser.ts. */
const SCREENSHOT_DIR = 'test-results/screenshots';

interface RunnerResult {
  readonly name: string;
  readonly totals: Totals;
  readonly seconds: number;
}

/** Runs one runner with its output on this terminal and reads its JSON report afterwards. */
function runRunner(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  reportPath: string,
  read: (report: unknown) => Totals,
): RunnerResult {
  rmSync(reportPath, { force: true });
  console.log(`\n== ${name}`);
  const start = performance.now();
  const run = spawnSync('npx', ['--no-install', ...args], { stdio: ['ignore', 'inherit', 'inherit'], env });
  const seconds = (performance.now() - start) / 1000;
  let totals: Totals | null = null;
  try {
    totals = read(JSON.parse(readFileSync(reportPath, 'utf8')));
  } catch (error) {
    console.error(`${name} left no readable report: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { name, totals: settle(totals, run.status), seconds };
}

function main(): number {
  let chromiumPath: string;
  try {
    chromiumPath = ensureChromium();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
  console.log(`Chromium: ${chromiumPath}`);
  rmSync(SCREENSHOT_DIR, { recursive: true, force: true });
  mkdirSync(REPORT_DIR, { recursive: true });
  const env: NodeJS.ProcessEnv = { ...process.env, CHROMIUM_PATH: chromiumPath };

  console.log('\n== checks');
  const checks = runChecks();
  const runners = [
    runRunner(
      'Vitest (unit, kernels, models)',
      ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`],
      env, VITEST_REPORT, readVitestReport,
    ),
    runRunner(
      'Playwright (end to end)',
      ['playwright', 'test', '--reporter=list,json'],
      { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: PLAYWRIGHT_REPORT, PLAYWRIGHT_JSON_OUTPUT_NAME: PLAYWRIGHT_REPORT },
      PLAYWRIGHT_REPORT, readPlaywrightReport,
    ),
  ];

  console.log(`\nScreenshots: ${resolve(SCREENSHOT_DIR)}`);
  for (const check of checks) {
    console.log(`check ${check.name}: ${check.ok ? 'ok' : 'FAILED'}`);
  }
  for (const runner of runners) {
    console.log(`${runner.name}: ${totalsText(runner.totals)} in ${runner.seconds.toFixed(0)} s`);
  }
  const failedChecks: Totals = { passed: 0, failed: checks.filter((check) => !check.ok).length, skipped: 0 };
  const all = [failedChecks, ...runners.map((runner) => runner.totals)];
  console.log(sumLine(all));
  return all.every((totals) => totals.failed === 0) ? 0 : 1;
}

process.exitCode = main();
