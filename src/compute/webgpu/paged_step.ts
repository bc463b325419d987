/**
 * Steps of a model whose experts are paged. A step of one token runs whole. Where a layer lacks an expert, the rest of
 * the step is a guess that tells what later layers will want; all that is missing is loaded at once, and the step resumes
 * at the first layer that lacked something, until none does. A batch needs most experts of a layer: it is submitted layer
 * by layer, with the experts in waves. Either way each kernel that counts has run on the same inputs as if every expert
 * had been resident, so the result is the same bit for bit.
 */
import type { Tracer } from '../../profile/trace.ts';
import type { ExpertKey } from '../residency.ts';
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ } from './device.ts';
import { STEP_MISSED_LAYER } from './kernel.ts';
import type { ModelResources, PreparedProgram } from './model_resources.ts';
import type { PreparedCall } from './pipeline_cache.ts';
import type { ExpertSection, PagingContext } from './program.ts';
import type { StepContents } from './step_buffer.ts';
import type { StepTrace } from './step_trace.ts';

type Encode = (calls: readonly PreparedCall[], copy?: (encoder: GPUCommandEncoder) => void) => GPUCommandBuffer;

/** The recorder, and what it is told of the GPU. */
export interface StepObserver {
  readonly tracer: Tracer;
  readonly steps: StepTrace;
}

/** Words of the readback: result, the step's head, what was routed. */
const HEAD_WORDS = 4;
/** In `result`: confidence.wgsl. */
const CONFIDENCE_WORD = 1;

export class PagedSteps {
  readonly #device: GPUDevice;
  readonly #resources: ModelResources;
  readonly #paging: PagingContext;
  readonly #encode: Encode;
  readonly #observer: StepObserver | null;
  #idsReadback: GPUBuffer | null = null;

  constructor(
    device: GPUDevice, resources: ModelResources, paging: PagingContext, encode: Encode, observer: StepObserver | null,
  ) {
    this.#device = device;
    this.#resources = resources;
    this.#paging = paging;
    this.#encode = encode;
    this.#observer = observer;
  }

  /** Copies of a one-token step's outcome, to be encoded after its last call. */
  readonly copyOutcome = (encoder: GPUCommandEncoder): void => {
    const { result, step, experts: { readback } } = this.#resources;
    const { routed } = this.#paging;
    encoder.copyBufferToBuffer(result.buffer, result.byteOffset, readback.buffer, 0, 16);
    encoder.copyBufferToBuffer(step.step.buffer, step.step.byteOffset, readback.buffer, 16, 16);
    encoder.copyBufferToBuffer(routed.buffer, 0, readback.buffer, 32, routed.byteLength);
  };

  /**
   * Runs a step of one token. Where it comes out unsure and there is a precision gate, its experts get their copies of
   * more bits and it runs again, once.
   * @param tail calls after the trunk; the precision gate's among them
   * @returns the words of `result`
   */
  async runGated(
    program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[], first: GPUCommandBuffer | null,
    meanwhile?: () => void,
  ): Promise<Uint32Array> {
    const { pool } = this.#paging;
    let words = await this.runToken(program, contents, tail, first, meanwhile);
    const gate = pool.tier?.gate ?? null;
    const probability = new Float32Array(words.buffer, words.byteOffset, HEAD_WORDS)[CONFIDENCE_WORD];
    // Not a number where logits aren't: then running again would not help.
    if (gate !== null && tail.length > 0 && probability <= gate && await pool.promoteStep()) {
      words = await this.runToken(program, contents, tail, null);
    }
    pool.finishStep();
    return words;
  }

  /**
   * Runs a step of one token until no expert was missing.
   * @param tail calls after the trunk
   * @param first commands of trunk, tail and copyOutcome where they are encoded already
   * @param meanwhile run once while the GPU works
   * @returns the words of `result`
   */
  async runToken(
    program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[], first: GPUCommandBuffer | null,
    meanwhile?: () => void,
  ): Promise<Uint32Array> {
    const { pool } = this.#paging;
    const { counters, shape } = pool;
    let commands = first ?? this.#encode([...program.trunk, ...tail], this.copyOutcome);
    let done = 0;
    let restore: readonly GPUCommandBuffer[] = [];
    for (let attempt = 0; ; attempt++) {
      this.#resources.step.write(contents);
      this.#device.queue.submit([...restore, commands]);
      const outcome = await this.#readOutcome(attempt, attempt === 0 ? meanwhile : undefined);
      const missed = outcome[HEAD_WORDS + STEP_MISSED_LAYER];
      const end = missed === 0 ? program.sections.length : this.#sectionOf(program, missed - 1);
      for (; done < end; done++) this.#count(program.sections[done], outcome, 0);
      if (missed === 0) {
        pool.stepped('decode', attempt === 0);
        return outcome.slice(0, HEAD_WORDS);
      }
      // What the GPU says is checked: an id out of range would be a wrong slot later.
      const section = program.sections[end];
      const keys = this.#routedKeys(section, outcome);
      const missing = keys.filter((key) => !pool.isResident(key)).length;
      if (missing === 0 || attempt > shape.expertLayerCount) throw new Error('the GPU missed an expert that is resident: it computes wrongly');
      counters.missedLayers += 1;
      this.#count(section, outcome, missing);
      done = end + 1;
      const likely = program.sections.slice(end + 1).flatMap((later) => this.#routedKeys(later, outcome));
      await this.#fetch(section.layerIndex, keys, likely, missing, attempt);
      restore = [this.#restoreStream(section)];
      commands = this.#encode([...program.trunk.slice(section.resume), ...tail], this.copyOutcome);
    }
  }

  /** Runs the trunk of a batch; the calls after it may follow in later submits. */
  async runBatch(program: PreparedProgram, contents: StepContents): Promise<void> {
    const { pool } = this.#paging;
    this.#resources.step.write(contents);
    let from = 0;
    for (const section of program.sections) {
      const before = program.trunk.slice(from, section.begin);
      const products = program.trunk.slice(section.begin, section.combine);
      let needed: readonly ExpertKey[];
      if (pool.holdsLayer(section.layerIndex)) {
        needed = Array.from({ length: pool.shape.expertCount }, (_, expert) => pool.key(section.layerIndex, expert));
        this.#device.queue.submit([this.#encode(before)]);
      } else {
        needed = await this.#idsOf(section, contents.tokens.length, before);
        pool.routed(needed, 'prefill', 0);
      }
      for await (const _ of pool.waves(section.layerIndex, needed)) this.#device.queue.submit([this.#encode(products)]);
      from = section.combine;
    }
    this.#device.queue.submit([this.#encode(program.trunk.slice(from))]);
    pool.stepped('prefill', false);
  }

  destroy(): void {
    this.#idsReadback?.destroy();
  }

  async #readOutcome(attempt: number, meanwhile?: () => void): Promise<Uint32Array> {
    const { readback: { buffer }, stampsByteOffset } = this.#resources.experts;
    const observer = this.#observer?.tracer.on ? this.#observer : null;
    const start = observer ? observer.tracer.now() : 0;
    const mapped = buffer.mapAsync(MAP_MODE_READ);
    meanwhile?.();
    await mapped;
    const bytes = buffer.getMappedRange().slice(0);
    buffer.unmap();
    if (observer?.tracer.on) await observer.steps.arrived(start, attempt, new BigUint64Array(bytes, stampsByteOffset, 2));
    return new Uint32Array(bytes);
  }

  /** Gives the residual stream back the row that a layer kept. */
  #restoreStream({ stream }: ExpertSection): GPUCommandBuffer {
    const view = this.#resources.activations.view(stream);
    const encoder = this.#device.createCommandEncoder({ label: 'resume' });
    encoder.copyBufferToBuffer(this.#paging.kept.buffer, 0, view.buffer, view.byteOffset, stream.cols * 4);
    return encoder.finish();
  }

  /** Loads what a layer lacks, and with it what later layers probably will. */
  async #fetch(
    layerIndex: number, keys: readonly ExpertKey[], likely: readonly ExpertKey[], missing: number, attempt: number,
  ): Promise<void> {
    const { pool } = this.#paging;
    const tracer = this.#observer?.tracer;
    const start = tracer?.on ? tracer.now() : 0;
    await pool.ensure(layerIndex, keys, likely);
    if (!tracer?.on) return;
    tracer.current.missedLayers += 1;
    tracer.span('missedLayer', start, tracer.now(), tracer.layerAt(layerIndex), missing, attempt + 1);
  }

  #sectionOf(program: PreparedProgram, layerIndex: number): number {
    const found = program.sections.findIndex((section) => section.layerIndex === layerIndex);
    if (found < 0) throw new Error(`the GPU missed an expert of layer ${layerIndex}, which has none: it computes wrongly`);
    return found;
  }

  #routedKeys({ layerIndex, ids }: ExpertSection, outcome: Uint32Array): ExpertKey[] {
    const at = 2 * HEAD_WORDS + layerIndex * ids.cols;
    return [...new Set(outcome.subarray(at, at + ids.cols))].map((expert) => this.#checkedKey(layerIndex, expert));
  }

  #checkedKey(layerIndex: number, expert: number): ExpertKey {
    const { pool } = this.#paging;
    if (expert >= pool.shape.expertCount) throw new Error(`the GPU routed to expert ${expert} of ${pool.shape.expertCount}: it computes wrongly`);
    return pool.key(layerIndex, expert);
  }

  #count(section: ExpertSection, outcome: Uint32Array, missing: number): void {
    const { pool } = this.#paging;
    const keys = this.#routedKeys(section, outcome);
    pool.counters.hits += keys.length - missing;
    pool.counters.misses += missing;
    pool.routed(keys, 'decode', missing);
    const tracer = this.#observer?.tracer;
    if (!tracer?.on) return;
    tracer.current.hits += keys.length - missing;
    tracer.current.misses += missing;
    for (const key of keys) tracer.routed(section.layerIndex, key % pool.shape.expertCount);
  }

  /** Runs `before` and reads which experts the batch needs, in rising order. */
  async #idsOf({ layerIndex, ids }: ExpertSection, tokens: number, before: readonly PreparedCall[]): Promise<ExpertKey[]> {
    const view = this.#resources.activations.view(ids);
    const byteLength = tokens * ids.cols * 4;
    if (!this.#idsReadback || this.#idsReadback.size < byteLength) {
      this.#idsReadback?.destroy();
      this.#idsReadback = this.#device.createBuffer({ label: 'expert ids readback', size: view.byteLength, usage: GPU_MAP_READ | GPU_COPY_DST });
    }
    const target = this.#idsReadback;
    this.#device.queue.submit([this.#encode(before, (encoder) =>
      encoder.copyBufferToBuffer(view.buffer, view.byteOffset, target, 0, byteLength))]);
    await target.mapAsync(MAP_MODE_READ, 0, byteLength);
    const experts = new Set(new Uint32Array(target.getMappedRange(0, byteLength)));
    target.unmap();
    return [...experts].sort((a, b) => a - b).map((expert) => this.#checkedKey(layerIndex, expert));
  }
}
