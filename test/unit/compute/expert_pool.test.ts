/** The pool of expert slots on a device that only keeps what is written to it. */
import { describe, expect, it } from 'vitest';
import type { ResidencyPolicy } from '../../../src/compute/residency.ts';
import { ExpertPool } from '../../../src/compute/webgpu/expert_pool.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';
import { createFakeDevice } from '../../support/fake_device.ts';

const ROW = 16;

/** One layer of four experts; row e holds bytes e + 1. */
const matrix = { format: 'F32', rows: 1, cols: 1, byteOffset: 0, byteLength: 0 } as const;
const MANIFEST = {
  expertCount: 4, expertStrideByteLength: ROW,
  expertLayers: [{ layer: 0, gate: matrix, up: matrix, down: { ...matrix, byteLength: ROW } }],
} as unknown as Manifest;

const POLICY: ResidencyPolicy = {
  initial: () => [], routed: () => undefined, stepped: () => undefined,
  victims: (candidates, count) => candidates.slice(0, count),
};

describe('expert pool', () => {
  it('ends a failed load only when no read of it is under way', async () => {
    const late: (() => void)[] = [];
    let failing = true;
    const source = {
      manifest: MANIFEST,
      async readExpertRow(_layer: number, expert: number, into: Uint8Array) {
        if (failing && expert === 0) throw new Error('expert 0 is damaged');
        if (failing) await new Promise<void>((resolve) => late.push(resolve));
        return into.fill(expert + 1);
      },
    } as unknown as ModelSource;
    const { device, buffers } = createFakeDevice();
    const pool = await ExpertPool.create(device, source, 2, { size: { byteLength: 2 * ROW }, createPolicy: () => POLICY }, 1024, null);
    let ended = false;
    const loading = pool.ensure(0, [0, 1]).finally(() => { ended = true; });
    const outcome = expect(loading).rejects.toThrow('expert 0 is damaged');
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(ended).toBe(false);
    late[0]();
    await outcome;
    expect([pool.isResident(0), pool.isResident(1)]).toEqual([false, false]);

    failing = false;
    await pool.ensure(0, [2, 3]);
    const slots = buffers.find(({ label }) => label.startsWith('expert slots 0'))!;
    expect([...slots.bytes]).toEqual([...new Uint8Array(ROW).fill(3), ...new Uint8Array(ROW).fill(4)]);
  });
});
