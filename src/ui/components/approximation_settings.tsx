import type { JSX } from 'preact';
import { useApp } from '../context.ts';
import type { Settings } from '../state/settings.ts';
import { ChoiceField, NumberField, SliderField, SwitchField } from './fields.tsx';

const COPIES_LABELS: Readonly<Record<Settings['fp4Copies'], string>> = {
  'off': 'Off', '5%': '5 % of experts', '10%': '10 % of experts', '20%': '20 % of experts',
};

/** What may change a model's answers, each off unless it is chosen, with what it costs. */
export function ApproximationSettings(): JSX.Element {
  const { settings, session } = useApp().app;
  const { fp4Copies, unsureAgain } = settings.values.value;
  const ignored = session.model.value?.info.approximations.ignored ?? null;
  return (
    <section aria-label="Approximations">
      <h3>Approximations</h3>
      <p class="hint">Off, a model answers exactly as its experts are stored. These trade that for quality or speed; the chat says when one is on.</p>
      <ChoiceField label="FP4 copies" name="fp4Copies" options={COPIES_LABELS}
        hint="The most used experts run from 4-bit copies instead of 2 bits: better answers, for the copies’ GPU memory. Needs a model imported with an FP4 tier." />
      {fp4Copies !== 'off' && (
        <SwitchField name="unsureAgain" label="Compute unsure tokens again"
          hint="With 4-bit copies of all their experts, as far as there is room: better where the model hesitates, at about twice the time for such a token." />
      )}
      {fp4Copies !== 'off' && unsureAgain && (
        <SliderField name="unsurePercent" label="Unsure up to, in %" hint="A token counts as unsure when its likeliest choice is no more probable than this." />
      )}
      <NumberField name="missTolerance" label="Experts a token may skip" optional={null}
        hint="With up to this many experts missing, a token goes on without them instead of waiting: faster, but worse answers. Only where not all experts fit on the GPU; 0 waits for all." />
      {ignored !== null && <p class="hint ignored" role="status" data-testid="approximations-ignored">{ignored}</p>}
    </section>
  );
}
