/** Ways to bring an expert row to the GPU, timed: what the pool's upload path was chosen by. */
import type { Print } from './sweep.ts';

/** Bytes that each way moves in one measurement. */
const TOTAL_BYTES = 512 * 1024 * 1024;
const RING = 8;
const MAP_WRITE = 0x0002;
const COPY_SRC = 0x0004;
const COPY_DST = 0x0008;
const STORAGE = 0x0080;
const MAP_MODE_WRITE = 0x0002;

interface UploadRate {
  readonly way: string;
  readonly rowByteLength: number;
  readonly gigabytesPerSecond: number;
}

interface Rig {
  readonly device: GPUDevice;
  readonly slab: GPUBuffer;
  readonly row: Uint8Array<ArrayBuffer>;
  readonly count: number;
}

async function viaWriteBuffer({ device, slab, row, count }: Rig): Promise<void> {
  for (let i = 0; i < count; i++) {
    device.queue.writeBuffer(slab, (i % RING) * row.byteLength, row);
    if (i % 64 === 63) await device.queue.onSubmittedWorkDone();
  }
  await device.queue.onSubmittedWorkDone();
}

/** A few staging buffers that are mapped again as soon as the GPU has read them. */
async function viaRing({ device, slab, row, count }: Rig): Promise<void> {
  const ring = Array.from({ length: RING }, () => device.createBuffer({ size: row.byteLength, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true }));
  const ready: Promise<unknown>[] = ring.map(() => Promise.resolve());
  for (let i = 0; i < count; i++) {
    const at = i % RING;
    await ready[at];
    new Uint8Array(ring[at].getMappedRange()).set(row);
    ring[at].unmap();
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(ring[at], 0, slab, at * row.byteLength, row.byteLength);
    device.queue.submit([encoder.finish()]);
    ready[at] = ring[at].mapAsync(MAP_MODE_WRITE);
  }
  await Promise.all(ready);
  for (const buffer of ring) buffer.destroy();
}

/** The same, eight rows in one submit. */
async function viaRingBatches({ device, slab, row, count }: Rig): Promise<void> {
  const ring = Array.from({ length: 2 }, () => device.createBuffer({ size: RING * row.byteLength, usage: MAP_WRITE | COPY_SRC, mappedAtCreation: true }));
  const ready: Promise<unknown>[] = ring.map(() => Promise.resolve());
  for (let i = 0; i < count / RING; i++) {
    const at = i % ring.length;
    await ready[at];
    const range = new Uint8Array(ring[at].getMappedRange());
    for (let j = 0; j < RING; j++) range.set(row, j * row.byteLength);
    ring[at].unmap();
    const encoder = device.createCommandEncoder();
    for (let j = 0; j < RING; j++) encoder.copyBufferToBuffer(ring[at], j * row.byteLength, slab, j * row.byteLength, row.byteLength);
    device.queue.submit([encoder.finish()]);
    ready[at] = ring[at].mapAsync(MAP_MODE_WRITE);
  }
  await Promise.all(ready);
  for (const buffer of ring) buffer.destroy();
}

async function viaMappedAtCreation({ device, slab, row, count }: Rig): Promise<void> {
  for (let i = 0; i < count; i++) {
    const staging = device.createBuffer({ size: row.byteLength, usage: COPY_SRC, mappedAtCreation: true });
    new Uint8Array(staging.getMappedRange()).set(row);
    staging.unmap();
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(staging, 0, slab, (i % RING) * row.byteLength, row.byteLength);
    device.queue.submit([encoder.finish()]);
    staging.destroy();
    if (i % 64 === 63) await device.queue.onSubmittedWorkDone();
  }
  await device.queue.onSubmittedWorkDone();
}

const RING_WAY = 'mapped ring, 8 rows a submit';

const WAYS: Readonly<Record<string, (rig: Rig) => Promise<void>>> = {
  writeBuffer: viaWriteBuffer, 'mapped ring': viaRing, [RING_WAY]: viaRingBatches,
  mappedAtCreation: viaMappedAtCreation,
};

/** Row sizes that the table has. */
const ROW_BYTE_LENGTHS = [256 * 1024, 1024 * 1024, 4 * 1024 * 1024];

/** Prints a table in Markdown. @param adapter its name */
export async function printUploads(device: GPUDevice, adapter: string, print: Print): Promise<void> {
  await print(`${adapter}\n\n| way | row | GB/s |\n|---|---|---|`);
  await measureUploads(device, ROW_BYTE_LENGTHS, ({ way, rowByteLength, gigabytesPerSecond }) =>
    print(`| ${way} | ${rowByteLength / 1024} KiB | ${gigabytesPerSecond.toFixed(2)} |`));
}

/** Each way at each row size, after a warm-up. */
async function measureUploads(
  device: GPUDevice, rowByteLengths: readonly number[], onFound: (rate: UploadRate) => void | Promise<void>,
): Promise<void> {
  for (const rowByteLength of rowByteLengths) {
    for (const way of Object.keys(WAYS)) {
      await onFound({ way, rowByteLength, gigabytesPerSecond: await gigabytesPerSecond(device, way, rowByteLength) });
    }
  }
}

/** GB/s of the way that the pool's own uploads go. @param rowByteLength a multiple of 4 */
export function measureRingUploads(device: GPUDevice, rowByteLength: number): Promise<number> {
  return gigabytesPerSecond(device, RING_WAY, rowByteLength);
}

async function gigabytesPerSecond(device: GPUDevice, way: string, rowByteLength: number): Promise<number> {
  const row = new Uint8Array(rowByteLength).map((_, i) => i);
  const slab = device.createBuffer({ size: RING * rowByteLength, usage: STORAGE | COPY_DST });
  const count = Math.max(2 * RING, RING * Math.ceil(TOTAL_BYTES / rowByteLength / RING));
  await WAYS[way]({ device, slab, row, count: 2 * RING });
  const start = performance.now();
  await WAYS[way]({ device, slab, row, count });
  const seconds = (performance.now() - start) / 1000;
  slab.destroy();
  return count * rowByteLength / seconds / 1e9;
}
