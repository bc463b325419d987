import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../context.ts';
import { approximationsText } from '../lib/approximations.ts';
import { formatCount } from '../lib/format.ts';
import { QUALITY_CONTEXT_BOUNDS } from '../state/quality.ts';
import { QualityResultView } from './quality_result.tsx';

/** Measures how well the open model predicts a text; over the page, since nothing else can use the model meanwhile. */
export function QualityDialog(): JSX.Element {
  const { app } = useApp();
  const { quality, session } = app;
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = quality.shown.value;
  const running = quality.running.value;
  const result = quality.result.value;
  const opened = session.model.value?.info ?? null;
  const approximations = opened === null ? null : approximationsText(opened.approximations.applied);

  useEffect(() => {
    if (shown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [shown]);

  // The page behind takes Escape for itself.
  const keepKeys = (event: KeyboardEvent): void => event.stopPropagation();
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="quality-title" data-testid="quality-dialog" onClose={quality.close} onKeyDown={keepKeys}>
      <div class="sheet-form">
        <header class="sheet-head">
          <h2 id="quality-title">Quality of {opened?.modelName ?? 'the model'}</h2>
          <p class="hint">
            Perplexity tells how well the model predicts a text; lower is better. To see what fewer bits cost, measure one form of
            a model as the baseline, then open another form of it and measure that on the same text.
          </p>
          {approximations !== null && (
            <p class="hint">
              {approximations}. Measured with the FP4 copies that are on the GPU now; here no token is computed again or skips experts.
            </p>
          )}
        </header>
        <div class="sheet-body quality">
          <TextField />
          <ContextField />
          <label class="quality-check">
            <input type="checkbox" data-testid="quality-keep" disabled={running !== null} checked={quality.keepAsBaseline.value}
              onChange={(event) => { quality.keepAsBaseline.value = event.currentTarget.checked; }} />
            Use as the baseline of what is measured later
          </label>
          {running !== null && <RunningBar {...running} />}
          {quality.problem.value !== null && <p class="quality-problem" role="alert" data-testid="quality-problem">{quality.problem.value}</p>}
          <div role="status">{result !== null && <QualityResultView result={result} />}</div>
        </div>
        <footer class="sheet-foot">
          <button type="button" class="button" data-testid="quality-close" onClick={quality.close}>Close</button>
          {/* One button for both, so that the keyboard keeps its place. */}
          <button type="button" class={`button${running === null ? ' primary' : ''}`} data-testid="quality-run"
            onClick={() => { if (running === null) void quality.run(); else quality.stop(); }}>
            {running === null ? 'Measure' : quality.stopping.value ? 'Stopping …' : 'Stop'}
          </button>
        </footer>
      </div>
    </dialog>
  );
}

function TextField(): JSX.Element {
  const { quality } = useApp().app;
  const busy = quality.running.value !== null;
  return (
    <div class="field">
      <div class="field-head">
        <label for="quality-text">Text</label>
        <label class="link quality-file">
          Choose a file
          <input type="file" class="visually-hidden" accept=".txt,.md,text/*" disabled={busy} aria-label="Text file" data-testid="quality-file"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = '';
              if (file !== undefined) void quality.takeFile(file);
            }} />
        </label>
      </div>
      <textarea id="quality-text" rows={6} spellcheck={false} data-testid="quality-text" readOnly={busy} value={quality.text.value}
        placeholder="A text that the model has not been trained on" onInput={(event) => { quality.text.value = event.currentTarget.value; }} />
    </div>
  );
}

function ContextField(): JSX.Element {
  const { quality } = useApp().app;
  const { min, max } = QUALITY_CONTEXT_BOUNDS;
  return (
    <div class="field">
      <div class="field-head">
        <label for="quality-context">Context length</label>
        <input id="quality-context" type="number" class="number wide" {...QUALITY_CONTEXT_BOUNDS} disabled={quality.running.value !== null}
          aria-describedby="quality-context-hint" data-testid="quality-context" value={quality.contextLength.value}
          onChange={(event) => {
            const { valueAsNumber } = event.currentTarget;
            if (Number.isFinite(valueAsNumber)) quality.contextLength.value = Math.min(max, Math.max(min, Math.round(valueAsNumber)));
          }} />
      </div>
      <p class="hint" id="quality-context-hint">The text is run in pieces of so many tokens; every token but the first of each is scored.</p>
    </div>
  );
}

function RunningBar({ done, total }: { readonly done: number; readonly total: number }): JSX.Element {
  const fraction = total === 0 ? 0 : done / total;
  return (
    <div class="quality-running" data-testid="quality-progress">
      <div class="bar" role="progressbar" aria-label="Tokens measured" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * fraction)}>
        <div style={{ transform: `scaleX(${fraction})` }} />
      </div>
      <span>{total === 0 ? 'Reading the text …' : `${formatCount(done)} of ${formatCount(total)} tokens`}</span>
    </div>
  );
}
