import { spawnSync } from 'node:child_process';

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
}

const CHECKS: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'types', args: ['tsc', '--noEmit', '-p', '.'] },
  { name: 'lint', args: ['oxlint', '--quiet'] },
  { name: 'dependency direction', args: ['depcruise', 'src', '--config', '.dependency-cruiser.cjs'] },
];

/** Runs every static check with its output on this terminal, in order, also after one failed. */
export function runChecks(): CheckResult[] {
  return CHECKS.map(({ name, args }) => {
    const run = spawnSync('npx', ['--no-install', ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    return { name, ok: run.status === 0 };
  });
}
