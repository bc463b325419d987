import type { JSX } from 'preact';
import type { LayerReport, MatrixReport } from '../../storage/conversion_report.ts';
import { EXPERT_MATRICES, formatBias, formatShare, spreadOf, type Spread } from '../lib/conversion_summary.ts';

/** A row for each layer's gate, up and down matrices; scrolls by itself, with keys too. */
export function ReportTable({ layers, label }: { layers: readonly LayerReport[]; label: string }): JSX.Element {
  return (
    <div class="report-scroll" role="region" aria-label={label} tabIndex={0}>
      <table class="report-table" data-testid="report-table">
        <thead>
          <tr>
            <th scope="col" rowSpan={2} class="layer">Layer</th>
            <th scope="col" rowSpan={2} class="matrix">Matrix</th>
            <th scope="colgroup" colSpan={3}>Relative RMS</th>
            <th scope="colgroup" colSpan={3}>Cosine</th>
            <th scope="col" rowSpan={2}>Sign bias</th>
            <th scope="col" rowSpan={2}>Mean error</th>
          </tr>
          <tr>
            {['rms', 'cosine'].flatMap((group) => ['mean', 'min', 'max'].map((part) => <th key={`${group} ${part}`} scope="col">{part}</th>))}
          </tr>
        </thead>
        {layers.map((layer) => (
          <tbody key={layer.layer}>
            {EXPERT_MATRICES.map((matrix, index) => (
              <tr key={matrix}>
                {index === 0 && <th scope="rowgroup" class="layer" rowSpan={EXPERT_MATRICES.length}>{layer.layer}</th>}
                <th scope="row" class="matrix">{matrix}</th>
                <MatrixCells report={layer[matrix]} />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function MatrixCells({ report }: { report: MatrixReport }): JSX.Element {
  return (
    <>
      <SpreadCells spread={spreadOf(report.relativeRms)} />
      <SpreadCells spread={spreadOf(report.cosine)} />
      <td class="group">{formatBias(report.signBias)}</td>
      <td>{formatBias(report.meanError)}</td>
    </>
  );
}

function SpreadCells({ spread }: { spread: Spread }): JSX.Element {
  return (
    <>
      <td class="group">{formatShare(spread.mean)}</td>
      <td class="soft">{formatShare(spread.min)}</td>
      <td class="soft">{formatShare(spread.max)}</td>
    </>
  );
}
