/** A GPU device that computes nothing but keeps what is written and copied to its buffers. */

export interface FakeBuffer {
  readonly label: string;
  readonly size: number;
  readonly bytes: Uint8Array;
}

export interface FakeDevice {
  readonly device: GPUDevice;
  readonly buffers: readonly FakeBuffer[];
}

interface Copy {
  readonly from: FakeBuffer;
  readonly at: number;
  readonly to: FakeBuffer;
  readonly toAt: number;
  readonly byteLength: number;
}

export function createFakeDevice(): FakeDevice {
  const buffers: FakeBuffer[] = [];
  const device = {
    pushErrorScope: () => undefined,
    popErrorScope: async () => null,
    createBuffer({ label, size }: { label: string; size: number }) {
      const bytes = new Uint8Array(size);
      const buffer = {
        label, size, bytes, destroy: () => undefined, unmap: () => undefined, mapAsync: async () => undefined,
        getMappedRange: () => bytes.buffer,
      };
      buffers.push(buffer);
      return buffer;
    },
    createCommandEncoder() {
      const copies: Copy[] = [];
      return {
        copyBufferToBuffer(from: FakeBuffer, at: number, to: FakeBuffer, toAt: number, byteLength: number) {
          copies.push({ from, at, to, toAt, byteLength });
        },
        finish: () => copies,
      };
    },
    queue: {
      writeBuffer(target: FakeBuffer, at: number, data: ArrayBufferView, dataAt = 0, byteLength = data.byteLength - dataAt) {
        target.bytes.set(new Uint8Array(data.buffer, data.byteOffset + dataAt, byteLength), at);
      },
      submit(commands: readonly (readonly Copy[])[]) {
        for (const { from, at, to, toAt, byteLength } of commands.flat()) to.bytes.set(from.bytes.subarray(at, at + byteLength), toAt);
      },
      onSubmittedWorkDone: async () => undefined,
    },
  };
  return { device: device as unknown as GPUDevice, buffers };
}
