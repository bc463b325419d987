import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { MarkdownRenderer } from './lib/markdown.ts';
import type { AppState } from './state/app_state.ts';

export interface AppContextValue {
  readonly app: AppState;
  readonly markdown: MarkdownRenderer;
}

export const AppContext = createContext<AppContextValue | null>(null);

/** @throws Error outside of the page's AppContext. */
export function useApp(): AppContextValue {
  const value = useContext(AppContext);
  if (value === null) throw new Error('This component is outside of AppContext.');
  return value;
}
