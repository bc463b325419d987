import { describe, expect, it } from 'vitest';
import { Fields } from '../../../src/models/fields.ts';
import {
  llama3InvFreq, ropeFromConfig, ropeFromGguf, unscaledInvFreq, yarnInvFreq, yarnScale,
} from '../../../src/models/rope.ts';

const config = (values: Record<string, unknown>): Fields => Fields.ofConfig('model', values);
const gguf = (values: Record<string, number | string>): Fields =>
  Fields.ofGguf('m.gguf', 'x', new Map(Object.entries(values).map(([key, value]) => [`x.${key}`, value])));

describe('inverse frequencies', () => {
  it('fall geometrically from 1 to nearly 1 / theta', () => {
    const freq = unscaledInvFreq(10000, 8);
    expect(freq).toHaveLength(4);
    [1, 0.1, 0.01, 0.001].forEach((expected, i) => expect(freq[i]).toBeCloseTo(expected, 12));
  });

  it('YaRN of Qwen3 (128 dimensions, theta 1e6, 32768 × 4): pairs below 23 stay, from 40 on a quarter, a ramp between', () => {
    // 128 ln(32768 / (2π · 32)) / (2 ln 1e6) = 23.6 and 128 ln(32768 / 2π) / (2 ln 1e6) = 39.7, rounded outwards.
    const plain = unscaledInvFreq(1e6, 128);
    const scaled = yarnInvFreq(1e6, 128, {
      factor: 4, originalContextLength: 32768, betaFast: 32, betaSlow: 1, truncate: true,
    });
    for (let i = 0; i <= 23; i++) expect(scaled[i]).toBe(plain[i]);
    for (let i = 40; i < 64; i++) expect(scaled[i]).toBeCloseTo(plain[i] / 4, 15);
    const ramp = (31 - 23) / (40 - 23);
    expect(scaled[31] / plain[31]).toBeCloseTo(1 - ramp + ramp / 4, 12);
  });

  it('YaRN without truncation starts its ramp inside a dimension', () => {
    const plain = unscaledInvFreq(1e6, 128);
    const scaled = yarnInvFreq(1e6, 128, {
      factor: 4, originalContextLength: 32768, betaFast: 32, betaSlow: 1, truncate: false,
    });
    expect(scaled[23]).toBe(plain[23]);
    const [low, high] = [32, 1].map((turns) => (128 * Math.log(32768 / (2 * Math.PI * turns))) / (2 * Math.log(1e6)));
    const ramp = (24 - low) / (high - low);
    expect(scaled[24] / plain[24]).toBeCloseTo(1 - ramp + ramp / 4, 12);
  });

  it('Llama 3.1 (theta 5e5, factor 8): long wavelengths an eighth, short ones stay, blended between', () => {
    const plain = unscaledInvFreq(500000, 128);
    const scaled = llama3InvFreq(500000, 128, {
      factor: 8, lowFreqFactor: 1, highFreqFactor: 4, originalContextLength: 8192,
    });
    plain.forEach((freq, i) => {
      const wavelength = (2 * Math.PI) / freq;
      if (wavelength < 8192 / 4) expect(scaled[i]).toBe(freq);
      else if (wavelength > 8192) expect(scaled[i]).toBe(freq / 8);
      else expect(scaled[i] > freq / 8 && scaled[i] < freq).toBe(true);
    });
    // Pair 30 has a wavelength of 2947: (8192 / 2947 - 1) / 3 = 0.593 of it stays.
    expect(scaled[30] / plain[30]).toBeCloseTo(0.593 + (1 - 0.593) / 8, 3);
  });
});

describe('from config.json', () => {
  it('reads transformers 5 rope_parameters', () => {
    expect(ropeFromConfig(config({ rope_parameters: { rope_theta: 5e5, rope_type: 'default' } }), 8, 512))
      .toEqual({ ropeTheta: 5e5, ropeInvFreq: null, ropeScale: 1 });
  });

  it('reads the older rope_theta and rope_scaling, null included', () => {
    expect(ropeFromConfig(config({ rope_theta: 1e6, rope_scaling: null }), 8, 512))
      .toEqual({ ropeTheta: 1e6, ropeInvFreq: null, ropeScale: 1 });
    const linear = ropeFromConfig(config({ rope_theta: 10000, rope_scaling: { type: 'linear', factor: 2 } }), 8, 512);
    linear.ropeInvFreq!.forEach((freq, i) => expect(freq).toBeCloseTo([0.5, 0.05, 0.005, 0.0005][i], 12));
  });

  it('scales attention with YaRN: 0.1 ln(factor) + 1, or what the config says', () => {
    const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 32768 };
    expect(ropeFromConfig(config({ rope_scaling: yarn }), 128, 131072).ropeScale).toBeCloseTo(1 + 0.1 * Math.log(4), 12);
    expect(ropeFromConfig(config({ rope_scaling: { ...yarn, attention_factor: 1.5 } }), 128, 131072).ropeScale).toBe(1.5);
    expect(ropeFromConfig(config({ rope_scaling: { ...yarn, mscale: 1, mscale_all_dim: 1 } }), 128, 131072).ropeScale).toBe(1);
    expect(yarnScale(0.5)).toBe(1);
  });

  it('takes YaRN\'s factor from the context lengths where there is none', () => {
    const yarn = { rope_type: 'yarn', original_max_position_embeddings: 32768 };
    expect(ropeFromConfig(config({ rope_scaling: yarn }), 128, 131072))
      .toEqual(ropeFromConfig(config({ rope_scaling: { ...yarn, factor: 4 } }), 128, 131072));
  });

  it.each([
    [{ rope_type: 'longrope', factor: 4 }, /rope_type is 'longrope'; supported are default, linear, llama3 and yarn/],
    [{ rope_type: 'linear' }, /factor is missing/],
    [{ rope_type: 'linear', factor: 0 }, /factor is 0/],
    [{ rope_type: 'yarn', factor: 'big' }, /factor is "big"/],
  ])('refuses %j', (rope_scaling, message) => {
    expect(() => ropeFromConfig(config({ rope_scaling }), 128, 4096)).toThrow(message);
  });
});

describe('from GGUF metadata', () => {
  it('scales as the same config does', () => {
    const yarn = { 'rope.freq_base': 1e6, 'rope.scaling.type': 'yarn', 'rope.scaling.factor': 4,
      'rope.scaling.original_context_length': 32768 };
    const scaling = { rope_type: 'yarn', rope_theta: 1e6, factor: 4, original_max_position_embeddings: 32768 };
    expect(ropeFromGguf(gguf(yarn), 128, 131072)).toEqual(ropeFromConfig(config({ rope_parameters: scaling }), 128, 131072));
    expect(ropeFromGguf(gguf({ 'rope.scale_linear': 2 }), 8, 512).ropeInvFreq![0]).toBe(0.5);
  });

  it('takes none, and a linear factor of 0 or 1, as no scaling', () => {
    const unscaled: Record<string, number | string>[] = [{}, { 'rope.scaling.type': 'none', 'rope.scaling.factor': 4 }, { 'rope.scale_linear': 0 }];
    for (const values of unscaled) {
      expect(ropeFromGguf(gguf(values), 8, 512)).toEqual({ ropeTheta: 10000, ropeInvFreq: null, ropeScale: 1 });
    }
  });
});
