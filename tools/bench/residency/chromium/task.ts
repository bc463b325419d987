/** What the page is asked to measure: JSON, served to it as task.json. */
import type { SweepOptions } from '../sweep_options.ts';

export type Measurement =
  | { readonly kind: 'sweep'; readonly options: SweepOptions }
  | { readonly kind: 'uploads' }
  | { readonly kind: 'reads'; readonly fileByteLength: number };

export interface BrowserTask {
  readonly measurement: Measurement;
  /** Fail on a software adapter: its figures would be taken for a graphics card's. */
  readonly hardware: boolean;
}
