import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { SettingsState, Theme } from './settings.ts';

export interface LayoutState {
  /** Phone width: sidebar and settings lie over the chat instead of beside it. */
  readonly compact: ReadonlySignal<boolean>;
  readonly sidebarOpen: Signal<boolean>;
  /** Settings and profile take the same place: opening one closes the other. */
  readonly settingsOpen: Signal<boolean>;
  readonly profileOpen: Signal<boolean>;
  /** The theme in force, 'system' resolved. */
  readonly theme: ReadonlySignal<'light' | 'dark'>;
}

/** Which panels are open, and the theme (set as data-theme on the document's root). */
export function createLayout(window: Window & typeof globalThis, settings: SettingsState): LayoutState {
  const narrow = window.matchMedia('(max-width: 860px)');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const compact = signal(narrow.matches);
  const systemDark = signal(dark.matches);
  const sidebarOpen = signal(!narrow.matches);
  const settingsOpen = signal(false);
  const profileOpen = signal(false);
  const theme = signal<'light' | 'dark'>('light');
  narrow.addEventListener('change', () => {
    compact.value = narrow.matches;
    sidebarOpen.value = !narrow.matches;
  });
  dark.addEventListener('change', () => {
    systemDark.value = dark.matches;
  });
  effect(() => {
    theme.value = resolve(settings.values.value.theme, systemDark.value);
    window.document.documentElement.dataset.theme = theme.value;
  });
  effect(() => {
    if (settingsOpen.value) profileOpen.value = false;
  });
  effect(() => {
    if (profileOpen.value) settingsOpen.value = false;
  });
  return { compact, sidebarOpen, settingsOpen, profileOpen, theme };
}

function resolve(theme: Theme, systemDark: boolean): 'light' | 'dark' {
  if (theme === 'system') return systemDark ? 'dark' : 'light';
  return theme;
}
