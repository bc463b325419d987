/**
 * Steps of a model whose experts are paged. A step of one token is submitted in pieces. Where a layer lacks an expert, the
 * rest of the step is a guess that tells what later layers will want; what is missing is loaded while the GPU goes on with
 * the guess, and the step resumes at the first layer that lacked something, until none does. A batch needs most experts of
 * a layer: it is submitted layer by layer, with the experts in waves. Either way each kernel that counts has run on the
 * same inputs as if every expert had been resident, so the result is the same bit for bit.
 */
import type { ExpertKey } from '../residency.ts';
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ } from './device.ts';
import { STEP_MISSED_LAYER } from './kernel.ts';
import type { ModelResources, PreparedProgram } from './model_resources.ts';
import type { PreparedCall } from './pipeline_cache.ts';
import type { ExpertSection, PagingContext } from './program.ts';
import type { StepContents } from './step_buffer.ts';
import { StepPieces, type Launch, type StepEncoder } from './step_pieces.ts';
import type { StepObserver } from './step_trace.ts';

/** Words of a readback: result, the step's head, what was routed. */
const HEAD_WORDS = 4;
/** In `result`: confidence.wgsl. */
const CONFIDENCE_WORD = 1;
/**
 * Calls in a piece of a step. On a fast card a call takes some 20 microseconds, so a piece takes about a millisecond: a
 * readback's way there and back is short beside it.
 */
const PIECE_CALLS = 50;
/** On a software adapter a call takes milliseconds: about a layer. */
const PIECE_CALLS_CPU = 16;

/** A layer that lacked experts. */
interface Missed {
  readonly section: ExpertSection;
  readonly keys: readonly ExpertKey[];
  /** How many of them. */
  readonly missing: number;
  /** What later layers want, by the guess. */
  readonly likely: ExpertKey[];
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
    this.#pieces = new StepPieces(
      device, resources, paging, encoder, observer, isCpuAdapter ? PIECE_CALLS_CPU : PIECE_CALLS);
  }

  /**
   * Runs a step of one token. Where it comes out unsure and there is a precision gate, its experts get their copies of
   * more bits and it runs again, once.
   * @param tail calls after the trunk; the precision gate's among them
   * @returns the words of `result`
   */
  async runGated(program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[]): Promise<Uint32Array> {
    const { pool } = this.#paging;
    let words = await this.runToken(program, contents, tail);
    const gate = pool.tier?.gate ?? null;
    const probability = new Float32Array(words.buffer, words.byteOffset, HEAD_WORDS)[CONFIDENCE_WORD];
    // Not a number where logits aren't: then running again would not help.
    if (gate !== null && tail.length > 0 && probability <= gate && await pool.promoteStep()) {
      words = await this.runToken(program, contents, tail);
    }
    pool.finishStep();
    return words;
  }

  /**
   * Runs a step of one token until no expert was missing.
   * @param tail calls after the trunk
   * @returns the words of `result`
   */
  async runToken(program: PreparedProgram, contents: StepContents, tail: readonly PreparedCall[]): Promise<Uint32Array> {
    const { pool } = this.#paging;
    let [from, done] = [0, 0];
    let before: readonly GPUCommandBuffer[] = [];
    for (let attempt = 0; ; attempt++) {
      this.#resources.step.write(contents);
      let missed: Missed | null = null;
      let result: Uint32Array | null = null;
      const launch: Launch = { program, tail, from, before, depth: Infinity, attempt };
      for await (const { piece, words } of this.#pieces.run(launch, () => missed !== null)) {
        const sections = program.sections.slice(piece.firstSection, piece.endSection);
        if (missed) {
          missed.likely.push(...sections.flatMap((section) => this.#routedKeys(section, words)));
          continue;
        }
        const at = this.#missedSection(sections, words);
        const end = piece.firstSection + at;
        for (; done < end; done++) this.#count(program.sections[done], words, 0);
        if (at === sections.length) {
          result = words;
          continue;
        }
        if (attempt > pool.shape.expertLayerCount) throw new Error('the GPU misses experts of ever more layers: it computes wrongly');
        missed = this.#miss(sections, at, words);
        done = end + 1;
        // Rows come while the GPU runs out what it has.
        await this.#load(missed);
      }
      if (!missed) {
        pool.stepped('decode', attempt === 0);
        return result!.slice(0, HEAD_WORDS);
      }
      await this.#load(missed);
      this.#traceMissed(missed, attempt);
      from = missed.section.resume;
      before = [this.#restoreStream(missed.section)];
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
  #missedSection(sections: readonly ExpertSection[], words: Uint32Array): number {
    const missed = words[HEAD_WORDS + STEP_MISSED_LAYER];
    if (missed === 0) return sections.length;
    const found = sections.findIndex(({ layerIndex }) => layerIndex === missed - 1);
    // What the GPU says is checked: an id out of range would be a wrong slot later.
    if (found < 0) throw new Error(`the GPU missed an expert of layer ${missed - 1}, where it has not been: it computes wrongly`);
    return found;
  }

  /** @param sections of the piece that told it */
  #miss(sections: readonly ExpertSection[], at: number, words: Uint32Array): Missed {
    const { pool } = this.#paging;
    const section = sections[at];
    const keys = this.#routedKeys(section, words);
    const missing = keys.filter((key) => !pool.isResident(key)).length;
    if (missing === 0) throw new Error('the GPU missed an expert that is resident: it computes wrongly');
    pool.counters.missedLayers += 1;
    this.#count(section, words, missing);
    const tracer = this.#observer?.tracer;
    const likely = sections.slice(at + 1).flatMap((later) => this.#routedKeys(later, words));
    return { section, keys, missing, likely, start: tracer?.on ? tracer.now() : 0 };
  }

  /** Loads what a layer lacks, and with it what later layers probably will. */
  async #load({ section, keys, likely }: Missed): Promise<void> {
    const { pool } = this.#paging;
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
    this.#device.queue.submit([this.#encoder.encode(before, undefined, (encoder) =>
      encoder.copyBufferToBuffer(view.buffer, view.byteOffset, target, 0, byteLength))]);
    await target.mapAsync(MAP_MODE_READ, 0, byteLength);
    const experts = new Set(new Uint32Array(target.getMappedRange(0, byteLength)));
    target.unmap();
    return [...experts].sort((a, b) => a - b).map((expert) => this.#checkedKey(layerIndex, expert));
  }
}
