/**
 * One conversation's KV cache and what lies in it. A prompt that begins as the cached tokens do is only run from
 * where it differs; prefill goes in chunks and decode token by token, with a look at the stop signal between steps.
 */
import type { LoadedModel, SamplingParams, Sequence, StepOutput } from '../compute/ops.ts';
import { MAX_PENALTY_TOKENS } from '../compute/ops.ts';
import type { StopReason } from './types.ts';

export interface DecodeRequest {
  readonly prompt: readonly number[];
  readonly sampling: SamplingParams;
  /** null: until an end token or a full context. */
  readonly maxTokens: number | null;
  readonly endTokens: ReadonlySet<number>;
  readonly signal: AbortSignal;
  /** Tokens of the prompt done and to do, those found in the cache left out; of the whole cache where it is made again. */
  readonly onPrefill: (done: number, total: number, reused: number) => void;
  /** Called with each token but the end token. */
  readonly onToken: (token: number) => void;
}

export interface DecodeResult {
  readonly tokens: readonly number[];
  readonly stopReason: StopReason;
  readonly reusedTokens: number;
  /** Steps that ran after the one which gave the first token. */
  readonly decodeSteps: number;
}

/**
 * Asked for a model in the place of one of which a step failed.
 * @throws the error, where there is nothing to be done
 */
export type Recover = (error: unknown) => Promise<LoadedModel>;

export class Session {
  #model: LoadedModel;
  #sequence: Sequence;
  readonly #recover: Recover;
  /** Tokens whose keys and values the cache holds: as many as sequence.length. */
  #cached: number[] = [];
  /** Tokens of each step that filled the cache, in order. */
  #stepLengths: number[] = [];

  private constructor(model: LoadedModel, sequence: Sequence, recover: Recover) {
    this.#model = model;
    this.#sequence = sequence;
    this.#recover = recover;
  }

  /** @throws DeviceMemoryError where the device has no room for another cache */
  static async open(model: LoadedModel, recover: Recover = async (failure) => { throw failure; }): Promise<Session> {
    return new Session(model, await model.createSequence(), recover);
  }

  get length(): number {
    return this.#cached.length;
  }

  dispose(): void {
    this.#sequence.dispose();
    this.#cached = [];
    this.#stepLengths = [];
  }

  /** @throws RangeError where the prompt is empty or longer than the context; whatever a step throws. */
  async run(request: DecodeRequest): Promise<DecodeResult> {
    const { prompt } = request;
    if (prompt.length === 0 || prompt.length > this.#sequence.capacity) {
      throw new RangeError(`a prompt takes 1 to ${this.#sequence.capacity} tokens, not ${prompt.length}`);
    }
    const reusedTokens = this.#reuse(prompt);
    try {
      const first = await this.#prefill(request, reusedTokens);
      if (first === null) return { tokens: [], stopReason: 'stopped', reusedTokens, decodeSteps: 0 };
      return { ...await this.#decode(request, first), reusedTokens };
    } catch (error) {
      // A step that failed half way may have left anything in the cache.
      this.#truncate(0);
      throw error;
    }
  }

  /**
   * Runs what the cache held on the model that took the failed one's place.
   * @param onProgress tokens done and to do
   * @throws the failure where there is no such model
   */
  async restore(failure: unknown, signal: AbortSignal, onProgress: (done: number, total: number) => void = () => undefined): Promise<void> {
    for (let error = failure; ;) {
      this.#model = await this.#recover(error);
      this.#sequence = await this.#model.createSequence();
      try {
        return await this.#replay(signal, onProgress);
      } catch (again) {
        error = again;
      }
    }
  }

  /** Cuts the cache back to where it agrees with the prompt; the last token always runs, for its logits. */
  #reuse(prompt: readonly number[]): number {
    const most = Math.min(this.#cached.length, prompt.length - 1);
    let agreeing = 0;
    while (agreeing < most && this.#cached[agreeing] === prompt[agreeing]) agreeing++;
    this.#truncate(agreeing);
    return agreeing;
  }

  /** Runs the rest of the prompt; the first sampled token, or null where the signal stopped it. */
  async #prefill(request: DecodeRequest, reused: number): Promise<number | null> {
    const { prompt, signal, onPrefill } = request;
    const total = prompt.length - reused;
    onPrefill(0, total, reused);
    while (!signal.aborted) {
      const begin = this.#cached.length;
      const chunk = prompt.slice(begin, begin + this.#model.maxStepTokens);
      const isLast = begin + chunk.length === prompt.length;
      const token = await this.#step(request, chunk, isLast ? sampleOutput(request, []) : { kind: 'none' });
      onPrefill(Math.max(0, this.#cached.length - reused), total, reused);
      if (isLast) return signal.aborted ? null : token;
    }
    return null;
  }

  async #decode(request: DecodeRequest, first: number): Promise<Omit<DecodeResult, 'reusedTokens'>> {
    const { endTokens, maxTokens, signal, onToken } = request;
    const tokens: number[] = [];
    const ended = (stopReason: StopReason, decodeSteps: number): Omit<DecodeResult, 'reusedTokens'> =>
      ({ tokens, stopReason, decodeSteps });
    let next = first;
    for (let steps = 0; ; steps++) {
      if (endTokens.has(next)) return ended('end', steps);
      tokens.push(next);
      onToken(next);
      if (tokens.length === maxTokens) return ended('max_tokens', steps);
      if (this.#cached.length === this.#sequence.capacity) return ended('context_full', steps);
      if (signal.aborted) return ended('stopped', steps);
      const sampled = await this.#step(request, [next], sampleOutput(request, tokens));
      if (signal.aborted) return ended('stopped', steps + 1);
      next = sampled!;
    }
  }

  /** Null for a step without a sample, and where the signal came while a lost cache was restored. */
  async #step(request: DecodeRequest, tokens: readonly number[], output: StepOutput): Promise<number | null> {
    for (;;) {
      try {
        const { token } = await this.#model.step(this.#sequence, tokens, output);
        this.#cached.push(...tokens);
        this.#stepLengths.push(tokens.length);
        if (output.kind === 'sample' && token === null) throw new Error('the back end gave no token');
        return token;
      } catch (error) {
        await this.restore(error, request.signal, (done, total) => request.onPrefill(done, total, 0));
        if (request.signal.aborted) return null;
      }
    }
  }

  /**
   * In the very steps that filled it: a prompt's kernels round in another way than those of single tokens, and the answer
   * must go on as if nothing had happened. What a signal leaves undone is no longer cached.
   */
  async #replay(signal: AbortSignal, onProgress: (done: number, total: number) => void): Promise<void> {
    let done = 0;
    onProgress(0, this.#cached.length);
    for (const length of this.#stepLengths) {
      for (const end = done + length; done < end && !signal.aborted;) {
        const chunk = this.#cached.slice(done, Math.min(end, done + this.#model.maxStepTokens));
        await this.#model.step(this.#sequence, chunk, { kind: 'none' });
        done += chunk.length;
        onProgress(done, this.#cached.length);
      }
    }
    this.#truncate(done);
  }

  #truncate(length: number): void {
    this.#sequence.truncate(Math.min(length, this.#sequence.length));
    this.#cached.length = Math.min(length, this.#cached.length);
    let over = this.#stepLengths.reduce((sum, tokens) => sum + tokens, 0) - this.#cached.length;
    while (over > 0) {
      const last = this.#stepLengths.pop()!;
      if (last > over) this.#stepLengths.push(last - over);
      over -= last;
    }
  }
}

/** The penalty's window runs over the prompt and what was generated since. */
function sampleOutput({ prompt, sampling }: DecodeRequest, generated: readonly number[]): StepOutput {
  const window = Math.min(sampling.penaltyLastN, MAX_PENALTY_TOKENS);
  if (sampling.repetitionPenalty === 1 || window === 0) return { kind: 'sample', sampling, recentTokens: [] };
  const fromPrompt = Math.max(0, window - generated.length);
  const recentTokens = [...(fromPrompt > 0 ? prompt.slice(-fromPrompt) : []), ...generated.slice(-window)];
  return { kind: 'sample', sampling, recentTokens };
}
