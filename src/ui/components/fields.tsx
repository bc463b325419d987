import type { JSX, TargetedEvent } from 'preact';
import { useId } from 'preact/hooks';
import { useApp } from '../context.ts';
import { SETTING_BOUNDS, type NumericSetting, type Settings } from '../state/settings.ts';

type ChoiceSetting = 'backend' | 'gpuExperts' | 'fp4Copies' | 'theme';

interface FieldProps {
  readonly name: NumericSetting;
  readonly label: string;
  readonly hint: string;
}

/** A slider with its number, for settings with a bounded range. */
export function SliderField({ name, label, hint }: FieldProps): JSX.Element {
  const { app } = useApp();
  const id = useId();
  const bounds = SETTING_BOUNDS[name];
  const value = app.settings.values.value[name] ?? bounds.min;
  const change = (event: TargetedEvent<HTMLInputElement>): void => setNumber(app.settings.update, name, event.currentTarget.valueAsNumber);
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        <input type="number" class="number" value={value} {...bounds} aria-label={`${label}, as a number`} data-testid={`setting-${name}`} onChange={change} />
      </div>
      <input id={id} type="range" value={value} {...bounds} aria-describedby={`${id}-hint`} onInput={change} />
      <p class="hint" id={`${id}-hint`}>{hint}</p>
    </div>
  );
}

/** A number that may be left empty where `optional`. */
export function NumberField({ name, label, hint, optional }: FieldProps & { readonly optional: string | null }): JSX.Element {
  const { app } = useApp();
  const id = useId();
  const value = app.settings.values.value[name];
  const change = (event: TargetedEvent<HTMLInputElement>): void => {
    const { value: text, valueAsNumber } = event.currentTarget;
    if (text === '' && optional !== null) app.settings.update({ [name]: null });
    else setNumber(app.settings.update, name, valueAsNumber);
  };
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        <input id={id} type="number" class="number wide" value={value ?? ''} {...SETTING_BOUNDS[name]} placeholder={optional ?? undefined}
          aria-describedby={`${id}-hint`} data-testid={`setting-${name}`} onChange={change} />
      </div>
      <p class="hint" id={`${id}-hint`}>{hint}</p>
    </div>
  );
}

interface ChoiceProps<Name extends ChoiceSetting> {
  readonly label: string;
  readonly name: Name;
  readonly options: Readonly<Record<Settings[Name], string>>;
  readonly hint?: string;
}

/** One of a few. */
export function ChoiceField<Name extends ChoiceSetting>({ label, name, options, hint }: ChoiceProps<Name>): JSX.Element {
  const { app } = useApp();
  const id = useId();
  const entries = Object.entries(options) as [Settings[Name], string][];
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        <select id={id} data-testid={`setting-${name}`} value={app.settings.values.value[name]} aria-describedby={hint && `${id}-hint`}
          onChange={(event) => app.settings.update({ [name]: event.currentTarget.value as Settings[Name] })}>
          {entries.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
      </div>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

/** On or off. */
export function SwitchField({ name, label, hint }: { readonly name: 'unsureAgain'; readonly label: string; readonly hint: string }): JSX.Element {
  const { app } = useApp();
  const id = useId();
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        <input id={id} type="checkbox" checked={app.settings.values.value[name]} aria-describedby={`${id}-hint`} data-testid={`setting-${name}`}
          onChange={(event) => app.settings.update({ [name]: event.currentTarget.checked })} />
      </div>
      <p class="hint" id={`${id}-hint`}>{hint}</p>
    </div>
  );
}

function setNumber(update: (change: Partial<Settings>) => void, name: NumericSetting, value: number): void {
  if (Number.isFinite(value)) update({ [name]: value });
}
