/** What of the chosen approximations an opened model can run with, and why not the rest: nothing is left out in silence. */
import type { BackendInfo } from '../compute/ops.ts';
import { tierByteLength, tierSlotByteLengths } from '../compute/pool_size.ts';
import { EXACT, isExact, type Approximations } from '../experts/approximations.ts';
import type { Manifest } from '../storage/model_source.ts';

export interface UsableApproximations {
  /** What the model runs with; EXACT where nothing changes its answers. */
  readonly applied: Approximations;
  /** Why it isn't all that was chosen, in sentences; null where it is. */
  readonly ignored: string | null;
}

/**
 * @param isPaged whether the GPU has slots for a part of the experts only, so that a token may have to wait for one
 */
export function usableApproximations(
  chosen: Approximations, manifest: Manifest, { kind }: Pick<BackendInfo, 'kind'>, isPaged: boolean,
): UsableApproximations {
  if (isExact(chosen)) return { applied: EXACT, ignored: null };
  if (manifest.expertLayers.length === 0) return { applied: EXACT, ignored: 'This model has no experts: no approximation changes its answers.' };
  if (kind === 'reference') return { applied: EXACT, ignored: 'Approximations are off: the CPU runs all experts as they are stored.' };
  const noTier = chosen.tierShare === 0 ? null : tierObstacle(chosen.tierShare, manifest);
  const usesTier = chosen.tierShare > 0 && noTier === null;
  const noTolerance = chosen.missTolerance > 0 && !isPaged ? 'No token goes without experts: all of them are on the GPU.' : null;
  const ignored = [noTier, noTolerance].filter((sentence) => sentence !== null);
  return {
    applied: {
      tierShare: usesTier ? chosen.tierShare : 0, gate: usesTier ? chosen.gate : null, missTolerance: isPaged ? chosen.missTolerance : 0,
    },
    ignored: ignored.length === 0 ? null : ignored.join(' '),
  };
}

function tierObstacle(tierShare: number, manifest: Manifest): string | null {
  if (manifest.tier === null) {
    return 'FP4 copies are off: this model was imported without them. Import its files again as “2-bit experts + FP4 tier”.';
  }
  const longest = Math.max(...tierSlotByteLengths(manifest));
  return tierByteLength({ size: { share: tierShare } }, manifest) >= longest ? null
    : `FP4 copies are off: ${Math.round(100 * tierShare)} % of this model’s experts is less than one.`;
}
