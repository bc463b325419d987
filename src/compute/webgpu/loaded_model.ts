/** A model on the GPU. Where all experts are resident, a sampled token comes back as the only readback of its step. */
import { checkBatch, checkStep } from '../check_step.ts';
import type { BatchRow, LoadedModel, LoadOptions, ModelGraph, Sequence, StepOutput, StepResult } from '../ops.ts';
import type { ExpertView, Tracer } from '../../profile/trace.ts';
import type { Manifest, ModelSource } from '../../storage/model_source.ts';
import type { ExpertPoolOptions, ResidencyCounters } from '../residency.ts';
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ, type OpenedDevice } from './device.ts';
import type { ExpertPool } from './expert_pool.ts';
import type { KernelProfile } from './kernel_profile.ts';
import { createKvCache, type KvCache } from './kv_cache.ts';
import { ROUTED_BYTE_OFFSET, type ExpertResources } from './expert_resources.ts';
import { createModelResources, OUTPUT_CAPACITY, type ModelResources, type PreparedProgram } from './model_resources.ts';
import { PagedSteps } from './paged_step.ts';
import { encodeCalls, type PipelineCache, type PreparedCall } from './pipeline_cache.ts';
import type { StepContents } from './step_buffer.ts';
import { PIECE_CALLS } from './step_pieces.ts';
import { layerIdsByteLength } from './program.ts';
import { StepTrace, type StepObserver, type TraceMode } from './step_trace.ts';

/** Of ModelResources.result. */
const RESULT_BYTE_LENGTH = 16;
/** What sample.wgsl answers where no logit is finite. */
const NO_TOKEN = 0xffffffff;

class GpuSequence implements Sequence {
  length = 0;
  cache: KvCache | null = null;
  readonly programs = new Map<number, PreparedProgram>();
  /** The memory for experts that the programs bind. */
  compiledFor: ExpertResources | null = null;
  readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  truncate(length: number): void {
    if (!(length >= 0 && length <= this.length)) throw new RangeError(`cannot truncate a sequence of ${this.length} tokens to ${length}`);
    this.length = length;
  }

  dispose(): void {
    this.cache?.destroy();
    this.cache = null;
    this.programs.clear();
    this.length = 0;
  }
}

/** Uploads the weights and compiles every pipeline, so that the first token waits for nothing. */
export async function loadModel(
  opened: OpenedDevice, pipelines: PipelineCache, profile: KernelProfile | null, source: ModelSource, graph: ModelGraph,
  options: LoadOptions,
): Promise<LoadedModel> {
  const resources = await createModelResources(opened, pipelines, source, graph, options);
  const model = new GpuModel(opened, graph, resources, profile, options.tracer ?? null, source.manifest);
  try {
    await model.compile(options);
  } catch (error) {
    model.dispose();
    throw error;
  }
  return model;
}

interface Ahead {
  readonly program: PreparedProgram;
  readonly commands: readonly GPUCommandBuffer[];
  readonly mode: TraceMode;
}

class GpuModel implements LoadedModel {
  /** Keeps the GPU object reachable, too. */
  readonly #opened: OpenedDevice;
  readonly #graph: ModelGraph;
  readonly #resources: ModelResources;
  readonly #profile: KernelProfile | null;
  readonly #observer: StepObserver | null;
  readonly #manifest: Manifest;
  /** What the recorder sees of the experts. */
  #view: ExpertView | null = null;
  /** Null where all experts are resident. */
  #paged: PagedSteps | null;
  /** The first sequence: what compile() prepared. Later ones find their pipelines in the cache. */
  #warm: GpuSequence | null;
  #tail: Promise<unknown> = Promise.resolve();
  /** Commands of the next decode step, encoded while the GPU ran the last one. */
  #ahead: Ahead | null = null;
  /** An invalid submit is dropped in silence and the readback holds the step before: never pass that as a result. */
  #failure: string | null = null;
  readonly #onError = (event: Event): void => {
    this.#failure ??= (event as GPUUncapturedErrorEvent).error.message;
  };

  constructor(
    opened: OpenedDevice, graph: ModelGraph, resources: ModelResources, profile: KernelProfile | null, tracer: Tracer | null,
    manifest: Manifest,
  ) {
    this.#opened = opened;
    this.#graph = graph;
    this.#resources = resources;
    this.#profile = profile;
    this.#manifest = manifest;
    this.#observer = tracer && { tracer, steps: new StepTrace(opened, tracer) };
    this.#paged = this.#attachExperts();
    this.#warm = new GpuSequence(resources.contextLength);
    opened.device.addEventListener('uncapturederror', this.#onError);
  }

  get #device(): GPUDevice { return this.#opened.device; }

  get maxStepTokens(): number { return this.#resources.maxStepTokens; }
  get contextLength(): number { return this.#resources.contextLength; }
  get maxBatchRows(): number { return 1; }
  get deviceByteLength(): number { return this.#resources.byteLength + (this.#warm?.cache?.byteLength ?? 0); }

  get residency(): Readonly<ResidencyCounters> | null { return this.#resources.experts.paging?.pool.counters ?? null; }

  async compile(options: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void> {
    const sequence = this.#warm ?? new GpuSequence(this.contextLength);
    for (const capacity of this.#resources.capacities) await this.#prepare(sequence, capacity, options);
    if (sequence !== this.#warm) sequence.dispose();
  }

  replaceExperts(experts: ExpertPoolOptions | undefined, load: Pick<LoadOptions, 'onProgress' | 'signal'>): Promise<void> {
    const mine = this.#tail.then(async () => {
      this.#detachExperts();
      try {
        await this.#resources.replaceExperts(experts, load);
      } finally {
        this.#paged = this.#attachExperts();
      }
      await this.compile(load);
    });
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  async createSequence(): Promise<Sequence> {
    const sequence = this.#warm ?? new GpuSequence(this.contextLength);
    this.#warm = null;
    return sequence;
  }

  step(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
    const mine = this.#tail.then(() => this.#run(sequence, tokens, output));
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  async stepBatch(rows: readonly BatchRow[]): Promise<readonly number[]> {
    checkBatch(rows, this.maxBatchRows, this.#graph.vocabSize);
    const drawn: number[] = [];
    for (const { sequence, token, output } of rows) drawn.push((await this.step(sequence, [token], output)).token!);
    return drawn;
  }

  dispose(): void {
    this.#device.removeEventListener('uncapturederror', this.#onError);
    this.#detachExperts();
    this.#observer?.steps.destroy();
    this.#warm?.dispose();
    this.#resources.destroy();
  }

  /** What runs steps, and what the recorder sees, of the present memory for experts. */
  #attachExperts(): PagedSteps | null {
    const { paging } = this.#resources.experts;
    if (this.#observer) {
      this.#view = expertView(this.#manifest, paging?.pool ?? null);
      this.#observer.tracer.attach(this.#view);
    }
    return paging && new PagedSteps(this.#device, this.#resources, paging, {
      mode: () => (this.#profile ? 'kernels' : this.#mode),
      nextMode: () => (this.#profile ? 'kernels' : this.#nextMode),
      encode: (calls, mode, copy, stamps) => this.#encode(calls, copy, mode, stamps),
    }, this.#observer, this.#opened.traits.cpuAdapter);
  }

  #detachExperts(): void {
    this.#ahead = null;
    if (this.#view) this.#observer?.tracer.detach(this.#view);
    this.#view = null;
    this.#paged?.destroy();
    this.#paged = null;
  }

  async #run(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
    if (!(sequence instanceof GpuSequence)) throw new TypeError('the sequence belongs to another back end');
    checkStep(sequence, tokens, output, this.maxStepTokens, this.#graph.vocabSize);
    const tracer = this.#observer?.tracer;
    this.#observer?.steps.begin(tokens.length === 1);
    if (tracer?.on) tracer.beginStep(tokens.length === 1 ? 'decode' : 'prefill', sequence.length, tokens.length);
    const program = await this.#prepare(sequence, this.#resources.capacities.find((capacity) => capacity >= tokens.length)!);
    const position = sequence.length;
    await this.#resources.experts.paging?.pool.beginStep();
    let result: StepResult = { token: null, logits: null };
    if (output.kind === 'sample') {
      result = { token: await this.#sample(program, tokens, position, output), logits: null };
    } else if (output.kind === 'logits' && output.rows.length > 0) {
      result = { token: null, logits: await this.#readLogits(program, tokens, position, output.rows) };
    } else {
      await this.#runTrunk(program, { tokens, position, outputRows: [], sampling: null });
      await this.#device.queue.onSubmittedWorkDone();
    }
    await this.#profile?.collect();
    if (tracer?.on) tracer.endStep();
    if (this.#failure !== null) throw new Error(`WebGPU refused a step: ${this.#failure}`);
    sequence.length = position + tokens.length;
    return result;
  }

  async #sample(
    program: PreparedProgram, tokens: readonly number[], position: number, output: Extract<StepOutput, { kind: 'sample' }>,
  ): Promise<number> {
    const sampling = { params: output.sampling, recentTokens: output.recentTokens };
    const contents: StepContents = { tokens, position, outputRows: [tokens.length - 1], sampling };
    const token = program.rowCapacity === 1 && this.#paged
      ? (await this.#paged.runToken(program, contents, [...program.head, ...program.confidence, ...program.sample]))[0]
      : await this.#sampleOnce(program, contents);
    if (token === NO_TOKEN) throw new Error('the model gave no finite logits: its weights are damaged or the device computed wrongly');
    return token;
  }

  /** Runs the trunk of a step, however its experts are kept. */
  async #runTrunk(program: PreparedProgram, contents: StepContents): Promise<void> {
    if (!this.#paged) {
      this.#resources.step.write(contents);
      this.#device.queue.submit([this.#encode(program.trunk)]);
    } else if (program.rowCapacity === 1) {
      await this.#paged.runToken(program, contents, contents.outputRows.length > 0 ? gateCalls(program) : []);
    } else {
      await this.#paged.runBatch(program, contents);
    }
  }

  async #sampleOnce(program: PreparedProgram, contents: StepContents): Promise<number> {
    const { readback, stampsByteOffset } = this.#resources.experts;
    let calls: readonly PreparedCall[] = [...program.trunk, ...program.head, ...program.sample];
    if (this.#paged) {
      await this.#paged.runBatch(program, contents);
      calls = [...program.head, ...program.sample];
    } else {
      this.#resources.step.write(contents);
    }
    const observer = this.#observer?.tracer.on ? this.#observer : null;
    const commands = this.#takeAhead(program)?.commands ?? this.#encodeSample(program, calls, this.#mode);
    const start = observer ? observer.tracer.now() : 0;
    for (const piece of commands) this.#device.queue.submit([piece]);
    const mapped = readback.buffer.mapAsync(MAP_MODE_READ, 0, observer ? undefined : RESULT_BYTE_LENGTH);
    if (contents.tokens.length === 1) {
      const mode = this.#nextMode;
      this.#ahead = { program, commands: this.#encodeSample(program, calls, mode), mode };
    }
    await mapped;
    // Read where it lies: copying what was routed costs more than counting it.
    const bytes = readback.buffer.getMappedRange(0, observer ? undefined : RESULT_BYTE_LENGTH);
    const [token] = new Uint32Array(bytes, 0, 1);
    if (observer?.tracer.on) {
      await observer.steps.arrived(start, 0, new BigUint64Array(bytes, stampsByteOffset, 2));
      if (program.rowCapacity === 1) countRouted(observer.tracer, program, new Uint32Array(bytes, ROUTED_BYTE_OFFSET));
    }
    readback.buffer.unmap();
    return token;
  }

  get #mode(): TraceMode { return this.#observer?.steps.mode ?? 'off'; }
  get #nextMode(): TraceMode { return this.#observer?.steps.nextMode ?? 'off'; }

  /** Commands encoded during the last step, where they fit this one. */
  #takeAhead(program: PreparedProgram): Ahead | null {
    const ahead = this.#ahead;
    this.#ahead = null;
    return ahead?.program === program && ahead.mode === this.#mode ? ahead : null;
  }

  /** Commands of a step, to be submitted one by one: a graphics card begins with the first while the driver takes the next. */
  #encodeSample(program: PreparedProgram, calls: readonly PreparedCall[], mode: TraceMode): GPUCommandBuffer[] {
    const { result, experts: { readback, layerIds } } = this.#resources;
    // Times are those of one pass.
    const isWhole = this.#opened.traits.cpuAdapter || this.#profile !== null || mode === 'timed' || mode === 'kernels';
    const pieceCalls = isWhole ? calls.length : PIECE_CALLS;
    const commands: GPUCommandBuffer[] = [];
    for (let at = 0; at < calls.length; at += pieceCalls) {
      const isLast = at + pieceCalls >= calls.length;
      commands.push(this.#encode(calls.slice(at, at + pieceCalls), isLast ? (encoder) => {
        encoder.copyBufferToBuffer(result.buffer, 0, readback.buffer, 0, RESULT_BYTE_LENGTH);
        if (mode === 'off' || !layerIds || program.rowCapacity > 1) return;
        encoder.copyBufferToBuffer(layerIds.buffer, 0, readback.buffer, ROUTED_BYTE_OFFSET, layerIds.byteLength);
      } : undefined, mode));
    }
    return commands;
  }

  async #readLogits(
    program: PreparedProgram, tokens: readonly number[], position: number, rows: readonly number[],
  ): Promise<Float32Array[]> {
    const { vocabSize } = this.#graph;
    const logits = this.#resources.activations.view(this.#graph.logits);
    const found: Float32Array[] = [];
    for (let at = 0; at < rows.length; at += OUTPUT_CAPACITY) {
      const outputRows = rows.slice(at, at + OUTPUT_CAPACITY);
      const byteLength = outputRows.length * vocabSize * 4;
      const target = this.#device.createBuffer({ label: 'logits readback', size: byteLength, usage: GPU_MAP_READ | GPU_COPY_DST });
      const contents: StepContents = { tokens, position, outputRows, sampling: null };
      let calls: readonly PreparedCall[] = program.head;
      if (at === 0 && this.#paged) await this.#runTrunk(program, contents);
      else this.#resources.step.write(contents);
      if (at === 0 && !this.#paged) calls = [...program.trunk, ...program.head];
      this.#device.queue.submit([this.#encode(calls,
        (encoder) => encoder.copyBufferToBuffer(logits.buffer, logits.byteOffset, target, 0, byteLength))]);
      await target.mapAsync(MAP_MODE_READ);
      const values = new Float32Array(target.getMappedRange().slice(0));
      target.destroy();
      outputRows.forEach((_, i) => found.push(values.subarray(i * vocabSize, (i + 1) * vocabSize)));
    }
    return found;
  }

  #encode(
    calls: readonly PreparedCall[], copy?: (encoder: GPUCommandEncoder) => void, mode = this.#mode,
    stamps: GPUBuffer = this.#resources.experts.readback.buffer,
  ): GPUCommandBuffer {
    const encoder = this.#device.createCommandEncoder({ label: 'step' });
    const trace = mode === 'off' ? null : this.#observer!.steps;
    if (this.#profile) {
      this.#profile.encode(encoder, calls);
    } else if (trace) {
      trace.encode(encoder, calls, mode);
      if (copy) trace.copyStamps(encoder, mode, stamps, this.#resources.experts.stampsByteOffset);
    } else {
      const pass = encoder.beginComputePass({ label: 'step' });
      encodeCalls(pass, calls);
      pass.end();
    }
    copy?.(encoder);
    return encoder.finish();
  }

  async #prepare(
    sequence: GpuSequence, capacity: number, options?: Pick<LoadOptions, 'onProgress' | 'signal'>,
  ): Promise<PreparedProgram> {
    if (sequence.compiledFor !== this.#resources.experts) {
      sequence.programs.clear();
      sequence.compiledFor = this.#resources.experts;
    }
    let program = sequence.programs.get(capacity);
    if (program === undefined) {
      sequence.cache ??= await createKvCache(this.#device, this.#graph, sequence.capacity);
      program = await this.#resources.prepare(sequence.cache, capacity, options);
      sequence.programs.set(capacity, program);
    }
    return program;
  }
}

/** What a step without sampling needs for the precision gate; nothing where there is none. */
function gateCalls({ head, confidence }: PreparedProgram): readonly PreparedCall[] {
  return confidence.length > 0 ? [...head, ...confidence] : [];
}

/** What a step of one token was routed to, of a model whose experts are all resident. */
function countRouted(tracer: Tracer, program: PreparedProgram, routed: Uint32Array): void {
  const expertCount = tracer.view?.expertCount ?? 0;
  for (const { layerIndex, ids } of program.sections) {
    const first = layerIndex * layerIdsByteLength(ids.cols) / Uint32Array.BYTES_PER_ELEMENT;
    for (let at = first; at < first + ids.cols; at++) {
      if (routed[at] < expertCount) tracer.routed(layerIndex, routed[at]);
    }
    tracer.current.hits += ids.cols;
  }
}

/** How the recorder sees the model's experts. */
function expertView({ expertLayers, expertCount, hyperparameters }: Manifest, pool: ExpertPool | null): ExpertView {
  return {
    layers: expertLayers.map(({ layer }) => layer), expertCount, topK: hyperparameters.expertUsedCount,
    pool: pool && { slotCount: pool.slotCount, tierSlotCount: pool.tier?.slotCount ?? 0, byteLength: pool.byteLength },
    resident: () => pool?.residents() ?? null,
  };
}
