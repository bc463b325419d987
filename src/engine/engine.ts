/** An opened model that answers: back end, tokenizer and template put together. One per open model. */
import { checkSamplingParams } from '../compute/sampling.ts';
import type { Backend, LoadOptions, LoadProgress, LoadedModel } from '../compute/ops.ts';
import type { ExpertPoolOptions, ResidencyCounters } from '../compute/residency.ts';
import { ModelFormatError } from '../formats/checkpoint.ts';
import { buildGraph } from '../models/registry.ts';
import type { Tracer } from '../profile/trace.ts';
import type { ModelSource } from '../storage/model_source.ts';
import { resolveChatTemplate } from '../tokenizer/chat_template.ts';
import { createTokenStream } from '../tokenizer/stream.ts';
import { createTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts';
import { evaluate, type Evaluation, type EvaluationRequest } from './evaluate.ts';
import { SteppedModel, type BaselineLogits } from './evaluate_baseline.ts';
import { collectLogits } from './logits.ts';
import { Prompter } from './prompt.ts';
import { DeviceRecovery } from './recovery.ts';
import { selfTest } from './self_test.ts';
import { Session } from './session.ts';
import type { ChatMessage, EngineInfo, GenerateEvent, GenerateRequest, GenerateResult } from './types.ts';

/** A prompt that is longer than the context. Its name, unlike its class, gets over a message port. */
export class ContextFullError extends RangeError {
  override readonly name = 'ContextFullError';
}

export interface EngineOptions {
  readonly backend: Backend;
  /** Closed by the engine: on dispose, or where createEngine fails. The back end stays its owner's. */
  readonly source: ModelSource;
  /** Tokens of context; clipped to what the model was trained for. */
  readonly contextLength: number;
  /** Device memory for experts, where they are not all to be resident. */
  readonly experts?: ExpertPoolOptions;
  /** Told what the model's steps do while it records. */
  readonly tracer?: Tracer;
  /**
   * Gives a back end in the place of one whose device was lost: the model is then loaded on it, the chat's cache is made
   * again, and the answer goes on. Without it a lost device ends the answer.
   */
  readonly reopenBackend?: (lost: Backend) => Promise<Backend>;
  /** Instead of the one that the source describes. */
  readonly tokenizer?: Tokenizer;
  /** Milliseconds, for the timings of an answer. */
  readonly clock?: () => number;
  /** Today, for templates that tell the model the date. */
  readonly now?: () => Date;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Engine {
  readonly info: EngineInfo;
  readonly vocabSize: number;
  /**
   * Writes one answer. One at a time. An aborted signal ends it within one token, and that is a result, not an error.
   * @throws ModelFormatError where the model has no tokenizer; Error with the template's own message where it refuses
   *   the conversation; RangeError for sampling parameters out of range; ContextFullError.
   */
  generate(request: GenerateRequest, onEvent: (event: GenerateEvent) => void, signal?: AbortSignal): Promise<GenerateResult>;
  /**
   * Raw logits [vocab] at these positions of a token list, on a KV cache of their own.
   * @param options.stepwise one token a step, as decode runs, instead of chunks as prefill does
   */
  logits(tokens: readonly number[], positions: readonly number[], options?: { readonly stepwise: boolean }): Promise<Float32Array[]>;
  /**
   * Tokens of a text that is to be scored, control tokens spelled in it included, and the beginning token that each
   * window of it gets (null where the model wants none). @throws ModelFormatError where the model has no tokenizer.
   */
  encodeText(text: string): { readonly tokens: number[]; readonly bosToken: number | null };
  /** Scores a token list (see evaluate.ts), on a KV cache of its own. One at a time, and none while an answer is written. */
  evaluate(request: Omit<EvaluationRequest, 'vocabSize'>): Promise<Evaluation>;
  /** How often experts had to be fetched so far; null where all are resident. */
  readonly residency: Readonly<ResidencyCounters> | null;
  /**
   * Gives experts other device memory (undefined: all stay resident); the chat's cache stays. Not while an answer is
   * written.
   * @throws Error where there is no room for it: the model goes on with the memory that it had; or where the back end can't
   */
  replaceExperts(experts: ExpertPoolOptions | undefined, onProgress?: (progress: LoadProgress) => void): Promise<void>;
  /** This model as the baseline of another's evaluation. */
  asBaseline(): BaselineLogits;
  /** Tokens that the rendered messages take. @throws as generate does for its prompt. */
  countTokens(messages: readonly ChatMessage[]): number;
  /** Stops what runs and frees model and source. */
  dispose(): Promise<void>;
}

/**
 * Plans, loads and compiles a model.
 * @throws ModelFormatError for a model that this version can't run; SelfTestError where the back end computes wrongly
 *   on this device; the signal's reason where it was aborted.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  try {
    return await openEngine(options);
  } catch (error) {
    await options.source.close();
    throw error;
  }
}

async function openEngine(options: EngineOptions): Promise<Engine> {
  const { backend, source, onProgress, signal } = options;
  const { manifest } = source;
  const { hyperparameters } = manifest;
  const contextLength = Math.min(options.contextLength, hyperparameters.contextLength);
  if (!(Number.isInteger(contextLength) && contextLength > 0)) {
    throw new RangeError(`the context length must be a whole number above 0, not ${options.contextLength}`);
  }
  const graph = buildGraph(manifest.architecture, hyperparameters, manifest.dense.map(({ name }) => name));
  // Built before the long load, so that a broken tokenizer is told at once.
  const tokenizer = options.tokenizer ?? (manifest.tokenizer === null ? null : createTokenizer(manifest.tokenizer));
  const prompter = tokenizer === null ? null : new Prompter(
    tokenizer, manifest.chatTemplate, options.now ?? ((): Date => new Date()));
  if (backend.info.kind !== 'reference') await selfTest(backend, source, graph, { onProgress, signal });
  const load: LoadModel = (on, experts, more) => on.load(source, graph, {
    contextLength, ...more, ...(experts ? { experts } : {}), ...(options.tracer ? { tracer: options.tracer } : {}),
  });
  const model = await load(backend, options.experts, { onProgress, signal });
  if (signal?.aborted) {
    model.dispose();
    throw signal.reason;
  }
  const engine = new OpenedEngine(options, model, prompter, load);
  await engine.start();
  return engine;
}

type LoadModel = (
  on: Backend, experts: ExpertPoolOptions | undefined, more: Pick<LoadOptions, 'onProgress' | 'signal'>,
) => Promise<LoadedModel>;

class OpenedEngine implements Engine {
  readonly info: EngineInfo;
  readonly vocabSize: number;
  #model: LoadedModel;
  readonly #source: ModelSource;
  readonly #prompter: Prompter | null;
  #session!: Session;
  /** Null where a lost device is not replaced. */
  readonly #recovery: DeviceRecovery | null;
  readonly #clock: () => number;
  readonly #closing = new AbortController();
  #running: Promise<unknown> | null = null;
  /** As they are to be on another device, too. */
  #experts: ExpertPoolOptions | undefined;

  constructor(
    { backend, source, clock, reopenBackend, experts }: EngineOptions, model: LoadedModel, prompter: Prompter | null, load: LoadModel,
  ) {
    this.#experts = experts;
    this.#model = model;
    this.#source = source;
    this.#prompter = prompter;
    this.#recovery = reopenBackend ? new DeviceRecovery({
      backend, reopen: reopenBackend, load: (on) => load(on, this.#experts, { signal: this.#closing.signal }),
    }) : null;
    this.#clock = clock ?? ((): number => performance.now());
    const { manifest } = source;
    this.vocabSize = manifest.hyperparameters.vocabSize;
    this.info = {
      modelName: manifest.name,
      architecture: manifest.architecture,
      backend: backend.info,
      contextLength: model.contextLength,
      trainedContextLength: manifest.hyperparameters.contextLength,
      chatTemplate: resolveChatTemplate(manifest.chatTemplate).source,
      deviceByteLength: model.deviceByteLength,
    };
  }

  async start(): Promise<void> {
    this.#session = await Session.open(this.#model, (error) => this.#recover(error));
  }

  get residency(): Readonly<ResidencyCounters> | null {
    return this.#model.residency;
  }

  generate(request: GenerateRequest, onEvent: (event: GenerateEvent) => void, signal?: AbortSignal): Promise<GenerateResult> {
    return this.#exclusively(() => this.#generate(request, onEvent, signal));
  }

  logits(
    tokens: readonly number[], positions: readonly number[], { stepwise } = { stepwise: false },
  ): Promise<Float32Array[]> {
    return this.#exclusively(() =>
      collectLogits(this.#model, tokens, positions, stepwise ? 1 : this.#model.maxStepTokens));
  }

  encodeText(text: string): { tokens: number[]; bosToken: number | null } {
    const { tokenizer } = this.#requirePrompter();
    return {
      tokens: tokenizer.encode(text, { addSpecial: false, parseSpecial: true }),
      bosToken: tokenizer.addBos ? tokenizer.bosId : null,
    };
  }

  evaluate(request: Omit<EvaluationRequest, 'vocabSize'>): Promise<Evaluation> {
    const signal = this.#orClosing(request.signal);
    return this.#exclusively(async () => {
      try {
        return await evaluate(this.#model, { ...request, vocabSize: this.vocabSize, signal });
      } catch (error) {
        if (signal.aborted) throw error;
        this.#recovery?.begin(() => undefined);
        await this.#session.restore(error, signal);
        throw new Error('The graphics device was lost in the middle of this. It is there again: start the measurement anew.', { cause: error });
      }
    });
  }

  replaceExperts(experts: ExpertPoolOptions | undefined, onProgress?: (progress: LoadProgress) => void): Promise<void> {
    return this.#exclusively(async () => {
      if (!this.#model.replaceExperts) throw new Error(`${this.info.backend.label} has no device memory for experts to change.`);
      await this.#model.replaceExperts(experts, { onProgress, signal: this.#closing.signal });
      this.#experts = experts;
    });
  }

  asBaseline(): BaselineLogits {
    return new SteppedModel(this.#model, this.vocabSize);
  }

  countTokens(messages: readonly ChatMessage[]): number {
    return messages.length === 0 ? 0 : this.#requirePrompter().chat(messages, false).length;
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#running?.catch(() => undefined);
    this.#session.dispose();
    this.#model.dispose();
    await this.#source.close();
  }

  async #generate(
    request: GenerateRequest, onEvent: (event: GenerateEvent) => void, signal?: AbortSignal,
  ): Promise<GenerateResult> {
    const { input, sampling, maxTokens } = request;
    const started = this.#clock();
    checkSamplingParams(sampling);
    if (maxTokens !== null && !(maxTokens >= 1)) throw new RangeError(`maxTokens must be at least 1, not ${maxTokens}`);
    const prompter = this.#requirePrompter();
    const prompt = input.kind === 'chat' ? prompter.chat(input.messages, true) : prompter.text(input.text);
    this.#checkPromptFits(prompt.length);

    this.#recovery?.begin((reason) => onEvent({ kind: 'recovering', reason }));
    const stream = createTokenStream(prompter.tokenizer);
    let text = '';
    const prefillStarted = this.#clock();
    let firstTokenAt: number | null = null;
    const { tokens, stopReason, reusedTokens, decodeSteps } = await this.#session.run({
      prompt, sampling, maxTokens,
      endTokens: new Set(prompter.tokenizer.eosIds),
      signal: this.#orClosing(signal),
      onPrefill: (done, total, reused) => onEvent({ kind: 'prefill', done, total, reused }),
      onToken: (token) => {
        firstTokenAt ??= this.#clock();
        // Models pad their vocabulary: an id beyond the tokenizer's has no text.
        const piece = token < prompter.tokenizer.vocabSize ? stream.push(token) : '';
        text += piece;
        onEvent({ kind: 'token', token, text: piece });
      },
    });
    const ended = this.#clock();
    const decodeMs = ended - (firstTokenAt ?? ended);
    return {
      tokens, text, stopReason, reusedTokens,
      promptTokens: prompt.length,
      prefillMs: (firstTokenAt ?? ended) - prefillStarted,
      timeToFirstTokenMs: (firstTokenAt ?? ended) - started,
      decodeMs,
      tokensPerSecond: tokens.length >= 2 && decodeMs > 0 ? (decodeSteps * 1000) / decodeMs : null,
      contextUsed: this.#session.length,
    };
  }

  async #recover(error: unknown): Promise<LoadedModel> {
    if (this.#recovery === null || this.#closing.signal.aborted) throw error;
    const lost = this.#model;
    this.#model = await this.#recovery.recover(error);
    // Its device is gone: whatever freeing says now means nothing.
    try { lost.dispose(); } catch { /* as said */ }
    return this.#model;
  }

  #checkPromptFits(promptTokens: number): void {
    const { contextLength } = this.info;
    if (promptTokens <= contextLength) return;
    throw new ContextFullError(
      `The conversation takes ${promptTokens} tokens, but the context holds ${contextLength}: start a new chat, ` +
      'shorten it, or open the model with a longer context.');
  }

  #orClosing(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  #requirePrompter(): Prompter {
    if (this.#prompter !== null) return this.#prompter;
    throw new ModelFormatError(
      `${this.info.modelName} came without a tokenizer, so it can't read or write text: add tokenizer.json and ` +
      'tokenizer_config.json of the model to its folder and import the folder again.');
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new Error('The model was closed.');
    if (this.#running !== null) throw new Error('The model is busy with another answer: stop it first.');
    const running = work();
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = null;
    }
  }
}
