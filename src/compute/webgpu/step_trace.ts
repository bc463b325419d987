/** What the recorder is told of a step's work on the GPU: its own time, the way there and back, and each kernel's time. */
import type { Tracer } from '../../profile/trace.ts';
import { GPU_COPY_SRC, GPU_QUERY_RESOLVE } from './device.ts';
import { createKernelProfile, type KernelProfile } from './kernel_profile.ts';
import { encodeCalls, type PreparedCall } from './pipeline_cache.ts';

/** Bytes at the readback's end: when the first pass began and the last one ended, u64 nanoseconds. */
export const STAMPS_BYTE_LENGTH = 16;

/** Copies to be encoded after the call of this place. */
export type CopiesAfter = ReadonlyMap<number, (encoder: GPUCommandEncoder) => void>;

/** How commands are encoded; commands of another mode than the present one can't be submitted. */
export type TraceMode = 'off' | 'step' | 'kernels';

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
  #kernels: KernelProfile | null = null;
  #waitEnd = 0;

  constructor(device: GPUDevice, tracer: Tracer) {
    this.#device = device;
    this.#tracer = tracer;
    const timed = device.features.has('timestamp-query');
    this.#querySet = timed ? device.createQuerySet({ label: 'step times', type: 'timestamp', count: 2 }) : null;
    this.#resolved = timed ? device.createBuffer({
      label: 'step times', size: STAMPS_BYTE_LENGTH, usage: GPU_QUERY_RESOLVE | GPU_COPY_SRC,
    }) : null;
  }

  get mode(): TraceMode {
    if (!this.#tracer.on) return 'off';
    return this.#tracer.kernels && this.#querySet ? 'kernels' : 'step';
  }

  /** Encodes calls as the mode, which is not 'off', has it. */
  encode(encoder: GPUCommandEncoder, calls: readonly PreparedCall[], after: CopiesAfter): void {
    if (this.mode === 'kernels') {
      this.#kernels ??= createKernelProfile(this.#device);
      this.#kernels.encode(encoder, calls, after);
      return;
    }
    const cuts = [...after.keys()].sort((a, b) => a - b).filter((at) => at + 1 < calls.length);
    let from = 0;
    for (const cut of [...cuts, calls.length - 1]) {
      const [isFirst, isLast] = [from === 0, cut === calls.length - 1];
      const pass = encoder.beginComputePass({ label: 'step', ...this.#timestamps(isFirst, isLast) });
      encodeCalls(pass, calls.slice(from, cut + 1));
      pass.end();
      after.get(cut)?.(encoder);
      from = cut + 1;
    }
  }

  /** Copies the times of what was encoded before. */
  copyStamps(encoder: GPUCommandEncoder, target: GPUBuffer, byteOffset: number): void {
    if (!this.#querySet || !this.#resolved || this.mode !== 'step') return;
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
    if (!this.#querySet || this.mode !== 'step' || !stamps) return;
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

  #timestamps(isFirst: boolean, isLast: boolean): Pick<GPUComputePassDescriptor, 'timestampWrites'> {
    if (!this.#querySet || (!isFirst && !isLast)) return {};
    return {
      timestampWrites: {
        querySet: this.#querySet,
        ...(isFirst ? { beginningOfPassWriteIndex: 0 } : {}), ...(isLast ? { endOfPassWriteIndex: 1 } : {}),
      },
    };
  }

  destroy(): void {
    this.#querySet?.destroy();
    this.#resolved?.destroy();
    this.#kernels?.destroy();
  }
}
