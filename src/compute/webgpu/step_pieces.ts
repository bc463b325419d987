/**
 * A step of one token in pieces of a few layers, each a submit of its own with a small readback of its own: the GPU works
 * on the first while the rest is encoded and submitted, and what a layer lacks is known before the step is over.
 */
import { GPU_COPY_DST, GPU_MAP_READ, MAP_MODE_READ } from './device.ts';
import { ROUTED_BYTE_OFFSET } from './expert_resources.ts';
import type { ModelResources, PreparedProgram } from './model_resources.ts';
import type { PreparedCall } from './pipeline_cache.ts';
import type { ExpertSection, PagingContext } from './program.ts';
import type { StepObserver, TraceMode } from './step_trace.ts';

/**
 * Calls in a piece of a step. On a fast card a call takes some 20 microseconds, so a piece takes about a millisecond: a
 * readback's way there and back is short beside it.
 */
export const PIECE_CALLS = 50;

/** A run of calls: trunk and tail of a step are cut where a layer ends. */
export interface Piece {
  readonly begin: number;
  /** Behind its last call. */
  readonly end: number;
  /** The expert layers whose routing it tells: from this one to `endSection`, which it doesn't. */
  readonly firstSection: number;
  readonly endSection: number;
}

/**
 * Cuts a step into pieces of about `pieceCalls` calls, all with as many expert layers as the others or one more.
 * @param callCount of trunk and tail
 */
export function planPieces(sections: readonly Pick<ExpertSection, 'combine'>[], callCount: number, pieceCalls: number): Piece[] {
  const count = Math.max(1, Math.min(sections.length, Math.round(callCount / pieceCalls)));
  const ends = Array.from({ length: count }, (_, i) => Math.floor((i + 1) * sections.length / count));
  return ends.map((endSection, i) => {
    const firstSection = i === 0 ? 0 : ends[i - 1];
    return {
      begin: i === 0 ? 0 : sections[firstSection - 1].combine + 1,
      end: i === count - 1 ? callCount : sections[endSection - 1].combine + 1,
      firstSection, endSection,
    };
  });
}

/** How a step's commands are encoded. */
export interface StepEncoder {
  /** The running step's: commands that were encoded in another mode can't be submitted. */
  mode(): TraceMode;
  nextMode(): TraceMode;
  /** @param stamps readback for the times, at ExpertResources.stampsByteOffset */
  encode(
    calls: readonly PreparedCall[], mode?: TraceMode, copy?: (encoder: GPUCommandEncoder) => void, stamps?: GPUBuffer,
  ): GPUCommandBuffer;
}

/** What a piece told when it was done. */
export interface PieceNews {
  readonly piece: Piece;
  /** As ModelResources.readback has them; `result` is there in the last piece's only. */
  readonly words: Uint32Array;
}

/** A step, or the rest of one, to be submitted. */
export interface Launch {
  readonly program: PreparedProgram;
  /** Calls after the trunk. */
  readonly tail: readonly PreparedCall[];
  /** The first call to run. */
  readonly from: number;
  /** Submitted before. */
  readonly before: readonly GPUCommandBuffer[];
  /** Pieces that may wait on the GPU at a time. */
  readonly depth: number;
  /** How often the step was launched before. */
  readonly attempt: number;
}

/** The pieces of one program, and what is encoded of them. */
interface Stock {
  readonly program: PreparedProgram;
  readonly tail: readonly PreparedCall[];
  readonly isWhole: boolean;
  readonly calls: readonly PreparedCall[];
  readonly pieces: readonly Piece[];
  /** By piece. Commands serve one submit, and only in the mode that they were encoded in; null where there are none. */
  readonly ready: ({ readonly mode: TraceMode; readonly commands: GPUCommandBuffer } | null)[];
}

interface Flying {
  readonly index: number;
  readonly mode: TraceMode;
  readonly submitted: number;
  readonly mapped: Promise<undefined>;
}

export class StepPieces {
  readonly #device: GPUDevice;
  readonly #resources: ModelResources;
  readonly #paging: PagingContext;
  readonly #encoder: StepEncoder;
  readonly #observer: StepObserver | null;
  readonly #pieceCalls: number;
  readonly #readbacks: GPUBuffer[] = [];
  #stock: Stock | null = null;

  /** @param pieceCalls calls in a piece, roughly */
  constructor(
    device: GPUDevice, resources: ModelResources, paging: PagingContext, encoder: StepEncoder, observer: StepObserver | null,
    pieceCalls: number,
  ) {
    this.#device = device;
    this.#resources = resources;
    this.#paging = paging;
    this.#encoder = encoder;
    this.#observer = observer;
    this.#pieceCalls = pieceCalls;
  }

  /**
   * Submits the pieces and yields what each tells, in order. No more are submitted once `halted` says so; what the GPU
   * has then runs out. While the GPU works, pieces that were used are encoded again, for the next step or a resume.
   */
  async *run(launch: Launch, halted: () => boolean): AsyncGenerator<PieceNews, void, undefined> {
    const stock = this.#stockFor(launch);
    const { pieces } = stock;
    const flying: Flying[] = [];
    let before = launch.before;
    let next = pieces.findIndex(({ end }) => launch.from < end);
    const tracer = this.#observer?.tracer;
    const start = tracer?.on ? tracer.now() : 0;
    try {
      for (;;) {
        for (; next < pieces.length && flying.length < launch.depth && !halted(); next++) {
          flying.push(this.#submit(stock, next, Math.max(launch.from, pieces[next].begin), before));
          before = [];
        }
        if (flying.length === 0) break;
        const words = await this.#arrival(stock, flying[0]);
        const { index } = flying.shift()!;
        yield { piece: pieces[index], words };
      }
      if (tracer?.on) tracer.span('submit', start, tracer.now(), launch.attempt);
    } finally {
      // After an error: a buffer that is mapped, or will be, could not be submitted again.
      for (const { index, mapped } of flying) {
        await mapped.catch(() => undefined);
        this.#readbacks[index].unmap();
      }
    }
  }

  /** How many pieces a step is. */
  countOf(program: PreparedProgram, tail: readonly PreparedCall[]): number {
    return this.#stockFor({ program, tail }).pieces.length;
  }

  destroy(): void {
    this.#stock = null;
    for (const buffer of this.#readbacks) buffer.destroy();
  }

  #stockFor({ program, tail }: Pick<Launch, 'program' | 'tail'>): Stock {
    // A profile of kernels knows the calls that were encoded last: they are one piece then.
    const isWhole = this.#encoder.mode() === 'kernels';
    const stock = this.#stock;
    if (stock && stock.program === program && stock.isWhole === isWhole && stock.tail.length === tail.length
      && stock.tail.every((call, i) => call === tail[i])) return stock;
    const calls = [...program.trunk, ...tail];
    const pieces = planPieces(program.sections, calls.length, isWhole ? calls.length : this.#pieceCalls);
    this.#stock = { program, tail, isWhole, calls, pieces, ready: pieces.map(() => null) };
    return this.#stock;
  }

  #submit(stock: Stock, index: number, from: number, before: readonly GPUCommandBuffer[]): Flying {
    const mode = this.#encoder.mode();
    const ready = from === stock.pieces[index].begin ? stock.ready[index] : null;
    const commands = ready?.mode === mode ? ready.commands : this.#encode(stock, index, from, mode);
    if (ready) stock.ready[index] = null;
    const tracer = this.#observer?.tracer;
    const submitted = tracer?.on ? tracer.now() : 0;
    this.#device.queue.submit([...before, commands]);
    const mapped = this.#readbacks[index].mapAsync(MAP_MODE_READ);
    // Whoever waits for it is told; with an error before that, nobody does.
    mapped.catch(() => undefined);
    return { index, mode, submitted, mapped };
  }

  /** Encodes one of the pieces that were used, as the next step will want it. */
  #refill(stock: Stock): void {
    const mode = this.#encoder.nextMode();
    if (stock.isWhole || mode === 'kernels') return;
    const index = stock.ready.indexOf(null);
    if (index >= 0) stock.ready[index] = { mode, commands: this.#encode(stock, index, stock.pieces[index].begin, mode) };
  }

  #encode({ calls, pieces }: Stock, index: number, from: number, mode: TraceMode): GPUCommandBuffer {
    const { result, step, experts: { readback } } = this.#resources;
    const { routed } = this.#paging;
    const target = this.#readbacks[index] ??= this.#device.createBuffer({
      label: `piece readback ${index}`, size: readback.byteLength, usage: GPU_MAP_READ | GPU_COPY_DST,
    });
    return this.#encoder.encode(calls.slice(from, pieces[index].end), mode, (encoder) => {
      if (index === pieces.length - 1) encoder.copyBufferToBuffer(result.buffer, result.byteOffset, target, 0, 16);
      encoder.copyBufferToBuffer(step.step.buffer, step.step.byteOffset, target, 16, 16);
      encoder.copyBufferToBuffer(routed.buffer, 0, target, ROUTED_BYTE_OFFSET, routed.byteLength);
    }, target);
  }

  async #arrival(stock: Stock, { index, mode, submitted, mapped }: Flying): Promise<Uint32Array> {
    const observer = this.#observer?.tracer.on ? this.#observer : null;
    const start = observer ? observer.tracer.now() : 0;
    this.#refill(stock);
    await mapped;
    const buffer = this.#readbacks[index];
    const bytes = buffer.getMappedRange().slice(0);
    buffer.unmap();
    if (observer?.tracer.on) {
      const stamps = mode === 'timed' ? new BigUint64Array(bytes, this.#resources.experts.stampsByteOffset, 2) : null;
      await observer.steps.pieceArrived(submitted, start, stamps);
    }
    return new Uint32Array(bytes);
  }
}
