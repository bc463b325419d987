import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { LayerReport } from '../../storage/conversion_report.ts';
import { useApp } from '../context.ts';
import { formatBias, formatShare, summaryOf, worstExperts } from '../lib/conversion_summary.ts';
import { CONVERSION_NAMES } from '../lib/conversions.ts';
import { formatCount } from '../lib/format.ts';
import type { ShownReport } from '../state/report_view.ts';
import { Icon } from './icons.tsx';
import { ReportTable } from './report_table.tsx';

const WORST_SHOWN = 5;

/** What a model's conversion lost, measured while it was imported. */
export function ReportDialog(): JSX.Element {
  const { app } = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const shown = app.reportView.shown.value;

  // Before anyone looks where the focus of the removed content has gone: under an open dialog nothing can take it.
  useLayoutEffect(() => {
    if (shown === null) dialog.current?.close();
    else dialog.current?.showModal();
  }, [shown]);

  return (
    <dialog ref={dialog} class="sheet report" aria-labelledby="report-title" data-testid="report-dialog" onClose={app.reportView.close}>
      {shown !== null && <ReportContent shown={shown} />}
    </dialog>
  );
}

function ReportContent({ shown: { modelName, report } }: { shown: ShownReport }): JSX.Element {
  const { app } = useApp();
  const save = (kind: 'csv' | 'json') => () => void app.reportView.save(kind);
  return (
    <div class="sheet-form">
      <header class="sheet-head">
        <h2 id="report-title">Conversion report: {modelName}</h2>
        <p class="hint">{CONVERSION_NAMES[report.conversion]}, measured against the original weights while importing.</p>
      </header>
      <div class="sheet-body">
        <TierSection title={report.tierLayers === null ? null : 'Experts that run'} layers={report.layers} />
        {report.tierLayers !== null && <TierSection title="4-bit copies for the precision tier (not used yet)" layers={report.tierLayers} />}
        <p class="hint">
          Relative RMS: size of the error over size of the weights; 0 is exact. Cosine: direction; 1 is exact. Sign bias: by how
          much weights lean towards plus (+) or minus (−) after the conversion. Mean error: what remains of the error when it is
          averaged, over the size of the weights. Each row covers all experts of a layer.
        </p>
      </div>
      <footer class="sheet-foot">
        <button type="button" class="button" data-testid="report-csv" onClick={save('csv')}><Icon name="download" size={16} /> CSV</button>
        <button type="button" class="button" data-testid="report-json" onClick={save('json')}><Icon name="download" size={16} /> JSON</button>
        <button type="button" class="button primary" data-testid="report-close" onClick={app.reportView.close}>Close</button>
      </footer>
    </div>
  );
}

function TierSection({ title, layers }: { title: string | null; layers: readonly LayerReport[] }): JSX.Element {
  const { relativeRms, cosine, signBias, meanError, matrixCount } = summaryOf(layers);
  return (
    <section class="report-tier" aria-label={title ?? 'Experts'}>
      {title !== null && <h3>{title}</h3>}
      <p class="report-summary" data-testid="report-summary">
        Relative RMS <strong>{formatShare(relativeRms.mean, 2)}</strong>, cosine <strong>{formatShare(cosine.mean, 2)}</strong>, sign
        bias <strong>{formatBias(signBias)}</strong>, mean error <strong>{formatBias(meanError)}</strong> over {formatCount(matrixCount)} matrices
      </p>
      <ReportTable layers={layers} label={title ?? 'Errors by layer and matrix'} />
      <h4>Largest errors</h4>
      <ol class="report-worst">
        {worstExperts(layers, WORST_SHOWN).map(({ layer, matrix, expert, ...error }) => (
          <li key={`${layer} ${matrix} ${expert}`}>
            Layer {layer}, expert {expert}, {matrix}: relative RMS {formatShare(error.relativeRms)}, cosine {formatShare(error.cosine)}
          </li>
        ))}
      </ol>
    </section>
  );
}
