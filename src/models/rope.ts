/**
 * Inverse frequencies of rotary position embedding (Su et al., RoFormer) and their scalings: linear (position
 * interpolation, Chen et al.), YaRN (Peng et al.) and Llama 3's wavelength-dependent one. invFreq[i] belongs to the
 * i-th rotated pair.
 */
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { Fields } from './fields.ts';

export type RopeParameters = Pick<Hyperparameters, 'ropeTheta' | 'ropeInvFreq' | 'ropeScale'>;

export interface YarnParameters {
  readonly factor: number;
  readonly originalContextLength: number;
  readonly betaFast: number;
  readonly betaSlow: number;
  /** Whether the ramp's ends are rounded outwards to whole dimensions. */
  readonly truncate: boolean;
}

export interface Llama3Parameters {
  readonly factor: number;
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalContextLength: number;
}

const MIN_THETA = 1.01;
const MAX_THETA = 1e12;
const MAX_FACTOR = 1e6;
const MAX_CONTEXT = 2 ** 31 - 1;

/** The model's inverse frequencies, scaled where it says so. */
export function ropeInvFreq(hp: Hyperparameters): Float32Array {
  return Float32Array.from(hp.ropeInvFreq ?? unscaledInvFreq(hp.ropeTheta, hp.ropeDim));
}

export function unscaledInvFreq(theta: number, ropeDim: number): number[] {
  return Array.from({ length: ropeDim / 2 }, (_, i) => theta ** (-2 * i / ropeDim));
}

/** High frequencies stay, low ones are interpolated by 1/factor, a linear ramp over the dimensions joins them. */
export function yarnInvFreq(theta: number, ropeDim: number, p: YarnParameters): number[] {
  const dimensionOfRotations = (rotations: number): number =>
    (ropeDim * Math.log(p.originalContextLength / (rotations * 2 * Math.PI))) / (2 * Math.log(theta));
  const fast = dimensionOfRotations(p.betaFast);
  const slow = dimensionOfRotations(p.betaSlow);
  const low = Math.max(0, p.truncate ? Math.floor(fast) : fast);
  const high = Math.min(ropeDim - 1, p.truncate ? Math.ceil(slow) : slow);
  const width = low === high ? 0.001 : high - low;
  return unscaledInvFreq(theta, ropeDim).map((freq, i) => {
    const interpolated = Math.min(1, Math.max(0, (i - low) / width));
    return (freq / p.factor) * interpolated + freq * (1 - interpolated);
  });
}

/** YaRN's temperature on attention, folded into cos and sin. */
export function yarnScale(factor: number, mscale = 1): number {
  return factor <= 1 ? 1 : 0.1 * mscale * Math.log(factor) + 1;
}

/** Wavelengths beyond the original context are stretched by factor, short ones stay, those between are blended. */
export function llama3InvFreq(theta: number, ropeDim: number, p: Llama3Parameters): number[] {
  return unscaledInvFreq(theta, ropeDim).map((freq) => {
    const turns = (p.originalContextLength * freq) / (2 * Math.PI);
    if (turns > p.highFreqFactor) return freq;
    if (turns < p.lowFreqFactor) return freq / p.factor;
    const kept = (turns - p.lowFreqFactor) / (p.highFreqFactor - p.lowFreqFactor);
    return (1 - kept) * (freq / p.factor) + kept * freq;
  });
}

/**
 * From config.json: rope_parameters (transformers 5) or rope_theta with rope_scaling (before).
 * @throws ModelFormatError for a scaling that isn't one of default, linear, llama3, yarn.
 */
export function ropeFromConfig(config: Fields, ropeDim: number, contextLength: number): RopeParameters {
  const scaling = config.object('rope_parameters') ?? config.object('rope_scaling');
  const holder = scaling?.has('rope_theta') ? scaling : config;
  const ropeTheta = holder.number('rope_theta', MIN_THETA, MAX_THETA, 10000);
  const type = scaling ? scaling.text(scaling.has('rope_type') ? 'rope_type' : 'type', 'default') : 'default';
  if (scaling === null || type === 'default') return { ropeTheta, ropeInvFreq: null, ropeScale: 1 };
  const originalOr = (fallback: number): number =>
    scaling.integer('original_max_position_embeddings', 1, MAX_CONTEXT, fallback);
  if (type === 'linear') {
    const factor = scaling.number('factor', 1e-3, MAX_FACTOR);
    return { ropeTheta, ropeInvFreq: unscaledInvFreq(ropeTheta, ropeDim).map((f) => f / factor), ropeScale: 1 };
  }
  if (type === 'llama3') {
    const ropeInvFreq = llama3InvFreq(ropeTheta, ropeDim, {
      factor: scaling.number('factor', 1, MAX_FACTOR),
      lowFreqFactor: scaling.number('low_freq_factor', 1e-3, MAX_FACTOR),
      highFreqFactor: scaling.number('high_freq_factor', 1e-3, MAX_FACTOR),
      originalContextLength: originalOr(contextLength),
    });
    return { ropeTheta, ropeInvFreq, ropeScale: 1 };
  }
  if (type === 'yarn') {
    const originalContextLength = originalOr(contextLength);
    const factor = scaling.number('factor', 1, MAX_FACTOR, contextLength / originalContextLength);
    const ropeInvFreq = yarnInvFreq(ropeTheta, ropeDim, {
      factor, originalContextLength,
      betaFast: scaling.number('beta_fast', 1e-3, MAX_FACTOR, 32),
      betaSlow: scaling.number('beta_slow', 1e-3, MAX_FACTOR, 1),
      truncate: scaling.boolean('truncate', true),
    });
    return { ropeTheta, ropeInvFreq, ropeScale: yarnScaleFromConfig(scaling, factor) };
  }
  throw scaling.refuse('rope_type', `is '${type}'; supported are default, linear, llama3 and yarn`);
}

/**
 * From GGUF metadata: rope.freq_base, rope.scaling.*.
 * @throws ModelFormatError for a scaling that isn't one of none, linear, yarn.
 */
export function ropeFromGguf(meta: Fields, ropeDim: number, contextLength: number): RopeParameters {
  const ropeTheta = meta.number('rope.freq_base', MIN_THETA, MAX_THETA, 10000);
  const factorKey = meta.has('rope.scaling.factor') ? 'rope.scaling.factor' : 'rope.scale_linear';
  const type = meta.text('rope.scaling.type', meta.has(factorKey) ? 'linear' : 'none');
  // 0 is what writers put where they mean "no scaling".
  const factor = meta.number(factorKey, 0, MAX_FACTOR, 1) || 1;
  if (type === 'none' || (type === 'linear' && factor === 1)) return { ropeTheta, ropeInvFreq: null, ropeScale: 1 };
  if (type === 'linear') {
    return { ropeTheta, ropeInvFreq: unscaledInvFreq(ropeTheta, ropeDim).map((f) => f / factor), ropeScale: 1 };
  }
  if (type === 'yarn') {
    const ropeInvFreq = yarnInvFreq(ropeTheta, ropeDim, {
      factor,
      originalContextLength: meta.integer('rope.scaling.original_context_length', 1, MAX_CONTEXT, contextLength),
      betaFast: meta.number('rope.scaling.yarn_beta_fast', 1e-3, MAX_FACTOR, 32),
      betaSlow: meta.number('rope.scaling.yarn_beta_slow', 1e-3, MAX_FACTOR, 1),
      truncate: true,
    });
    const attentionFactor = meta.number('rope.scaling.attn_factor', 1e-3, MAX_FACTOR, 1);
    return { ropeTheta, ropeInvFreq, ropeScale: attentionFactor * yarnScale(factor) };
  }
  throw meta.refuse('rope.scaling.type', `is '${type}'; supported are none, linear and yarn`);
}

function yarnScaleFromConfig(scaling: Fields, factor: number): number {
  if (scaling.has('attention_factor')) return scaling.number('attention_factor', 1e-3, MAX_FACTOR);
  const mscale = scaling.number('mscale', 0, MAX_FACTOR, 0);
  const mscaleAllDim = scaling.number('mscale_all_dim', 0, MAX_FACTOR, 0);
  if (mscale > 0 && mscaleAllDim > 0) return yarnScale(factor, mscale) / yarnScale(factor, mscaleAllDim);
  return yarnScale(factor);
}
