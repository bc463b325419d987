/**
 * Steps of a model whose experts are paged. A step of one token is submitted in pieces. Where a layer lacks an expert, the
 * rest of the step is a guess that tells what later layers will want: all of it, or only the pieces that the GPU has when
 * the CPU hears of it (step_pace.ts). What is missing is loaded meanwhile, and the step resumes at the first layer that
 * lacked something, until none does. A batch needs most experts of a layer: it is submitted layer by layer, with the
 * experts in waves. Either way each kernel that counts has run on the same inputs as if every expert had been resident, so
 * the result is the same bit for bit.
 */
import type { ExpertKey } from '../residency.ts';
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ } from './device.ts';
import { STEP_MISSED } from './kernel.ts';
import type { ModelResources, PreparedProgram } from './model_resources.ts';
import type { PreparedCall } from './pipeline_cache.ts';
import type { ExpertSection, PagingContext } from './program.ts';
import type { StepContents } from './step_buffer.ts';
import { StepPace } from './step_pace.ts';
import { PIECE_CALLS, StepPieces, type Launch, type StepEncoder } from './step_pieces.ts';
import type { StepObserver } from './step_trace.ts';

/** Words of a readback: result, the step's head, what was routed. */
const HEAD_WORDS = 4;
/** In `result`: confidence.wgsl. */
const CONFIDENCE_WORD = 1;
/** On a software adapter a call takes milliseconds: about a layer. */
const PIECE_CALLS_CPU = 16;

/** In a stepwise step: while the CPU hears of one and submits the next, the GPU has the other. */
const PIECES_IN_FLIGHT = 2;

/** A step is over: what it answers, and how many experts it went without. */
interface Finished {
  readonly result: Uint32Array;
  readonly toleratedMisses: number;
}

/** A layer that lacked experts. */
interface Missed {
  readonly section: ExpertSection;
  readonly keys: readonly ExpertKey[];
  /** How many of them. */
  readonly missing: number;
  /** What each later layer wants, by the guess. */
  readonly guessed: (readonly ExpertKey[])[];
  /** Expert layers of the program that are over with it. */
  readonly counted: number;
  /** When it became known, by the recorder's clock. */
  readonly start: number;
}

export class PagedSteps {
  readonly #device: GPUDevice;
  readonly #resources: ModelResources;
  readonly #paging: PagingContext;
  readonly #encoder: StepEncoder;
  readonly #observer: StepObserver | null;
  readonly #pieces: StepPieces;
  readonly #pace: StepPace;
  #idsReadback: GPUBuffer | null = null;

  constructor(
    device: GPUDevice, resources: ModelResources, paging: PagingContext, encoder: StepEncoder, observer: StepObserver | null,
    isCpuAdapter: boolean,
  ) {
    this.#device = device;
    this.#resources = resources;
    this.#paging = paging;
    this.#encoder = encoder;
    this.#observer = observer;
    this.#pieces = new StepPieces(device, resources, paging, encoder, observer, isCpuAdapter ? PIECE_CALLS_CPU : PIECE_CALLS);
    this.#pace = new StepPace(paging.pool.stepMode);
  }

  /**
   * Runs a step of one token. Where it comes out unsure and there is a precision gate, its experts get their copies of
   * more bits and it runs again, once.
   * @param tail calls after the trunk; the precision gate's among them
   * @returns the words of `result`
   */
  async runToken(program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[]): Promise<Uint32Array> {
    const { pool } = this.#paging;
    let outcome = await this.#runToken(program, contents, tail);
    const gate = pool.tier?.gate ?? null;
    const probability = new Float32Array(outcome.result.buffer)[CONFIDENCE_WORD];
    // Not a number where logits aren't: then running again would not help.
    if (gate !== null && tail.length > 0 && probability <= gate && await pool.promoteStep()) {
      outcome = await this.#runToken(program, contents, tail);
    }
    if (outcome.toleratedMisses > 0) pool.counters.toleratedSteps += 1;
    pool.counters.toleratedMisses += outcome.toleratedMisses;
    pool.finishStep();
    return outcome.result;
  }

  /**
   * Runs a step of one token until no expert was missing, or no more than may be.
   * @param tail calls after the trunk
   */
  async #runToken(program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[]): Promise<Finished> {
    const { pool } = this.#paging;
    // Only a step that is submitted whole can go on without an expert.
    const isStepwise = pool.missTolerance === 0 && this.#pace.isStepwise(this.#pieces.countOf(program, tail));
    const depth = isStepwise ? PIECES_IN_FLIGHT : Infinity;
    let launch: Launch = { program, tail, from: 0, before: [], depth, attempt: 0 };
    for (let counted = 0; ;) {
      this.#resources.step.write(contents);
      const outcome = await this.#launch(launch, counted);
      if (!('section' in outcome)) {
        pool.stepped('decode', launch.attempt === 0 && outcome.toleratedMisses === 0);
        if (isStepwise) pool.counters.stepwiseSteps += 1;
        this.#pace.stepped(isStepwise, launch.attempt);
        return outcome;
      }
      if (launch.attempt > pool.shape.expertLayerCount) throw new Error('the GPU misses experts of ever more layers: it computes wrongly');
      counted = outcome.counted;
      const { section } = outcome;
      launch = { ...launch, from: section.resume, before: [this.#restoreStream(section)], attempt: launch.attempt + 1 };
    }
  }

  /**
   * Runs a step or the rest of one, and loads what it lacked.
   * @param counted expert layers of the program that are over
   */
  async #launch(launch: Launch, counted: number): Promise<Finished | Missed> {
    const { program, attempt } = launch;
    const callCount = program.trunk.length + launch.tail.length;
    let missed: Missed | null = null;
    let finished: Finished | null = null;
    for await (const { piece, words } of this.#pieces.run(launch, () => missed !== null)) {
      const sections = program.sections.slice(Math.max(counted, piece.firstSection), piece.endSection);
      const at = missed ? 0 : this.#missedAt(sections, words);
      // Only the last piece knows the answer, and what all layers lacked.
      if (piece.end === callCount) finished = this.#finished(words);
      if (missed) {
        missed.guessed.push(...sections.map((section) => this.#routedKeys(section, words)));
        continue;
      }
      for (const section of sections.slice(0, at)) this.#count(section, words, 0);
      counted += at;
      if (at === sections.length) continue;
      missed = this.#miss(sections.slice(at), counted + 1, words);
      // Rows come while the GPU runs out what it has.
      await this.#load(missed);
    }
    if (missed) {
      await this.#load(missed);
      this.#traceMissed(missed, attempt);
      if (finished) this.#countGuessed(missed.guessed, finished.toleratedMisses - missed.missing);
    }
    const outcome = finished ?? missed;
    if (!outcome) throw new Error('a step ended without an answer and without a layer that lacked experts');
    return outcome;
  }

  /** The answer by the last piece of a step; null where it lacked more experts than it may go without. */
  #finished(words: Uint32Array): Finished | null {
    const toleratedMisses = words[HEAD_WORDS + STEP_MISSED] >>> 16;
    if (toleratedMisses > this.#paging.pool.missTolerance) return null;
    return { result: words.slice(0, HEAD_WORDS), toleratedMisses };
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
        this.#device.queue.submit([this.#encoder.encode(before)]);
      } else {
        needed = await this.#idsOf(section, contents.tokens.length, before);
        pool.routed(needed, 'prefill', 0);
      }
      for await (const _ of pool.waves(section.layerIndex, needed)) this.#device.queue.submit([this.#encoder.encode(products)]);
      from = section.combine;
    }
    this.#device.queue.submit([this.#encoder.encode(program.trunk.slice(from))]);
    pool.stepped('prefill', false);
  }

  destroy(): void {
    this.#pieces.destroy();
    this.#idsReadback?.destroy();
  }

  /** Gives the residual stream back the row that a layer kept. */
  #restoreStream({ stream }: ExpertSection): GPUCommandBuffer {
    const view = this.#resources.activations.view(stream);
    const encoder = this.#device.createCommandEncoder({ label: 'resume' });
    encoder.copyBufferToBuffer(this.#paging.kept.buffer, 0, view.buffer, view.byteOffset, stream.cols * 4);
    return encoder.finish();
  }

  /** Place among a piece's expert layers of the one that lacked something first; their number where none did. */
  #missedAt(sections: readonly ExpertSection[], words: Uint32Array): number {
    const missed = words[HEAD_WORDS + STEP_MISSED] & 0xffff;
    if (missed === 0) return sections.length;
    const found = sections.findIndex(({ layerIndex }) => layerIndex === missed - 1);
    // What the GPU says is checked: an id out of range would be a wrong slot later.
    if (found < 0) throw new Error(`the GPU missed an expert of layer ${missed - 1} out of turn: it computes wrongly`);
    return found;
  }

  /** @param sections of the piece that told it, from the one that lacked something on */
  #miss([section, ...later]: readonly ExpertSection[], counted: number, words: Uint32Array): Missed {
    const { pool } = this.#paging;
    const keys = this.#routedKeys(section, words);
    const missing = keys.filter((key) => !pool.isResident(key)).length;
    if (missing === 0) throw new Error('the GPU missed an expert that is resident: it computes wrongly');
    pool.counters.missedLayers += 1;
    this.#count(section, words, missing);
    const tracer = this.#observer?.tracer;
    const guessed = later.map((one) => this.#routedKeys(one, words));
    return { section, keys, missing, guessed, counted, start: tracer?.on ? tracer.now() : 0 };
  }

  /** Loads what a layer lacks, and with it what later layers probably will. */
  async #load({ section, keys, guessed }: Missed): Promise<void> {
    const { pool } = this.#paging;
    const likely = guessed.flat();
    if (![...keys, ...likely].every((key) => pool.isResident(key))) await pool.ensure(section.layerIndex, keys, likely);
  }

  #traceMissed({ section, missing, start }: Missed, attempt: number): void {
    const tracer = this.#observer?.tracer;
    if (!tracer?.on) return;
    tracer.current.missedLayers += 1;
    tracer.span('missedLayer', start, tracer.now(), tracer.layerAt(section.layerIndex), missing, attempt + 1);
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
    const keys = this.#routedKeys(section, outcome);
    this.#paging.pool.routed(keys, 'decode', missing);
    this.#tally(keys, missing);
  }

  /** Layers of a step that is over although they, or one before them, lacked `missing` experts. */
  #countGuessed(layers: readonly (readonly ExpertKey[])[], missing: number): void {
    for (const keys of layers) this.#paging.pool.routed(keys, 'decode', 0);
    this.#tally(layers.flat(), missing);
  }

  #tally(keys: readonly ExpertKey[], missing: number): void {
    const { counters, shape: { expertCount } } = this.#paging.pool;
    counters.hits += keys.length - missing;
    counters.misses += missing;
    const tracer = this.#observer?.tracer;
    if (!tracer?.on) return;
    tracer.current.hits += keys.length - missing;
    tracer.current.misses += missing;
    for (const key of keys) tracer.routed(Math.floor(key / expertCount), key % expertCount);
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
    this.#device.queue.submit([this.#encoder.encode(before, undefined, (encoder) =>
      encoder.copyBufferToBuffer(view.buffer, view.byteOffset, target, 0, byteLength))]);
    await target.mapAsync(MAP_MODE_READ, 0, byteLength);
    const experts = new Set(new Uint32Array(target.getMappedRange(0, byteLength)));
    target.unmap();
    return [...experts].sort((a, b) => a - b).map((expert) => this.#checkedKey(layerIndex, expert));
  }
}
