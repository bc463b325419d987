/** The names of --experts: how the experts' weights are rounded before a model is scored. */
import { EXACT, type Approximations } from '../../experts/approximations.ts';
import { convertRun, type WeightRun } from '../../quant/convert.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../quant/formats.ts';
import { decodeRows } from '../../quant/pack.ts';
import type { ExpertConversion } from '../../storage/conversion_report.ts';
import { UsageError } from './args.ts';
import { roundAsym2 } from './eval_asym2.ts';

/** Rounds whole rows of a matrix to what a format can hold. */
export interface Rounding {
  readonly name: string;
  readonly bitsPerWeight: number;
  /** Columns are a multiple of this. */
  readonly blockElems: number;
  /** Whether BF16 holds every value that it gives, so that a rounded model takes half the memory. */
  readonly fitsBf16: boolean;
  round(run: WeightRun): Float32Array;
}

export type ExpertVariant =
  | { readonly kind: 'keep'; readonly name: string }
  | { readonly kind: 'all'; readonly name: string; readonly rounding: Rounding }
  /** The share of experts that a calibration text uses most gets `hot`, all others `cold`. */
  | { readonly kind: 'tiered'; readonly name: string; readonly cold: Rounding; readonly hot: Rounding; readonly hotShare: number }
  /** On the GPU as when the model answers: with a second tier that follows the text, or going without experts. */
  | {
    readonly kind: 'live'; readonly name: string; readonly conversion: ExpertConversion; readonly poolShare: number;
    readonly approximations: Approximations;
  };

/** Levels of at most 8 significant bits times a power of two: E2M1, ±1 and ±4, W3's levels times E4M3. */
const FIT_BF16: readonly string[] = ['W2', 'W3', 'MXFP4', 'BF16'];

const ASYM2: Rounding = {
  name: 'asym2', bitsPerWeight: 2.25, blockElems: 32, fitsBf16: true,
  round: ({ format, bytes, elems, tensorScale }) =>
    roundAsym2(decodeRows(format, bytes, 1, elems).map((value) => value * tensorScale)),
};

/** As an import converts: MXFP4 to W2 by its exact rule, everything else by the format's encoder, which must exist. */
export function formatRounding(format: WeightFormatName): Rounding {
  const { blockElems, blockByteLength } = WEIGHT_FORMATS[format];
  return {
    name: format, bitsPerWeight: (8 * blockByteLength) / blockElems, blockElems, fitsBf16: FIT_BF16.includes(format),
    round: (run) => decodeRows(format, convertRun(run, [format])[0].bytes, 1, run.elems),
  };
}

/** Names that a rounding may have: 'w2', 'fp4' (MXFP4), … */
export function roundingNames(): string[] {
  const formats = Object.values(WEIGHT_FORMATS).filter((format) => format.encodeBlock !== undefined);
  return [...formats.map(({ name }) => name.toLowerCase()), 'fp4', 'asym2'];
}

/**
 * Variants of a list such as 'keep,w2,w2+fp4:10%,w2+fp4@10%,w2+fp4@10%/0.6,w2~2@25%'.
 * @throws UsageError naming what there is
 */
export function parseVariants(list: string): ExpertVariant[] {
  const names = list.split(',').map((name) => name.trim()).filter((name) => name !== '');
  if (names.length === 0) throw new UsageError('--experts needs at least one name');
  return names.map(parseVariant);
}

function parseVariant(name: string): ExpertVariant {
  if (name === 'keep') return { kind: 'keep', name };
  const live = parseLive(name);
  if (live !== null) return live;
  const tiered = /^([\w]+)\+([\w]+):(\d+(?:\.\d+)?)%$/.exec(name);
  if (tiered === null) return { kind: 'all', name, rounding: roundingOf(name, name) };
  const hotShare = Number(tiered[3]) / 100;
  if (!(hotShare > 0 && hotShare < 1)) throw new UsageError(`--experts ${name}: the share is between 0 and 100 %`);
  return { kind: 'tiered', name, cold: roundingOf(tiered[1], name), hot: roundingOf(tiered[2], name), hotShare };
}

/** 'w2+fp4@10%/0.6': a tier of 10 %, its gate at 0.6. 'w2~2@25%': a pool of 25 %, a token goes without 2 of its experts. */
function parseLive(name: string): ExpertVariant | null {
  const tier = /^w2\+fp4@(\d+(?:\.\d+)?)%(?:\/(\d*\.?\d+))?$/.exec(name);
  const missing = /^(keep|w2|w3)~(\d{1,4})@(\d+(?:\.\d+)?)%$/.exec(name);
  if (tier === null && missing === null) return null;
  const share = Number(tier?.[1] ?? missing?.[3]) / 100;
  if (!(share > 0 && share <= 1)) throw new UsageError(`--experts ${name}: the share is above 0 and up to 100 %`);
  if (missing !== null) {
    const approximations: Approximations = { ...EXACT, missTolerance: Number(missing[2]) };
    return { kind: 'live', name, conversion: missing[1] as 'keep' | 'w2' | 'w3', poolShare: share, approximations };
  }
  const gate = tier?.[2] === undefined ? null : Number(tier[2]);
  if (gate !== null && gate > 1) throw new UsageError(`--experts ${name}: the gate's probability is from 0 to 1`);
  return { kind: 'live', name, conversion: 'w2+fp4', poolShare: 1, approximations: { ...EXACT, tierShare: share, gate } };
}

function roundingOf(name: string, whole: string): Rounding {
  if (name === 'asym2') return ASYM2;
  const format = name === 'fp4' ? 'MXFP4' : name.toUpperCase();
  const found = Object.values(WEIGHT_FORMATS).find((entry) => entry.name === format && entry.encodeBlock !== undefined);
  if (found) return formatRounding(found.name);
  throw new UsageError(
    `--experts takes keep, ${roundingNames().join(', ')}, mixtures such as w2+fp4:10%, tiers such as w2+fp4@10% and w2+fp4@10%/0.6, `
    + `and pools such as w2~2@25%, not '${whole}'`);
}
