/** `npm run check`: types, lint, dependency direction. Runs all three and fails if any does. */
import { runChecks } from './checks.ts';

const results = runChecks();
for (const result of results) {
  console.log(`${result.name}: ${result.ok ? 'ok' : 'failed'}`);
}
process.exitCode = results.every((result) => result.ok) ? 0 : 1;
