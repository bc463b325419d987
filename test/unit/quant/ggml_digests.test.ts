/** Every decoder against ggml's own, on random blocks: scales of any bits, infinities and NaNs among them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GGML_TYPES } from '../../../src/formats/ggml_types.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import { decodePackedRows, decodeRows, packRows, planeViews, unpackRows } from '../../../src/quant/pack.ts';
import { packedLayout } from '../../../src/quant/packed.ts';
import { randomStream } from '../../support/random_weights.ts';

interface Digest {
  readonly block_elems: number;
  readonly block_bytes: number;
  readonly seed: number;
  readonly blocks: number;
  /** Values that ggml's decoder left finite. */
  readonly finite: number;
  readonly sha256: string;
}

const digestsUrl = new URL('../../vectors/quant/ggml_digests.json', import.meta.url);
const digests = JSON.parse(readFileSync(digestsUrl, 'utf8')) as Record<string, Digest>;
const names = Object.keys(digests) as WeightFormatName[];

/** SHA-256 of the floats, little endian, with one pattern for all NaNs. */
function digestOf(values: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, i) => {
    if (Number.isNaN(value)) bytes.setUint32(i * 4, 0x7fc00000, true);
    else bytes.setFloat32(i * 4, value, true);
  });
  return createHash('sha256').update(new Uint8Array(bytes.buffer)).digest('hex');
}

it.each(names)('%s decodes random blocks as ggml does, from the file and from planes', (name) => {
  const { block_elems: blockElems, block_bytes: blockByteLength, seed, blocks, finite, sha256 } = digests[name];
  expect(WEIGHT_FORMATS[name]).toMatchObject({ blockElems, blockByteLength });
  const random = randomStream(seed);
  const raw = Uint8Array.from({ length: blocks * blockByteLength }, () => Math.floor(random() * 256));
  const values = decodeRows(name, raw, blocks, blockElems);
  expect(values.reduce((count, value) => count + (Number.isFinite(value) ? 1 : 0), 0)).toBe(finite);
  expect(digestOf(values)).toBe(sha256);

  const layout = packedLayout(name, blocks, blockElems);
  const packed = packRows(name, raw, blocks, blockElems);
  expect(digestOf(decodePackedRows(layout, planeViews(layout, packed), 0, blocks))).toBe(sha256);
  expect(unpackRows(name, packed, blocks, blockElems)).toEqual(raw);
});

/** What ggml computes with but writes to no file, and types that hold no weights. */
const NOT_WEIGHTS = ['F32', 'Q8_1', 'Q8_K', 'I8', 'I16', 'I32', 'I64', 'F64'];

it('covers every weight type of ggml, with the block sizes that ggml has', () => {
  for (const [id, { name, blockElems, blockByteLength }] of GGML_TYPES) {
    if (NOT_WEIGHTS.includes(name)) continue;
    expect(Object.keys(digests)).toContain(name);
    expect({ id, blockElems, blockByteLength }).toEqual(
      { id, blockElems: digests[name].block_elems, blockByteLength: digests[name].block_bytes });
  }
});
