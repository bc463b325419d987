import { defineConfig } from 'vitest/config';

/** One project a kind of test, so that `vitest run --project kernels` runs those alone. */
function project(name: string, include: readonly string[], testTimeout: number, dawn: object = {}) {
  return { test: { name, include: [...include], testTimeout, hookTimeout: testTimeout, ...dawn } };
}

/** What tests on the software adapter need to be quick. */
const DAWN = {
  setupFiles: ['test/support/dawn_polling.ts'],
  // Its shader compiler frees what it has taken after each shader: glibc would give that to the system and take it anew.
  env: { MALLOC_TOP_PAD_: String(64 * 1024 * 1024) },
};

export default defineConfig({
  test: {
    // Processes, not threads: Dawn is a native addon, and its driver path is read from the real environment.
    pool: 'forks',
    // Vitest leaves a core free by default, which on two cores is half of the time.
    maxWorkers: 2,
    projects: [
      project('unit', ['test/unit/**/*.test.ts'], 30_000),
      project('kernels', ['test/kernels/**/*.test.ts'], 180_000, DAWN),
      project('models', ['test/models/**/*.test.ts'], 180_000, DAWN),
    ],
  },
});
