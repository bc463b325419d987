/** Scales of the formats that don't keep them as plain f16 fields: f32, E4M3, or shared with a zero point. */
import { f32ToBits } from '../../src/quant/float.ts';
import { e4m3Floor } from '../../src/quant/float8.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../src/quant/formats.ts';

/** Makes a block of random bytes one of random weights with this scale. */
type SetScale = (block: Uint8Array, scale: number) => void;

function writeF32(block: Uint8Array, at: number, bits: number): void {
  new DataView(block.buffer, block.byteOffset, block.byteLength).setUint32(at, bits, true);
}

/** Without the upper half of the exponents, which has NaN and infinity, codes stay below 2. */
function fp8(format: WeightFormatName): SetScale {
  const { blockElems } = WEIGHT_FORMATS[format];
  return (block, scale) => {
    for (let i = 0; i < blockElems; i++) block[i] &= 0xbf;
    writeF32(block, blockElems, f32ToBits(scale));
  };
}

const int4: SetScale = (block, scale) => writeF32(block, 0, (f32ToBits(scale) & ~0xff) | 8);

export const WIDE_SCALES: Partial<Record<WeightFormatName, SetScale>> = {
  NVFP4: (block, scale) => block.fill(e4m3Floor(scale), 0, 4),
  F8_E4M3: fp8('F8_E4M3'), F8_E4M3_32: fp8('F8_E4M3_32'), F8_E5M2: fp8('F8_E5M2'), F8_E5M2_32: fp8('F8_E5M2_32'),
  INT4: int4, INT4_32: int4,
};
