import { describe, expect, it } from 'vitest';
import type { ModelSummary } from '../../../src/hosts/api.ts';
import type { ConversionReport, LayerReport, MatrixReport } from '../../../src/storage/conversion_report.ts';
import { formatBias, formatShare, reportCsv, spreadOf, summaryOf, worstExperts } from '../../../src/ui/lib/conversion_summary.ts';
import { formatNames } from '../../../src/ui/lib/conversions.ts';
import { createNotices } from '../../../src/ui/state/notices.ts';
import { createReportView } from '../../../src/ui/state/report_view.ts';

function matrix(relativeRms: readonly number[], signBias = 0, meanError = 0): MatrixReport {
  return { from: 'BF16', to: 'W2', relativeRms, cosine: relativeRms.map((value) => 1 - value), signBias, meanError };
}

const LAYERS: readonly LayerReport[] = [
  { layer: 0, gate: matrix([0.25, 0.5], 0.25, -0.5), up: matrix([0.125, 0.125]), down: matrix([0.25, 0.25]) },
  { layer: 3, gate: matrix([0.25, 0.25]), up: matrix([0.75, NaN], 0.5), down: matrix([0, 0.25]) },
];
const REPORT: ConversionReport = { formatVersion: 1, conversion: 'w2', layers: LAYERS, tierLayers: null };

describe('a conversion report in a few numbers', () => {
  it('means, smallest and largest, of what is finite', () => {
    expect(spreadOf([0.25, 0.75, Infinity])).toEqual({ mean: 0.5, min: 0.25, max: 0.75 });
    expect(spreadOf([NaN])).toEqual({ mean: NaN, min: NaN, max: NaN });
    const summary = summaryOf(LAYERS);
    expect(summary).toMatchObject({ matrixCount: 12, signBias: 0.125, relativeRms: { min: 0, max: 0.75 }, cosine: { min: 0.25, max: 1 } });
    expect(summary.relativeRms.mean).toBeCloseTo(3 / 11, 12);
    expect(summary.meanError).toBeCloseTo(-0.5 / 6, 12);
  });

  it('worst experts first; one without a number is worst', () => {
    expect(worstExperts(LAYERS, 3).map(({ layer, matrix: name, expert }) => `${layer} ${name} ${expert}`)).toEqual(['3 up 1', '3 up 0', '0 gate 1']);
  });

  it('numbers as the table shows them', () => {
    expect([0.36149, 1, NaN].map((value) => formatShare(value))).toEqual(['0.361', '1.000', '–']);
    expect([0.0002, -0.00123, 0, -0.00001, Infinity].map(formatBias)).toEqual(['+0.0002', '−0.0012', '0.0000', '0.0000', '–']);
    expect(formatNames(['Q4_K', 'Q6_K', 'F32'])).toBe('Q4_K, Q6_K +1');
  });
});

describe('a report as a file', () => {
  it('has a line for each expert’s matrix, of both tiers', () => {
    const lines = reportCsv({ ...REPORT, tierLayers: [LAYERS[0]] }).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 12 + 6);
    expect(lines[1]).toBe('default,0,gate,0,BF16,W2,0.25,0.75,0.25,-0.5');
    expect(lines[10]).toBe('default,3,up,1,BF16,W2,NaN,NaN,0.5,0');
    expect(lines[13]).toBe('second,0,gate,0,BF16,W2,0.25,0.75,0.25,-0.5');
  });

  function view(report: ConversionReport | null) {
    const saved: [string, Blob][] = [];
    const notices = createNotices();
    const host = { conversionReport: async () => report };
    return { saved, notices, reportView: createReportView({ host, notices, download: async (name, blob) => void saved.push([name, blob]) }) };
  }
  const MODEL = { id: 'm', name: '../A model: 30B' } as ModelSummary;

  it('is saved under the model’s name', async () => {
    const { reportView, saved } = view(REPORT);
    await reportView.open(MODEL);
    await reportView.save('csv');
    await reportView.save('json');
    expect(saved.map(([name]) => name)).toEqual(['A-model-30B-conversion.csv', 'A-model-30B-conversion.json']);
    expect(await saved[0][1].text()).toBe(reportCsv(REPORT));
    expect(JSON.parse(await saved[1][1].text())).toMatchObject({ conversion: 'w2', layers: [{ layer: 0 }, { layer: 3 }] });
  });

  it('that is missing is told', async () => {
    const { reportView, notices } = view(null);
    await reportView.open(MODEL);
    expect(reportView.shown.value).toBeNull();
    expect(notices.list.value[0].text).toBe('The conversion report of ../A model: 30B could not be read: none is stored with it.');
  });
});
