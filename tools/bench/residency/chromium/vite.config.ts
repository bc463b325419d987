import { defineConfig } from 'vite';

/** The benchmark's page, built apart from the product's. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  logLevel: 'warn',
  worker: { format: 'es' },
  build: { target: 'es2023', emptyOutDir: true, rolldownOptions: { checks: { pluginTimings: false } } },
});
