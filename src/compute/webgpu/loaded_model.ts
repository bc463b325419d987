/** A model on the GPU. A step is one submit; a sampled token comes back as one 4-byte readback. */
import { checkStep } from '../check_step.ts';
import type { LoadedModel, LoadOptions, ModelGraph, Sequence, StepOutput, StepResult } from '../ops.ts';
import type { ExpertView, Tracer } from '../../profile/trace.ts';
import type { Manifest, ModelSource } from '../../storage/model_source.ts';
import type { ResidencyCounters } from '../residency.ts';
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ, type OpenedDevice } from './device.ts';
import type { ExpertPool } from './expert_pool.ts';
import type { KernelProfile } from './kernel_profile.ts';
import { createKvCache, type KvCache } from './kv_cache.ts';
import { createModelResources, OUTPUT_CAPACITY, ROUTED_BYTE_OFFSET, type ModelResources, type PreparedProgram } from './model_resources.ts';
import { PagedSteps } from './paged_step.ts';
import { encodeCalls, type PipelineCache, type PreparedCall } from './pipeline_cache.ts';
import type { StepContents } from './step_buffer.ts';
import { StepTrace, type CopiesAfter, type StepObserver, type TraceMode } from './step_trace.ts';

/** Of ModelResources.result. */
const RESULT_BYTE_LENGTH = 16;
/** What sample.wgsl answers where no logit is finite. */
const NO_TOKEN = 0xffffffff;
/** On a graphics card, copying the routing of every layer takes a tenth of a step: a heat map does with a sample. */
const ROUTED_EVERY_STEPS = 8;

class GpuSequence implements Sequence {
  length = 0;
  cache: KvCache | null = null;
  readonly programs = new Map<number, PreparedProgram>();
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
  const model = new GpuModel(opened, graph, resources, profile, options, source.manifest);
  try {
    await model.compile(options);
  } catch (error) {
    model.dispose();
    throw error;
  }
  return model;
}

const NO_COPIES: CopiesAfter = new Map();

interface Ahead {
  readonly program: PreparedProgram;
  readonly commands: GPUCommandBuffer;
  readonly mode: TraceMode;
  /** Copies what was routed, for a recording. */
  readonly withRouted: boolean;
}

class GpuModel implements LoadedModel {
  /** Keeps the GPU object reachable, too. */
  readonly #opened: OpenedDevice;
  readonly #graph: ModelGraph;
  readonly #resources: ModelResources;
  readonly #profile: KernelProfile | null;
  readonly #observer: (StepObserver & { readonly view: ExpertView }) | null;
  /** Null where all experts are resident. */
  readonly #paged: PagedSteps | null;
  /** The first sequence: what compile() prepared. Later ones find their pipelines in the cache. */
  #warm: GpuSequence | null;
  #tail: Promise<unknown> = Promise.resolve();
  /** Commands of the next decode step, encoded while the GPU ran the last one. */
  #ahead: Ahead | null = null;
  /** Steps until a recording of a resident model next copies what was routed. */
  #routedCountdown = 0;
  /** An invalid submit is dropped in silence and the readback holds the step before: never pass that as a result. */
  #failure: string | null = null;
  readonly #onError = (event: Event): void => {
    this.#failure ??= (event as GPUUncapturedErrorEvent).error.message;
  };

  constructor(
    opened: OpenedDevice, graph: ModelGraph, resources: ModelResources, profile: KernelProfile | null,
    { tracer, experts }: LoadOptions, manifest: Manifest,
  ) {
    this.#opened = opened;
    this.#graph = graph;
    this.#resources = resources;
    this.#profile = profile;
    this.#observer = tracer === undefined ? null : {
      tracer, steps: new StepTrace(opened.device, tracer), view: expertView(manifest, resources.paging?.pool ?? null),
    };
    if (this.#observer) tracer?.attach(this.#observer.view);
    this.#paged = resources.paging && new PagedSteps(opened.device, resources, resources.paging, {
      mode: () => (profile ? 'kernels' : this.#mode),
      encode: (calls, copy, stamps) => this.#encode(calls, copy, NO_COPIES, stamps),
    }, this.#observer, { cpuAdapter: opened.traits.cpuAdapter, stepMode: experts?.stepMode ?? 'adaptive' });
    this.#warm = new GpuSequence(resources.contextLength);
    opened.device.addEventListener('uncapturederror', this.#onError);
  }

  get #device(): GPUDevice { return this.#opened.device; }

  get maxStepTokens(): number { return this.#resources.maxStepTokens; }
  get contextLength(): number { return this.#resources.contextLength; }
  get deviceByteLength(): number { return this.#resources.byteLength + (this.#warm?.cache?.byteLength ?? 0); }

  get residency(): Readonly<ResidencyCounters> | null { return this.#resources.paging?.pool.counters ?? null; }

  async compile(options: LoadOptions): Promise<void> {
    for (const capacity of this.#resources.capacities) await this.#prepare(this.#warm!, capacity, options);
  }

  createSequence(): Sequence {
    const sequence = this.#warm ?? new GpuSequence(this.contextLength);
    this.#warm = null;
    return sequence;
  }

  step(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
    const mine = this.#tail.then(() => this.#run(sequence, tokens, output));
    this.#tail = mine.catch(() => undefined);
    return mine;
  }

  dispose(): void {
    this.#device.removeEventListener('uncapturederror', this.#onError);
    this.#ahead = null;
    this.#observer?.tracer.detach(this.#observer.view);
    this.#observer?.steps.destroy();
    this.#warm?.dispose();
    this.#paged?.destroy();
    this.#resources.destroy();
  }

  async #run(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
    if (!(sequence instanceof GpuSequence)) throw new TypeError('the sequence belongs to another back end');
    checkStep(sequence, tokens, output, this.maxStepTokens, this.#graph.vocabSize);
    const tracer = this.#observer?.tracer;
    if (tracer?.on) tracer.beginStep(tokens.length === 1 ? 'decode' : 'prefill', sequence.length, tokens.length);
    const program = await this.#prepare(sequence, this.#resources.capacities.find((capacity) => capacity >= tokens.length)!);
    const position = sequence.length;
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
      ? (await this.#paged.runToken(program, contents, [...program.head, ...program.sample]))[0]
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
      await this.#paged.runToken(program, contents, []);
    } else {
      await this.#paged.runBatch(program, contents);
    }
  }

  async #sampleOnce(program: PreparedProgram, contents: StepContents): Promise<number> {
    const { readback, stampsByteOffset } = this.#resources;
    let calls: readonly PreparedCall[] = [...program.trunk, ...program.head, ...program.sample];
    if (this.#paged) {
      await this.#paged.runBatch(program, contents);
      calls = [...program.head, ...program.sample];
    } else {
      this.#resources.step.write(contents);
    }
    const observer = this.#observer?.tracer.on ? this.#observer : null;
    const ahead = this.#takeAhead(program);
    const withRouted = ahead?.withRouted ?? this.#wantsRouted(program);
    const commands = ahead?.commands ?? this.#encodeSample(program, calls, withRouted);
    const start = observer ? observer.tracer.now() : 0;
    this.#device.queue.submit([commands]);
    const mapped = readback.buffer.mapAsync(MAP_MODE_READ, 0, observer ? undefined : RESULT_BYTE_LENGTH);
    if (contents.tokens.length === 1) {
      const next = this.#wantsRouted(program);
      this.#ahead = { program, commands: this.#encodeSample(program, calls, next), mode: this.#mode, withRouted: next };
    }
    await mapped;
    const bytes = readback.buffer.getMappedRange(0, observer ? undefined : RESULT_BYTE_LENGTH).slice(0);
    readback.buffer.unmap();
    if (observer?.tracer.on) {
      await observer.steps.arrived(start, 0, new BigUint64Array(bytes, stampsByteOffset, 2));
      if (withRouted) countRouted(observer.tracer, program, new Uint32Array(bytes, ROUTED_BYTE_OFFSET));
    }
    return new Uint32Array(bytes)[0];
  }

  get #mode(): TraceMode { return this.#observer?.steps.mode ?? 'off'; }

  /** Commands encoded during the last step, where they fit this one. */
  #takeAhead(program: PreparedProgram): Ahead | null {
    const ahead = this.#ahead;
    this.#ahead = null;
    return ahead?.program === program && ahead.mode === this.#mode ? ahead : null;
  }

  /** Whether the next step encoded copies what was routed: that ends a pass in each layer, so a recording samples it. */
  #wantsRouted(program: PreparedProgram): boolean {
    if (this.#mode === 'off' || this.#paged || program.rowCapacity > 1) return false;
    this.#routedCountdown -= 1;
    if (this.#routedCountdown > 0) return false;
    this.#routedCountdown = this.#opened.traits.cpuAdapter ? 1 : ROUTED_EVERY_STEPS;
    return true;
  }

  #encodeSample(program: PreparedProgram, calls: readonly PreparedCall[], withRouted: boolean): GPUCommandBuffer {
    const { result, readback } = this.#resources;
    return this.#encode(
      calls, (encoder) => encoder.copyBufferToBuffer(result.buffer, 0, readback.buffer, 0, RESULT_BYTE_LENGTH),
      withRouted ? this.#routedCopies(program) : NO_COPIES);
  }

  /** Copies of each layer's routing, before the next layer overwrites it. */
  #routedCopies(program: PreparedProgram): CopiesAfter {
    const { activations, readback } = this.#resources;
    return new Map(program.sections.map(({ layerIndex, ids, begin }) => [begin - 1, (encoder) => {
      const { buffer, byteOffset } = activations.view(ids);
      const byteLength = ids.cols * 4;
      encoder.copyBufferToBuffer(buffer, byteOffset, readback.buffer, ROUTED_BYTE_OFFSET + layerIndex * byteLength, byteLength);
    }]));
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
    calls: readonly PreparedCall[], copy?: (encoder: GPUCommandEncoder) => void, after: CopiesAfter = NO_COPIES,
    stamps: GPUBuffer = this.#resources.readback.buffer,
  ): GPUCommandBuffer {
    const encoder = this.#device.createCommandEncoder({ label: 'step' });
    const trace = this.#mode === 'off' ? null : this.#observer!.steps;
    if (this.#profile) {
      this.#profile.encode(encoder, calls, after);
    } else if (trace) {
      trace.encode(encoder, calls, after);
      if (copy) trace.copyStamps(encoder, stamps, this.#resources.stampsByteOffset);
    } else {
      const pass = encoder.beginComputePass({ label: 'step' });
      encodeCalls(pass, calls);
      pass.end();
    }
    copy?.(encoder);
    return encoder.finish();
  }

  async #prepare(sequence: GpuSequence, capacity: number, options?: LoadOptions): Promise<PreparedProgram> {
    let program = sequence.programs.get(capacity);
    if (program === undefined) {
      sequence.cache ??= await createKvCache(this.#device, this.#graph, sequence.capacity);
      program = await this.#resources.prepare(sequence.cache, capacity, options);
      sequence.programs.set(capacity, program);
    }
    return program;
  }
}

/** What a step of one token was routed to, of a model whose experts are all resident. */
function countRouted(tracer: Tracer, program: PreparedProgram, routed: Uint32Array): void {
  const expertCount = tracer.view?.expertCount ?? 0;
  for (const { layerIndex, ids } of program.sections) {
    for (const expert of routed.subarray(layerIndex * ids.cols, (layerIndex + 1) * ids.cols)) {
      if (expert < expertCount) tracer.routed(layerIndex, expert);
    }
    tracer.current.hits += ids.cols;
  }
}

/** How the recorder sees the model's experts. */
function expertView({ expertLayers, expertCount, hyperparameters }: Manifest, pool: ExpertPool | null): ExpertView {
  return {
    layers: expertLayers.map(({ layer }) => layer), expertCount, topK: hyperparameters.expertUsedCount,
    pool: pool && { slotCount: pool.slotCount, byteLength: pool.byteLength },
    resident: () => pool?.residents() ?? null,
  };
}
