/** Whether a one-token step is submitted whole or stepwise: speed only, the answer is the same. */
import type { StepMode } from '../residency.ts';

/** What the latest stepwise token counts for in the moving average. */
const LATEST_SHARE = 1 / 8;
/**
 * Resumes a stepwise token, by pieces of the step, above which whole is faster. A miss wastes half a step where it was
 * submitted whole, and some one and a half of its pieces where stepwise; but only a whole step tells what all later layers
 * lack, so that they wait once together. Measured on an H200 in 8 pieces (`npm run bench:residency -- --zipf 0.8,1.2,2
 * --pools 100,25 --step-mode whole,stepwise`): with 2.0 resumes stepwise is a fifth faster, with 3.9 a tenth slower.
 */
const STEPWISE_UP_TO_PER_PIECE = 3 / 8;
/** One token in so many goes stepwise all the same, to see whether that would be faster by now. */
const PROBE_EVERY_STEPS = 32;

export class StepPace {
  readonly #mode: StepMode;
  /** Of stepwise tokens; null before the first. */
  #resumes: number | null = null;
  #sinceStepwise = 0;

  constructor(mode: StepMode) {
    this.#mode = mode;
  }

  /** @param pieceCount of the step */
  isStepwise(pieceCount: number): boolean {
    if (this.#mode !== 'adaptive') return this.#mode === 'stepwise';
    return this.#resumes === null || this.#resumes <= STEPWISE_UP_TO_PER_PIECE * pieceCount || this.#sinceStepwise >= PROBE_EVERY_STEPS;
  }

  /** @param resumes layers that the step waited for */
  stepped(isStepwise: boolean, resumes: number): void {
    this.#sinceStepwise = isStepwise ? 0 : this.#sinceStepwise + 1;
    if (!isStepwise) return;
    this.#resumes ??= resumes;
    this.#resumes += LATEST_SHARE * (resumes - this.#resumes);
  }
}
