/** Keeps a long computation from starving its thread: messages such as "stop" are let in between slices of work. */

export interface BreatherOptions {
  /** Milliseconds of work between pauses. */
  readonly sliceMs: number;
  readonly now: () => number;
  /** Resolves after waiting events have run. */
  readonly yieldToHost: () => Promise<void>;
}

export class Breather {
  readonly #options: BreatherOptions;
  #sliceStart: number;

  constructor(options: BreatherOptions) {
    this.#options = options;
    this.#sliceStart = options.now();
  }

  /** Whether it is time to `await pause()`. Split from pause() so that the common case costs no promise. */
  get due(): boolean {
    return this.#options.now() - this.#sliceStart >= this.#options.sliceMs;
  }

  async pause(): Promise<void> {
    await this.#options.yieldToHost();
    this.#sliceStart = this.#options.now();
  }
}
