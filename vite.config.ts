import { resolve } from 'node:path';
import { defineConfig } from 'vite';

/** Cross-origin isolation: gives SharedArrayBuffer and precise timers to the page and its workers. */
const isolationHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig(({ mode }) => ({
  base: './',
  // Dependencies are named so that the dev server bundles them once at start, not by a reload on first use.
  optimizeDeps: {
    include: [
      'preact', 'preact/hooks', 'preact/jsx-runtime', 'preact/jsx-dev-runtime', '@preact/signals', 'comlink', 'marked',
      'dompurify', 'idb-keyval', '@huggingface/jinja', '@huggingface/tokenizers', 'hash-wasm', 'wesl/core', 'uplot',
    ],
  },
  server: { port: 5173, headers: isolationHeaders },
  preview: { headers: isolationHeaders },
  worker: { format: 'es' as const },
  build: {
    target: 'es2023',
    rolldownOptions: {
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        // Only for the end-to-end tests (`vite build --mode e2e`): the same page on a scripted host.
        ...(mode === 'e2e' ? { scripted: resolve(import.meta.dirname, 'test/e2e/support/scripted.html') } : {}),
      },
    },
  },
}));
