import { spawnSync } from 'node:child_process';
import { checkDependencies } from './check_dependencies.ts';

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
}

function program(...args: string[]): boolean {
  return spawnSync('npx', ['--no-install', ...args], { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}

function dependencyDirection(): boolean {
  const found = checkDependencies();
  found.forEach((sentence) => console.error(sentence));
  return found.length === 0;
}

const CHECKS: readonly { readonly name: string; readonly run: () => boolean }[] = [
  { name: 'types', run: () => program('tsc', '--noEmit', '-p', '.') },
  { name: 'lint', run: () => program('oxlint', '--quiet') },
  { name: 'dependency direction', run: dependencyDirection },
];

/** Runs every static check with its output on this terminal, in order, also after one failed. */
export function runChecks(): CheckResult[] {
  return CHECKS.map(({ name, run }) => ({ name, ok: run() }));
}
