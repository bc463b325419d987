import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { ImportChoice, ImportPreview } from '../../hosts/api.ts';
import { useApp } from '../context.ts';
import { choiceWords } from '../lib/conversions.ts';
import { formatBytes } from '../lib/format.ts';
import { fitNotes, type FitNote } from '../state/import_fit.ts';
import { Icon } from './icons.tsx';

const PRESENT_TAGS = { ready: 'In your library', partial: 'Resume' } as const;

/** One way to store a model's experts: what it is, how large, and whether this browser has room for it. */
export function ImportChoiceOption({ choice, preview }: { choice: ImportChoice; preview: ImportPreview }): JSX.Element {
  const { app } = useApp();
  const id = useId();
  const { selected } = app.importFlow;
  const { conversion, refusal, present } = choice;
  const { title, note } = choiceWords(conversion, preview.expertFormats);
  return (
    <label class={`import-choice${refusal === null ? '' : ' refused'}`}>
      <input type="radio" name="conversion" value={conversion} checked={selected.value === conversion} disabled={refusal !== null}
        aria-labelledby={`${id}-title`} aria-describedby={`${id}-details`} data-testid={`import-choice-${conversion.replace('+', '-')}`}
        onChange={() => { selected.value = conversion; }} />
      <span class="import-choice-text">
        <span class="import-choice-head" id={`${id}-title`}>
          <span class="import-choice-title">{title}</span>
          {present !== null && <span class="tag">{PRESENT_TAGS[present]}</span>}
        </span>
        <span class="import-choice-details" id={`${id}-details`}>
          {refusal === null ? (
            <>
              <span>{note}</span>
              <span class="import-sizes">{sizesOf(choice)}</span>
              {fitNotes(choice, preview).map((fit) => <FitLine key={fit.text} fit={fit} />)}
            </>
          ) : <span>Not possible: {refusal}</span>}
        </span>
      </span>
    </label>
  );
}

const FIT_ICONS = { ok: 'check', warn: 'alert', info: 'info' } as const;
/** What the icon says to those who don't see it. */
const FIT_WORDS = { ok: 'Fits. ', warn: 'Warning. ', info: '' } as const;

function FitLine({ fit }: { fit: FitNote }): JSX.Element {
  return (
    <span class={`fit ${fit.kind}`}>
      <Icon name={FIT_ICONS[fit.kind]} size={15} />
      <span><span class="visually-hidden">{FIT_WORDS[fit.kind]}</span>{fit.text}</span>
    </span>
  );
}

/** '2.25 bits a weight · 8.2 GB of experts · 11.2 GB in all'; no line begins with a dot. */
function sizesOf({ expertBitsPerWeight, expertByteLength, storageByteLength }: ImportChoice): string {
  return [
    `${Number(expertBitsPerWeight.toFixed(2))} bits a weight`, `${formatBytes(expertByteLength)} of experts`, `${formatBytes(storageByteLength)} in all`,
  ].join('\u00a0· ');
}
