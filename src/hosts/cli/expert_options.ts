/** Options of how a model's experts are kept: their format, the GPU memory that they get, and what is approximate. */
import type { ExpertPoolOptions, ResidencyCounters } from '../../compute/residency.ts';
import { approximationOptions, isExact, type Approximations } from '../../experts/approximations.ts';
import { NextUsePolicy } from '../../experts/next_use.ts';
import { EXPERT_CONVERSIONS, type ExpertConversion } from '../../storage/conversion_report.ts';
import { numberOption, textOption, UsageError, type OptionSpecs, type ParsedCommand } from './args.ts';

export const EXPERT_OPTIONS: OptionSpecs = {
  experts: {
    type: 'string', value: 'FORM',
    help: 'keep (default), or convert the experts to w2 (2 bits), w3 (3 bits) or w2+fp4 (for --tier) as an import does',
  },
  'expert-pool': {
    type: 'string', value: 'SIZE',
    help: 'memory for experts: a share of them (25%) or MiB (512); the rest is fetched when routed to; default: all stay',
  },
  tier: {
    type: 'string', value: 'SHARE',
    help: 'with --experts w2+fp4: the hottest experts, such a share of all (10%), are used in 4 bits; changes answers',
  },
  'precision-gate': {
    type: 'string', value: 'P',
    help: 'with --tier: a token whose likeliest choice has probability P (0.6) or less is computed again with 4-bit experts',
  },
  'miss-tolerance': {
    type: 'string', value: 'K',
    help: 'with --expert-pool: a token goes on without K of its experts or fewer rather than wait for them; changes answers',
  },
};

export interface ExpertOptions {
  readonly conversion: ExpertConversion;
  readonly approximations: Approximations;
  /** Null where all experts stay resident and nothing is approximate. */
  readonly pool: ExpertPoolOptions | null;
}

/** @throws UsageError */
export function expertOptionsOf(parsed: ParsedCommand): ExpertOptions {
  const conversion = conversionOf(parsed);
  const size = poolSizeOf(parsed);
  const approximations: Approximations = {
    tierShare: tierShareOf(parsed),
    gate: numberOption(parsed, 'precision-gate', { min: 0, max: 1 }, null),
    missTolerance: numberOption(parsed, 'miss-tolerance', { min: 1, max: 2 ** 31 - 1, integer: true }, 0),
  };
  const { tierShare, gate, missTolerance } = approximations;
  if (tierShare > 0 && conversion !== 'w2+fp4') {
    throw new UsageError('--tier needs a model with a second tier of experts: add --experts w2+fp4');
  }
  if (gate !== null && tierShare === 0) throw new UsageError('--precision-gate needs --tier');
  if (missTolerance > 0 && (size === null || ('share' in size && size.share === 1))) {
    throw new UsageError('--miss-tolerance needs an --expert-pool of less than all experts');
  }
  return {
    conversion, approximations,
    pool: size === null && isExact(approximations) ? null : expertPool(size ?? { share: 1 }, approximations),
  };
}

/** A pool that begins with no heat, so that a run depends on its input alone. */
export function expertPool(size: ExpertPoolOptions['size'], approximations: Approximations): ExpertPoolOptions {
  return { size, createPolicy: (shape) => new NextUsePolicy(shape), ...approximationOptions(approximations, () => null) };
}

function conversionOf(parsed: ParsedCommand): ExpertConversion {
  const name = textOption(parsed, 'experts') ?? 'keep';
  const known = EXPERT_CONVERSIONS.find((candidate) => candidate === name);
  if (known !== undefined) return known;
  throw new UsageError(`--experts is ${EXPERT_CONVERSIONS.slice(0, -1).join(', ')} or ${EXPERT_CONVERSIONS.at(-1)}, not '${name}'`);
}

function poolSizeOf(parsed: ParsedCommand): ExpertPoolOptions['size'] | null {
  const text = textOption(parsed, 'expert-pool');
  if (text === null) return null;
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text);
  const number = Number(match?.[1]);
  if (!match || !(number > 0) || (match[2] === '%' && number > 100)) {
    throw new UsageError(`--expert-pool is a share above 0 and up to 100% or a number of MiB, not '${text}'`);
  }
  return match[2] === '%' ? { share: number / 100 } : { byteLength: Math.floor(number * 2 ** 20) };
}

function tierShareOf(parsed: ParsedCommand): number {
  const text = textOption(parsed, 'tier');
  if (text === null) return 0;
  const number = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]);
  if (!(number > 0 && number <= 100)) throw new UsageError(`--tier is a share above 0 and up to 100%, not '${text}'`);
  return number / 100;
}

/** 'FP4 tier of 10 % of the experts, precision gate at 0.6'; '' where nothing is approximate. */
export function approximationText({ tierShare, gate, missTolerance }: Approximations): string {
  return [
    ...(tierShare > 0 ? [`FP4 tier of ${Number((100 * tierShare).toFixed(2))} % of the experts`] : []),
    ...(gate === null ? [] : [`precision gate at ${gate}`]),
    ...(missTolerance > 0 ? [`up to ${missTolerance} missing ${missTolerance === 1 ? 'expert' : 'experts'} a token left out`] : []),
  ].join(', ');
}

/** 'experts resident in 31 of 40 steps, 97.1 % of those routed to; 12 rows, 3.4 MB fetched', and what approximations did */
export function residencyText(counters: Readonly<ResidencyCounters>, { tierShare, gate, missTolerance }: Approximations): string {
  const { steps, zeroMissSteps, hits, misses, rowsLoaded, byteLengthLoaded } = counters;
  const share = (100 * hits) / Math.max(1, hits + misses);
  return [
    `experts resident in ${zeroMissSteps} of ${steps} steps, ${share.toFixed(1)} % of those routed to`,
    `${rowsLoaded} rows, ${(byteLengthLoaded / 1e6).toFixed(1)} MB fetched`,
    ...(tierShare > 0 ? [`${counters.promotions} promotions to 4 bits`] : []),
    ...(gate === null ? [] : [`${counters.gatedSteps} steps run again by the precision gate`]),
    ...(missTolerance > 0 ? [`${counters.toleratedMisses} misses tolerated in ${counters.toleratedSteps} steps`] : []),
  ].join('; ');
}
