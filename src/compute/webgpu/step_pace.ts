/** Whether a one-token step is submitted whole or stepwise: speed only, the answer is the same. */
import type { StepMode } from '../residency.ts';

/** What the latest stepwise token counts for in the moving average. */
const LATEST_SHARE = 1 / 4;
/**
 * Resumes a stepwise token, by pieces of the step, above which whole is faster. A miss wastes half a step where it was
 * submitted whole, and some one and a half of its pieces where stepwise; but only a whole step tells what all later layers
 * lack, so that they wait once together. Measured on an H200 in 8 pieces (`npm run bench:residency -- --zipf 0.8,1.2,2
 * --pools 100,25 --step-mode whole,stepwise`): with 2.0 resumes stepwise is a fifth faster, with 3.9 a tenth slower.
 */
const STEPWISE_UP_TO_PER_PIECE = 3 / 8;
/**
 * After so many whole tokens a few go stepwise all the same, to see whether that would be faster by now: the first tokens
 * after a start miss more than those that follow.
 */
const WHOLE_STEPS = 24;
const PROBE_STEPS = 4;

export class StepPace {
  readonly #mode: StepMode;
  /** Of stepwise tokens; null before the first. */
  #resumes: number | null = null;
  /** Whole tokens since the last probe, and stepwise ones since it began. */
  #whole = 0;
  #probed = 0;

  constructor(mode: StepMode) {
    this.#mode = mode;
  }

  /** @param pieceCount of the step */
  isStepwise(pieceCount: number): boolean {
    if (this.#mode !== 'adaptive') return this.#mode === 'stepwise';
    if (this.#resumes === null || this.#resumes <= STEPWISE_UP_TO_PER_PIECE * pieceCount) return true;
    return this.#probed < PROBE_STEPS || this.#whole >= WHOLE_STEPS;
  }

  /** @param resumes layers that the step waited for */
  stepped(isStepwise: boolean, resumes: number): void {
    if (!isStepwise) {
      this.#whole += 1;
      return;
    }
    if (this.#whole > 0) this.#probed = 0;
    this.#whole = 0;
    this.#probed += 1;
    this.#resumes ??= resumes;
    this.#resumes += LATEST_SHARE * (resumes - this.#resumes);
  }
}
