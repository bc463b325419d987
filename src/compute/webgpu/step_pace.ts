/** Whether a one-token step is submitted whole or stepwise: speed only, the answer is the same. */
import type { StepMode } from '../residency.ts';

/** What the latest token counts for in the moving average: what was 16 tokens ago counts a third of it. */
const LATEST_SHARE = 1 / 16;
/** Layers that lack an expert, a token, below which there is little to save: a whole step never waits for its readbacks. */
const STEPWISE_FROM = 0.3;
/**
 * The same by pieces of the step, above which whole is faster. A miss wastes half a step where it was submitted whole, and
 * some one and a half of its p pieces where stepwise; but only a whole step tells what all later layers lack, so that they
 * wait once together. For n such layers n · 1.5 / p = 1 / 2 breaks even.
 */
const STEPWISE_UP_TO_PER_PIECE = 1 / 3;

export class StepPace {
  readonly #mode: StepMode;
  /** Null before the first step. */
  #lackingLayers: number | null = null;

  constructor(mode: StepMode) {
    this.#mode = mode;
  }

  /** @param pieceCount of the step */
  isStepwise(pieceCount: number): boolean {
    if (this.#mode !== 'adaptive') return this.#mode === 'stepwise';
    const lacking = this.#lackingLayers;
    return lacking !== null && lacking >= STEPWISE_FROM && lacking <= STEPWISE_UP_TO_PER_PIECE * pieceCount;
  }

  /** @param lackingLayers how many layers of the step lacked an expert when first heard of, by the guess too */
  stepped(lackingLayers: number): void {
    this.#lackingLayers ??= lackingLayers;
    this.#lackingLayers += LATEST_SHARE * (lackingLayers - this.#lackingLayers);
  }
}
