/** Whether a one-token step is submitted whole or stepwise: speed only, the answer is the same. */
import type { StepMode } from '../residency.ts';

/** What the latest token counts for in the moving average: what was 16 tokens ago counts a third of it. */
const LATEST_SHARE = 1 / 16;
/**
 * Layers that lack an expert, a token, between which stepwise is faster. A miss wastes half a step where it was submitted
 * whole, and some one and a half of its eight pieces where stepwise; but only a whole step tells what all later layers
 * lack, so that they wait once together. With 1.5 / 8 · n = 1 / 2 that breaks even near n = 2.5. With hardly any misses
 * there is little to save, and a whole step never waits for its readbacks.
 */
const STEPWISE_FROM = 0.3;
const STEPWISE_UP_TO = 2.5;

export class StepPace {
  readonly #mode: StepMode;
  /** Null before the first step. */
  #lackingLayers: number | null = null;

  constructor(mode: StepMode) {
    this.#mode = mode;
  }

  get isStepwise(): boolean {
    if (this.#mode !== 'adaptive') return this.#mode === 'stepwise';
    return this.#lackingLayers !== null && this.#lackingLayers >= STEPWISE_FROM && this.#lackingLayers <= STEPWISE_UP_TO;
  }

  /** @param lackingLayers how many layers of the step lacked an expert when first heard of, by the guess too */
  stepped(lackingLayers: number): void {
    this.#lackingLayers ??= lackingLayers;
    this.#lackingLayers += LATEST_SHARE * (lackingLayers - this.#lackingLayers);
  }
}
