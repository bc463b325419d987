import { expect, it } from 'vitest';
import { keepTierRows } from '../../../src/storage/kept_tier_rows.ts';
import type { Manifest, ModelSource } from '../../../src/storage/model_source.ts';

interface Reads {
  readonly source: ModelSource;
  /** 'layer/expert' of each read that reached the source. */
  readonly reads: string[];
  failing: boolean;
}

function countedSource(): Reads {
  const reads: string[] = [];
  const counted: Reads = {
    reads, failing: false,
    source: {
      manifest: { tier: { layers: [], strideByteLength: 4096 } } as unknown as Manifest,
      readDense: () => Promise.reject(new Error('not asked for')),
      readExpertRow: () => Promise.reject(new Error('not asked for')),
      async readTierRow(layer, expert) {
        reads.push(`${layer}/${expert}`);
        if (counted.failing) throw new Error('the disk is gone');
        return Uint8Array.of(layer, expert);
      },
      close: () => Promise.resolve(),
    },
  };
  return counted;
}

it('keeps the latest rows of the second tier, each read once', async () => {
  const { source, reads } = countedSource();
  const kept = keepTierRows(source, 2 * 4096);
  const [first, again] = await Promise.all([kept.readTierRow(0, 1), kept.readTierRow(0, 1)]);
  expect([[...first], [...again], reads]).toEqual([[0, 1], [0, 1], ['0/1']]);
  await kept.readTierRow(1, 2);
  await kept.readTierRow(0, 1);
  // The third row takes the place of the one that was read longest ago.
  await kept.readTierRow(3, 0);
  await kept.readTierRow(0, 1);
  expect(reads).toEqual(['0/1', '1/2', '3/0']);
  await kept.readTierRow(1, 2);
  expect(reads).toEqual(['0/1', '1/2', '3/0', '1/2']);
});

it('reads again after a failure, and keeps one row in whatever memory', async () => {
  const counted = countedSource();
  const kept = keepTierRows(counted.source, 1);
  counted.failing = true;
  await expect(kept.readTierRow(0, 0)).rejects.toThrow('the disk is gone');
  counted.failing = false;
  await kept.readTierRow(0, 0);
  await kept.readTierRow(0, 0);
  expect(counted.reads).toEqual(['0/0', '0/0']);
});
