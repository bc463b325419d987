import { render } from 'preact';
import type { HostApi } from '../hosts/api.ts';
import { App } from './components/app.tsx';
import { AppContext } from './context.ts';
import { createMarkdownRenderer } from './lib/markdown.ts';
import { createAppState, type AppState } from './state/app_state.ts';
import { createIdbChatStore } from './state/chat_store.ts';
import { createPreferenceStore } from './state/preferences.ts';
import { createTabChannel } from './state/tab_news.ts';
import './styles/index.css';

/** Puts the page on `root`, on top of a host. `base` is where the site's files are, ending in '/'. */
export function mountApp(root: HTMLElement, host: HostApi, base: string): AppState {
  const app = createAppState({
    host,
    base,
    window,
    chatStore: createIdbChatStore(),
    preferences: createPreferenceStore('hotset.', () => window.localStorage),
    tabs: createTabChannel('hotset'),
    download,
  });
  render(<AppContext.Provider value={{ app, markdown: createMarkdownRenderer(window) }}><App /></AppContext.Provider>, root);
  void app.start();
  return app;
}

/** Between downloads of one export: browsers drop all but the last of several that start at once. */
const DOWNLOAD_GAP_MILLIS = 400;

async function download(name: string, blob: Blob): Promise<void> {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  await new Promise((done) => setTimeout(done, DOWNLOAD_GAP_MILLIS));
  // The download has its own hold on the blob once it has started; a minute is plenty.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
