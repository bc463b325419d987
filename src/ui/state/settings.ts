import { effect, signal, type Signal } from '@preact/signals';
import type { SamplingParams } from '../../compute/ops.ts';
import { DEFAULT_GATE, type Approximations } from '../../experts/approximations.ts';
import type { ExpertBudget } from '../../experts/budget.ts';
import type { OpenOptions } from '../../hosts/api.ts';
import type { PreferenceStore } from './preferences.ts';

export type Theme = 'system' | 'light' | 'dark';

/** How many experts stay on the GPU: what fits, a share of them, or those that settings.gpuExpertGigabytes hold. */
export const GPU_EXPERTS = ['auto', 'all', '75%', '50%', '25%', '10%', 'gigabytes'] as const;

/** Share of experts that hold a copy of more bits on the GPU. */
export const FP4_COPIES = ['off', '5%', '10%', '20%'] as const;

export interface Settings {
  readonly systemPrompt: string;
  readonly temperature: number;
  /** 0 = off */
  readonly topK: number;
  /** 1 = off */
  readonly topP: number;
  /** 0 = off */
  readonly minP: number;
  /** 1 = off */
  readonly repetitionPenalty: number;
  /** null: a new one for each answer. */
  readonly seed: number | null;
  /** null: until the model ends its answer or the context is full. */
  readonly maxTokens: number | null;
  readonly contextLength: number;
  readonly backend: OpenOptions['backend'];
  readonly gpuExperts: (typeof GPU_EXPERTS)[number];
  readonly gpuExpertGigabytes: number;
  /** null: as much as the machine's memory suggests. */
  readonly ramExpertGigabytes: number | null;
  readonly fp4Copies: (typeof FP4_COPIES)[number];
  /** Tokens whose likeliest choice is this probable or less are computed again, where there are copies. */
  readonly unsureAgain: boolean;
  readonly unsurePercent: number;
  readonly missTolerance: number;
  readonly theme: Theme;
}

export const DEFAULT_SETTINGS: Settings = {
  systemPrompt: '',
  temperature: 0.7,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repetitionPenalty: 1,
  seed: null,
  maxTokens: 1024,
  contextLength: 4096,
  backend: 'auto',
  gpuExperts: 'auto',
  gpuExpertGigabytes: 4,
  ramExpertGigabytes: null,
  fp4Copies: 'off',
  unsureAgain: false,
  unsurePercent: 100 * DEFAULT_GATE,
  missTolerance: 0,
  theme: 'system',
};

/** Bounds of the numeric settings: what the inputs offer and what a stored value is clipped to. */
export const SETTING_BOUNDS = {
  temperature: { min: 0, max: 2, step: 0.05 },
  topK: { min: 0, max: 200, step: 1 },
  topP: { min: 0.05, max: 1, step: 0.01 },
  minP: { min: 0, max: 1, step: 0.01 },
  repetitionPenalty: { min: 0.5, max: 2, step: 0.01 },
  seed: { min: 0, max: 4294967295, step: 1 },
  maxTokens: { min: 1, max: 1048576, step: 1 },
  contextLength: { min: 64, max: 1048576, step: 64 },
  gpuExpertGigabytes: { min: 0.1, max: 512, step: 0.1 },
  ramExpertGigabytes: { min: 0, max: 512, step: 0.1 },
  unsurePercent: { min: 30, max: 90, step: 5 },
  missTolerance: { min: 0, max: 8, step: 1 },
} as const;

export type NumericSetting = keyof typeof SETTING_BOUNDS;

/** The penalty looks back this far; one more knob that nobody turns would only crowd the page. */
const PENALTY_LAST_N = 64;

export interface SettingsState {
  readonly values: Signal<Settings>;
  update(change: Partial<Settings>): void;
  resetSampling(): void;
}

/** Settings that are kept over reloads. */
export function createSettings(store: PreferenceStore): SettingsState {
  const values = signal(readSettings(store.read('settings')));
  effect(() => store.write('settings', values.value));
  return {
    values,
    update: (change) => {
      values.value = readSettings({ ...values.peek(), ...change });
    },
    resetSampling: () => {
      const { temperature, topK, topP, minP, repetitionPenalty, seed, maxTokens } = DEFAULT_SETTINGS;
      values.value = { ...values.peek(), temperature, topK, topP, minP, repetitionPenalty, seed, maxTokens };
    },
  };
}

/** Sampling for one answer; `randomSeed` is used where no seed is set. */
export function samplingOf(settings: Settings, randomSeed: () => number): SamplingParams {
  const { temperature, topK, topP, minP, repetitionPenalty } = settings;
  const seed = settings.seed ?? randomSeed();
  return { temperature, topK, topP, minP, repetitionPenalty, penaltyLastN: PENALTY_LAST_N, seed };
}

/** Memory for experts as the host takes it. */
export function expertBudgetOf({ gpuExperts, gpuExpertGigabytes, ramExpertGigabytes }: Settings): ExpertBudget {
  const gpu = gpuExperts === 'auto' ? 'auto'
    : gpuExperts === 'gigabytes' ? { byteLength: gpuExpertGigabytes * 1e9 }
      : { share: gpuExperts === 'all' ? 1 : Number.parseInt(gpuExperts, 10) / 100 };
  return { gpu, ramByteLength: ramExpertGigabytes === null ? null : ramExpertGigabytes * 1e9 };
}

/** What may change answers, as the host takes it. */
export function approximationsOf({ fp4Copies, unsureAgain, unsurePercent, missTolerance }: Settings): Approximations {
  const tierShare = fp4Copies === 'off' ? 0 : Number.parseInt(fp4Copies, 10) / 100;
  return { tierShare, gate: tierShare > 0 && unsureAgain ? unsurePercent / 100 : null, missTolerance };
}

/** What was stored may come from an older version or another hand: each value is checked, else its default taken. */
export function readSettings(stored: unknown): Settings {
  const from = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  const number = (key: NumericSetting, integer: boolean): number | null => {
    const value = from[key];
    if (typeof value !== 'number' || !Number.isFinite(value)) return null;
    const { min, max } = SETTING_BOUNDS[key];
    return Math.min(max, Math.max(min, integer ? Math.round(value) : value));
  };
  const choice = <T extends string>(key: string, allowed: readonly T[], fallback: T): T =>
    allowed.find((entry) => entry === from[key]) ?? fallback;
  return {
    systemPrompt: typeof from.systemPrompt === 'string' ? from.systemPrompt : DEFAULT_SETTINGS.systemPrompt,
    temperature: number('temperature', false) ?? DEFAULT_SETTINGS.temperature,
    topK: number('topK', true) ?? DEFAULT_SETTINGS.topK,
    topP: number('topP', false) ?? DEFAULT_SETTINGS.topP,
    minP: number('minP', false) ?? DEFAULT_SETTINGS.minP,
    repetitionPenalty: number('repetitionPenalty', false) ?? DEFAULT_SETTINGS.repetitionPenalty,
    seed: number('seed', true),
    maxTokens: from.maxTokens === null ? null : (number('maxTokens', true) ?? DEFAULT_SETTINGS.maxTokens),
    contextLength: number('contextLength', true) ?? DEFAULT_SETTINGS.contextLength,
    backend: choice('backend', ['auto', 'webgpu', 'reference'], DEFAULT_SETTINGS.backend),
    gpuExperts: choice('gpuExperts', GPU_EXPERTS, DEFAULT_SETTINGS.gpuExperts),
    gpuExpertGigabytes: number('gpuExpertGigabytes', false) ?? DEFAULT_SETTINGS.gpuExpertGigabytes,
    ramExpertGigabytes: number('ramExpertGigabytes', false),
    fp4Copies: choice('fp4Copies', FP4_COPIES, DEFAULT_SETTINGS.fp4Copies),
    unsureAgain: from.unsureAgain === true,
    unsurePercent: number('unsurePercent', false) ?? DEFAULT_SETTINGS.unsurePercent,
    missTolerance: number('missTolerance', true) ?? DEFAULT_SETTINGS.missTolerance,
    theme: choice('theme', ['system', 'light', 'dark'], DEFAULT_SETTINGS.theme),
  };
}
