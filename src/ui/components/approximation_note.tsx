import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import { approximationsText } from '../lib/approximations.ts';
import { Icon } from './icons.tsx';

/** Above the message box while the open model answers otherwise than its experts are stored: what it does. */
export function ApproximationNote(): JSX.Element | null {
  const opened = useApp().app.session.model.value;
  const text = opened === null ? null : approximationsText(opened.info.approximations.applied);
  if (text === null) return null;
  return <p class="approximation-note" data-testid="approximations"><Icon name="sliders" size={14} /> {text}</p>;
}
