/** Who does the arithmetic of a conversion: this thread, or workers that a host brings. */
import { convertRun, type ConvertedRun, type WeightRun } from '../quant/convert.ts';
import type { WeightFormatName } from '../quant/formats.ts';

export interface ConversionJob {
  readonly run: WeightRun;
  /** Formats to convert to: that of the experts, of the second tier, or both. */
  readonly targets: readonly WeightFormatName[];
}

export interface ExpertConverter {
  /** Threads that convert beside the caller's; 0 where converting happens in the caller's. */
  readonly workerCount: number;
  /**
   * Converts a run, one result a target. The run's bytes are only read.
   * @throws Error with a sentence where the worker failed or the converter was closed
   */
  convert(job: ConversionJob): Promise<readonly ConvertedRun[]>;
  /** Stops all work; conversions that wait reject. */
  close(): void;
}

/** Converts in the caller's thread, one run at a time. */
export function createInThreadConverter(): ExpertConverter {
  return {
    workerCount: 0,
    convert: async ({ run, targets }) => convertRun(run, targets),
    close: () => undefined,
  };
}
