/** What a sweep over pool sizes measures: plain data, so that it can be sent to a browser. */
import type { StepMode } from '../../../src/compute/residency.ts';
import { WEIGHT_FORMATS, type WeightFormatName } from '../../../src/quant/formats.ts';
import type { MoeShape } from '../../synthetic/moe_shape.ts';
import { BENCH_SHAPES } from '../shapes.ts';

export interface SweepOptions {
  readonly shapeName: string;
  readonly shape: MoeShape;
  readonly expertFormat: WeightFormatName;
  /** Shares of all experts, in percent. */
  readonly pools: readonly number[];
  /** Exponents of the routers' preference; 0: all experts alike. */
  readonly exponents: readonly number[];
  /** Ways to submit a step. */
  readonly stepModes: readonly StepMode[];
  /** Shares of experts with a copy in MXFP4, in percent; 0: no second tier. */
  readonly tiers: readonly number[];
  /** Tokens before the clock starts, and tokens timed. */
  readonly warm: number;
  readonly decode: number;
}

/** The same as it stands on the command line. */
export interface SweepArguments {
  readonly shape: string;
  readonly layers?: string;
  readonly 'expert-format': string;
  readonly pools: string;
  readonly zipf: string;
  readonly 'step-mode': string;
  readonly tier: string;
  readonly warm: string;
  readonly decode: string;
}

const STEP_MODES: readonly StepMode[] = ['adaptive', 'whole', 'stepwise'];

/** @throws RangeError naming the option and what it takes */
export function sweepOptionsOf(values: SweepArguments): SweepOptions {
  const shape = BENCH_SHAPES[oneOf('shape', values.shape, Object.keys(BENCH_SHAPES))];
  const layers = values.layers === undefined ? shape.layerCount : wholeNumberOf('layers', values.layers, 1, shape.layerCount);
  return {
    shapeName: values.shape,
    shape: { ...shape, layerCount: layers },
    expertFormat: oneOf('expert-format', values['expert-format'], Object.keys(WEIGHT_FORMATS) as WeightFormatName[]),
    pools: numbersOf('pools', values.pools, 0.01, 100),
    exponents: numbersOf('zipf', values.zipf, 0, 10),
    tiers: numbersOf('tier', values.tier, 0, 100),
    stepModes: values['step-mode'].split(',').map((name) => oneOf('step-mode', name, STEP_MODES)),
    warm: wholeNumberOf('warm', values.warm, 0, 100_000),
    decode: wholeNumberOf('decode', values.decode, 1, 100_000),
  };
}

/** @throws RangeError */
export function numbersOf(option: string, text: string, least: number, most: number): readonly number[] {
  return text.split(',').map((part) => numberOf(option, part, least, most));
}

/** @throws RangeError */
export function numberOf(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least && value <= most)) {
    throw new RangeError(`--${option} takes numbers from ${least} to ${most}, not '${text}'`);
  }
  return value;
}

/** @throws RangeError */
export function wholeNumberOf(option: string, text: string, least: number, most: number): number {
  const value = numberOf(option, text, least, most);
  if (!Number.isInteger(value)) throw new RangeError(`--${option} takes whole numbers, not '${text}'`);
  return value;
}

function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((name) => name === value);
  if (found === undefined) throw new RangeError(`--${option} takes one of ${allowed.join(', ')}, not '${value}'`);
  return found;
}
