/** Starts the worker that measures; sync access handles and the product's back end live in workers. */
import { reportEnd } from './report.ts';

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'bench' });
// Only what the worker couldn't catch itself, such as a script that doesn't load.
worker.addEventListener('error', (event) => void reportEnd(event.message || 'the worker could not be loaded'));
