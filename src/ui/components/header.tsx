import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { ContextMeter } from './context_meter.tsx';
import { Icon } from './icons.tsx';

/** Which model runs on what, how full its context is, and the way to the panels. */
export function Header(): JSX.Element {
  const { app } = useApp();
  const { layout, settings, session, environment } = app;
  const opened = session.model.value;
  const backend = opened?.info.backend ?? environment.value?.backend ?? null;
  const dark = layout.theme.value === 'dark';
  return (
    <header class="header">
      <button type="button" class="icon-button" aria-label="Chats and models" aria-expanded={layout.sidebarOpen.value}
        aria-controls="sidebar" data-testid="sidebar-toggle" onClick={() => { layout.sidebarOpen.value = !layout.sidebarOpen.peek(); }}>
        <Icon name="menu" />
      </button>
      <div class="header-title">
        <h1 data-testid="model-name">{opened?.info.modelName ?? 'No model open'}</h1>
        {backend !== null && (
          <p class={`backend${backend.fallbackReason === null && backend.kind !== 'reference' ? '' : ' slow'}`} data-testid="backend-label" title={backend.features.join(', ')}>
            <span class="dot" aria-hidden="true" />
            <span>{backend.label.includes(backend.adapter) ? backend.label : `${backend.label} · ${backend.adapter}`}</span>
          </p>
        )}
      </div>
      <ContextMeter />
      <button type="button" class="icon-button" aria-label={dark ? 'Use the light theme' : 'Use the dark theme'}
        data-testid="theme-toggle" onClick={() => settings.update({ theme: dark ? 'light' : 'dark' })}>
        <Icon name={dark ? 'sun' : 'moon'} />
      </button>
      <button type="button" class="icon-button profile-toggle" aria-label="Profile" aria-expanded={layout.profileOpen.value}
        aria-controls="profile" data-testid="profile-toggle" onClick={() => { layout.profileOpen.value = !layout.profileOpen.peek(); }}>
        <Icon name="pulse" />
      </button>
      <button type="button" class="icon-button" aria-label="Settings" aria-expanded={layout.settingsOpen.value}
        aria-controls="settings" data-testid="settings-toggle" onClick={() => { layout.settingsOpen.value = !layout.settingsOpen.peek(); }}>
        <Icon name="sliders" />
      </button>
    </header>
  );
}
