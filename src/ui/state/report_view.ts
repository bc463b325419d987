import { signal, type ReadonlySignal } from '@preact/signals';
import type { HostApi, ModelSummary } from '../../hosts/api.ts';
import type { ConversionReport } from '../../storage/conversion_report.ts';
import { reportCsv } from '../lib/conversion_summary.ts';
import { sentenceOf, type NoticeState } from './notices.ts';

export interface ShownReport {
  readonly modelName: string;
  readonly report: ConversionReport;
}

/** The conversion report that is looked at. */
export interface ReportView {
  readonly shown: ReadonlySignal<ShownReport | null>;
  open(model: ModelSummary): Promise<void>;
  close(): void;
  /** Hands the shown report to the browser's downloads. */
  save(kind: 'csv' | 'json'): Promise<void>;
}

export interface ReportServices {
  readonly host: Pick<HostApi, 'conversionReport'>;
  readonly notices: NoticeState;
  readonly download: (name: string, blob: Blob) => Promise<void>;
}

export function createReportView({ host, notices, download }: ReportServices): ReportView {
  const shown = signal<ShownReport | null>(null);
  return {
    shown,
    async open({ id, name }) {
      try {
        const report = await host.conversionReport(id);
        if (report === null) throw new Error('none is stored with it');
        shown.value = { modelName: name, report };
      } catch (error) {
        notices.show({ kind: 'error', text: `The conversion report of ${name} could not be read: ${sentenceOf(error)}` });
      }
    },
    close() {
      shown.value = null;
    },
    async save(kind) {
      const current = shown.peek();
      if (current === null) return;
      const [text, type] = kind === 'csv'
        ? [reportCsv(current.report), 'text/csv']
        : [JSON.stringify(current.report, null, 2), 'application/json'];
      await download(`${fileStem(current.modelName)}-conversion.${kind}`, new Blob([text], { type }));
    },
  };
}

/** A name that every file system takes. */
function fileStem(name: string): string {
  const stem = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, '');
  return stem === '' ? 'model' : stem;
}
