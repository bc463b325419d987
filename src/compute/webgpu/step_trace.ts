/** What the recorder is told of a step's work on the GPU: its own time, the way there and back, and each kernel's time. */
import type { Tracer } from '../../profile/trace.ts';
import { GPU_COPY_SRC, GPU_QUERY_RESOLVE, type OpenedDevice } from './device.ts';
import { createKernelProfile, type KernelProfile } from './kernel_profile.ts';
import { encodeCalls, type PreparedCall } from './pipeline_cache.ts';

/** Bytes at the readback's end: when the first pass began and the last one ended, u64 nanoseconds. */
export const STAMPS_BYTE_LENGTH = 16;

/**
 * How commands are encoded: as without a recorder ('off'), with what was routed ('step'), with the GPU's times as well
 * ('timed'), with a pass for each kernel. Commands of another mode than the running step's can't be submitted.
 */
export type TraceMode = 'off' | 'step' | 'timed' | 'kernels';

/**
 * On a graphics card one token in so many is timed: Dawn turns a GPU's ticks into nanoseconds with a kernel of its own,
 * which is made with two buffers and their uploads each time, and runs between barriers.
 */
const TIMED_EVERY_STEPS = 8;

/** The recorder, and what it is told of the GPU. */
export interface StepObserver {
  readonly tracer: Tracer;
  readonly steps: StepTrace;
}

export class StepTrace {
  readonly #device: GPUDevice;
  readonly #tracer: Tracer;
  readonly #querySet: GPUQuerySet | null;
  readonly #resolved: GPUBuffer | null;
  readonly #timedEverySteps: number;
  /** Decode steps since the last one that was timed, the running step included. */
  #sinceTimed = -1;
  #isDecode = false;
  #kernels: KernelProfile | null = null;
  #waitEnd = 0;

  constructor({ device, traits }: Pick<OpenedDevice, 'device' | 'traits'>, tracer: Tracer) {
    this.#device = device;
    this.#tracer = tracer;
    this.#timedEverySteps = traits.cpuAdapter ? 1 : TIMED_EVERY_STEPS;
    const timed = device.features.has('timestamp-query');
    this.#querySet = timed ? device.createQuerySet({ label: 'step times', type: 'timestamp', count: 2 }) : null;
    this.#resolved = timed ? device.createBuffer({
      label: 'step times', size: STAMPS_BYTE_LENGTH, usage: GPU_QUERY_RESOLVE | GPU_COPY_SRC,
    }) : null;
  }

  /** A step begins, recorded or not. */
  begin(isDecode: boolean): void {
    this.#isDecode = isDecode;
    if (!this.#tracer.on) this.#sinceTimed = -1;
    else if (isDecode) this.#sinceTimed = (this.#sinceTimed + 1) % this.#timedEverySteps;
  }

  /** Of the running step. */
  get mode(): TraceMode { return this.#modeOf(!this.#isDecode || this.#sinceTimed === 0); }

  /** Of the step after the running one, if both decode. */
  get nextMode(): TraceMode { return this.#modeOf((this.#sinceTimed + 1) % this.#timedEverySteps === 0); }

  #modeOf(isTimed: boolean): TraceMode {
    if (!this.#tracer.on) return 'off';
    if (!this.#querySet) return 'step';
    return this.#tracer.kernels ? 'kernels' : isTimed ? 'timed' : 'step';
  }

  /** Encodes calls as a mode, which is not 'off', has it. */
  encode(encoder: GPUCommandEncoder, calls: readonly PreparedCall[], mode: TraceMode): void {
    if (mode === 'kernels') {
      this.#kernels ??= createKernelProfile(this.#device);
      this.#kernels.encode(encoder, calls);
      return;
    }
    const timestampWrites = mode === 'timed' && this.#querySet
      ? { querySet: this.#querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 } : undefined;
    const pass = encoder.beginComputePass({ label: 'step', ...(timestampWrites ? { timestampWrites } : {}) });
    encodeCalls(pass, calls);
    pass.end();
  }

  /** Copies the times of what was encoded before, if it was timed. */
  copyStamps(encoder: GPUCommandEncoder, mode: TraceMode, target: GPUBuffer, byteOffset: number): void {
    if (!this.#querySet || !this.#resolved || mode !== 'timed') return;
    encoder.resolveQuerySet(this.#querySet, 0, 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, target, byteOffset, STAMPS_BYTE_LENGTH);
  }

  /**
   * The readback of a step that is one submit has arrived.
   * @param start when it was submitted
   * @param stamps what copyStamps() wrote, if it did
   */
  async arrived(start: number, attempt: number, stamps: BigUint64Array): Promise<void> {
    this.#tracer.span('submit', start, this.#tracer.now(), attempt);
    await this.pieceArrived(start, start, stamps);
  }

  /**
   * The readback of a piece of a step has arrived.
   * @param submitted when the piece was
   * @param waited since when nothing else was done than to wait for it
   * @param stamps what copyStamps() wrote, if it did; null where the piece was encoded without
   */
  async pieceArrived(submitted: number, waited: number, stamps: BigUint64Array | null): Promise<void> {
    const tracer = this.#tracer;
    const end = tracer.now();
    this.#waitEnd = end;
    tracer.current.waitMs += end - waited;
    if (this.mode === 'kernels') await this.#collectKernels();
    if (this.mode !== 'timed' || !stamps) return;
    const milliseconds = Number(stamps[1] - stamps[0]) / 1e6;
    // Clocks of some devices jump when they wake up.
    if (!(milliseconds >= 0 && milliseconds <= end - submitted)) return;
    tracer.addGpuTime(milliseconds);
    tracer.span('gpuPass', end - milliseconds, end, 1000 * milliseconds);
  }

  /** Records the kernels of the last submit. */
  async #collectKernels(): Promise<void> {
    const spans: { readonly kernel: string; readonly begin: number; readonly end: number }[] = [];
    await this.#kernels?.collect((kernel, begin, end) => spans.push({ kernel, begin, end }));
    const last = spans.at(-1);
    if (!last) return;
    for (const { kernel, begin, end } of spans) {
      this.#tracer.addGpuTime(end - begin);
      const offset = this.#waitEnd - last.end;
      this.#tracer.span('kernel', begin + offset, end + offset, 1000 * (end - begin), 0, 0, kernel);
    }
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved?.destroy();
    this.#kernels?.destroy();
  }
}
