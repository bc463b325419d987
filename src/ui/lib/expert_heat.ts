/** The layer × expert heat map in words and numbers. */
import type { ExpertSnapshot } from '../../profile/snapshot.ts';
import { formatCount } from './format.ts';

export interface HeatSummary {
  readonly uses: number;
  readonly hottest: { readonly layer: number; readonly expert: number; readonly uses: number };
  /** Share of experts, the hottest first, that half of all uses fall to. */
  readonly halfShare: number;
  /** Experts that were never used. */
  readonly unused: number;
}

/** Null before anything was used. */
export function heatSummary({ layers, expertCount, heat }: Pick<ExpertSnapshot, 'layers' | 'expertCount' | 'heat'>): HeatSummary | null {
  const uses = heat.reduce((sum, count) => sum + count, 0);
  if (uses === 0) return null;
  const hottest = heat.indexOf(heat.reduce((most, count) => Math.max(most, count), 0));
  const falling = [...heat].sort((a, b) => b - a);
  let covered = 0;
  const halfCount = falling.findIndex((count) => (covered += count) >= uses / 2) + 1;
  return {
    uses,
    hottest: { layer: layers[Math.floor(hottest / expertCount)], expert: hottest % expertCount, uses: heat[hottest] },
    halfShare: halfCount / heat.length,
    unused: heat.reduce((count, value) => count + (value === 0 ? 1 : 0), 0),
  };
}

export function heatText(experts: ExpertSnapshot): string {
  const summary = heatSummary(experts);
  const size = `${experts.layers.length} layers × ${formatCount(experts.expertCount)} experts`;
  if (summary === null) return `${size}; no token yet.`;
  const { hottest, halfShare, unused } = summary;
  return `${size}. Hottest: expert ${hottest.expert} of layer ${hottest.layer}, ${formatCount(hottest.uses)} tokens. `
    + `Half of all uses fall to ${(100 * halfShare).toFixed(0)} % of the experts; ${formatCount(unused)} were not used.`;
}

/** Heat 0 … 1 as a colour between three, each [r, g, b]. Square root: a few hot experts must not blacken the rest. */
export function heatColor(share: number, stops: readonly (readonly [number, number, number])[]): readonly [number, number, number] {
  const at = Math.sqrt(Math.min(1, Math.max(0, share))) * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  const mix = (i: 0 | 1 | 2): number => Math.round(stops[low][i] + (stops[low + 1][i] - stops[low][i]) * (at - low));
  return [mix(0), mix(1), mix(2)];
}

/** '#d9d3c9' → [217, 211, 201]. @throws RangeError for any other spelling */
export function rgbOf(hex: string): readonly [number, number, number] {
  const match = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex.trim());
  if (!match) throw new RangeError(`'${hex}' is no colour of the form #rrggbb`);
  return [Number.parseInt(match[1], 16), Number.parseInt(match[2], 16), Number.parseInt(match[3], 16)];
}
