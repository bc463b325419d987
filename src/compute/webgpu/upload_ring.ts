/**
 * Uploads of large rows through two mapped staging buffers: one is filled while the GPU copies the other. Several rows go
 * into one submit. On an NVIDIA H200 that moves 8 to 10 GB/s where queue.writeBuffer moves 3, in Chromium 6 where it moves
 * 1.5 (`npm run bench:residency -- --uploads`, rows of 1 MiB).
 */
import { checked, GPU_COPY_SRC, GPU_MAP_WRITE, MAP_MODE_WRITE } from './device.ts';

interface Staging {
  readonly buffer: GPUBuffer;
  /** The mapped memory; null while the GPU has the buffer. */
  range: Uint8Array<ArrayBuffer> | null;
  /** Settles when the buffer is mapped again. */
  mapped: Promise<void>;
}

interface Copy {
  readonly from: number;
  readonly target: GPUBuffer;
  readonly to: number;
  readonly byteLength: number;
}

export class UploadRing {
  readonly #device: GPUDevice;
  readonly #stagings: readonly Staging[];
  #at = 0;
  #used = 0;
  #copies: Copy[] = [];

  private constructor(device: GPUDevice, stagings: readonly Staging[]) {
    this.#device = device;
    this.#stagings = stagings;
  }

  /**
   * @param byteLength of each staging buffer, a multiple of 4: longer rows go in pieces
   * @throws Error with a sentence where the GPU has no room
   */
  static async create(device: GPUDevice, byteLength: number): Promise<UploadRing> {
    const make = async (): Promise<Staging> => {
      const buffer = await checked(device, `upload staging (${byteLength} bytes)`, () => device.createBuffer({
        label: 'upload staging', size: byteLength, usage: GPU_MAP_WRITE | GPU_COPY_SRC, mappedAtCreation: true,
      }));
      return { buffer, range: new Uint8Array(buffer.getMappedRange()), mapped: Promise.resolve() };
    };
    const first = await make();
    try {
      return new UploadRing(device, [first, await make()]);
    } catch (error) {
      first.buffer.destroy();
      throw error;
    }
  }

  get byteLength(): number {
    return this.#stagings.reduce((sum, { buffer }) => sum + buffer.size, 0);
  }

  /**
   * Has `bytes` copied to `target`, no later than the next flush. The bytes may be reused at once.
   * @param byteOffset and bytes.byteLength are multiples of 4
   */
  async write(target: GPUBuffer, byteOffset: number, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength;) {
      let staging = this.#stagings[this.#at];
      if (this.#used === staging.buffer.size) {
        this.flush();
        staging = this.#stagings[this.#at];
      }
      if (!staging.range) {
        await staging.mapped;
        staging.range = new Uint8Array(staging.buffer.getMappedRange());
      }
      const byteLength = Math.min(bytes.byteLength - at, staging.buffer.size - this.#used);
      staging.range.set(bytes.subarray(at, at + byteLength), this.#used);
      this.#copies.push({ from: this.#used, target, to: byteOffset + at, byteLength });
      this.#used += byteLength;
      at += byteLength;
    }
  }

  /** Submits the copies: work submitted from here on sees what was written. */
  flush(): void {
    if (this.#copies.length === 0) return;
    const staging = this.#stagings[this.#at];
    staging.buffer.unmap();
    staging.range = null;
    const encoder = this.#device.createCommandEncoder({ label: 'uploads' });
    for (const { from, target, to, byteLength } of this.#copies) encoder.copyBufferToBuffer(staging.buffer, from, target, to, byteLength);
    this.#device.queue.submit([encoder.finish()]);
    staging.mapped = staging.buffer.mapAsync(MAP_MODE_WRITE);
    // A lost device rejects it; whoever writes next is told.
    staging.mapped.catch(() => undefined);
    this.#copies = [];
    this.#used = 0;
    this.#at = (this.#at + 1) % this.#stagings.length;
  }

  destroy(): void {
    for (const { buffer } of this.#stagings) buffer.destroy();
  }
}
