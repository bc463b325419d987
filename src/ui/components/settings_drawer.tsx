import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useApp } from '../context.ts';
import { expertPlacementText } from '../lib/expert_placement.ts';
import type { Settings } from '../state/settings.ts';
import { ApproximationSettings } from './approximation_settings.tsx';
import { ChoiceField, NumberField, SliderField } from './fields.tsx';
import { Icon } from './icons.tsx';
import { usePanelFocus } from './panel_focus.ts';

/** System prompt, sampling, context and look. Everything applies to the next answer and is kept. */
export function SettingsDrawer(): JSX.Element {
  const { app } = useApp();
  const { settings, layout, session } = app;
  const open = layout.settingsOpen.value;
  const panel = useRef<HTMLElement>(null);
  usePanelFocus(panel, open);
  const placement = session.placement.value;
  return (
    <aside ref={panel} id="settings" class="settings" aria-label="Settings" inert={!open} data-testid="settings">
      <div class="settings-head">
        <h2>Settings</h2>
        <button type="button" class="icon-button" aria-label="Close settings" data-panel-close onClick={() => { layout.settingsOpen.value = false; }}>
          <Icon name="close" />
        </button>
      </div>
      <section aria-label="System prompt">
        <h3><label for="system-prompt">System prompt</label></h3>
        <textarea id="system-prompt" rows={4} data-testid="system-prompt" placeholder="How should the model behave?"
          value={settings.values.value.systemPrompt} onInput={(event) => settings.update({ systemPrompt: event.currentTarget.value })} />
      </section>
      <section aria-label="Sampling">
        <div class="section-head">
          <h3>Sampling</h3>
          <button type="button" class="link" onClick={settings.resetSampling}>Reset</button>
        </div>
        <SliderField name="temperature" label="Temperature" hint="0 always takes the likeliest token." />
        <SliderField name="topK" label="Top-k" hint="Keep the k likeliest tokens; 0 keeps all." />
        <SliderField name="topP" label="Top-p" hint="Keep the likeliest tokens up to this share; 1 keeps all." />
        <SliderField name="minP" label="Min-p" hint="Drop tokens below this share of the likeliest; 0 keeps all." />
        <SliderField name="repetitionPenalty" label="Repetition penalty" hint="Above 1 avoids what was just said." />
        <NumberField name="seed" label="Seed" optional="random" hint="The same seed gives the same answer." />
        <NumberField name="maxTokens" label="Longest answer" optional="no limit" hint="In tokens." />
      </section>
      <section aria-label="Model">
        <h3>Model</h3>
        <NumberField name="contextLength" label="Context length" optional={null} hint={contextHint(session.model.value?.info.trainedContextLength)} />
        <ChoiceField label="Back end" name="backend" options={{ auto: 'Automatic', webgpu: 'WebGPU', reference: 'Reference (CPU, slow)' }} />
        <ChoiceField label="Experts on the GPU" name="gpuExperts" options={GPU_EXPERT_LABELS} />
        {settings.values.value.gpuExperts === 'gigabytes' && (
          <NumberField name="gpuExpertGigabytes" label="GPU memory for experts" optional={null} hint="In GB." />
        )}
        <NumberField name="ramExpertGigabytes" label="RAM for experts" optional="automatic" hint="In GB, for experts that the GPU doesn’t hold; what is in neither is read from storage when a token needs it." />
        {placement && <p class="hint" role="status" data-testid="expert-placement">{expertPlacementText(placement)}</p>}
      </section>
      <ApproximationSettings />
      {session.needsReopen.value && (
        <button type="button" class="button" data-testid="reopen" disabled={app.conversation.live.value !== null} onClick={() => void session.reopen()}>
          <Icon name="retry" /> {session.movesExperts.value ? 'Move the experts' : 'Open the model again to apply'}
        </button>
      )}
      <section aria-label="Tools">
        <button type="button" class="button" data-testid="quality-open" disabled={app.quality.obstacle.value !== null}
          title={app.quality.obstacle.value ?? undefined} onClick={() => void app.quality.show()}>
          <Icon name="gauge" /> Measure quality
        </button>
        <button type="button" class="button" data-testid="profile-open" onClick={() => { layout.profileOpen.value = true; }}>
          <Icon name="pulse" /> Profile
        </button>
      </section>
      <section aria-label="Look">
        <h3>Look</h3>
        <ChoiceField label="Theme" name="theme" options={{ system: 'As the system', light: 'Light', dark: 'Dark' }} />
      </section>
    </aside>
  );
}

const GPU_EXPERT_LABELS: Readonly<Record<Settings['gpuExperts'], string>> = {
  'auto': 'Automatic', 'all': 'All of them', '75%': '75 %', '50%': '50 %', '25%': '25 %', '10%': '10 %', 'gigabytes': 'In GB…',
};

function contextHint(trained: number | undefined): string {
  const base = 'Tokens that the model can look back on; more takes more memory.';
  return trained === undefined ? base : `${base} This model was trained for ${trained.toLocaleString('en-US')}.`;
}
