/** Messages between the pool of conversion workers and one of them. Buffers are transferred, not copied. */
import type { ConvertedRun } from '../quant/convert.ts';
import type { ConversionJob } from '../storage/expert_converter.ts';

export interface ConvertRequest {
  readonly id: number;
  readonly job: ConversionJob;
}

export type ConvertReply =
  /** Sent once, when the worker's script runs. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly id: number; readonly results: readonly ConvertedRun[] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };
