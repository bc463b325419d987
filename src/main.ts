/** The page: the UI on top of the worker host. */
import { connectBrowserWorker } from './hosts/browser_client.ts';
import { mountApp } from './ui/mount.tsx';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app.');
const worker = connectBrowserWorker();
const app = mountApp(root, worker.host, import.meta.env.BASE_URL);
void worker.failed.then((sentence) => app.notices.show({ kind: 'error', text: sentence, hint: 'Reload the page.' }));
if (import.meta.env.DEV) {
  void import('./ui/dev_console.ts').then(({ createDevConsole }) => Object.assign(window, { hotset: createDevConsole(worker.host) }));
}
