/** Bytes of an expert pool. */
import { expertRowByteLength } from '../storage/manifest.ts';
import type { Manifest } from '../storage/model_source.ts';
import { alignUp } from '../quant/packed.ts';
import type { ExpertPoolOptions, TierOptions } from './residency.ts';

type MemorySize = ExpertPoolOptions['size'];

/** Bytes of a (layer, expert) row in memory: on the GPU rows begin where vec4 loads may. */
export function slotByteLengths({ expertLayers }: Pick<Manifest, 'expertLayers'>): number[] {
  return expertLayers.map((entry) => alignUp(expertRowByteLength(entry), 16));
}

/** The same of the second tier; none where the model has no second tier. */
export function tierSlotByteLengths({ tier }: Manifest): number[] {
  return slotByteLengths({ expertLayers: tier?.layers ?? [] });
}

/** All experts of the model. */
export function allExpertsByteLength(manifest: Manifest): number {
  return sumOf(slotByteLengths(manifest)) * manifest.expertCount;
}

/** What an option's size comes to for a model. */
export function poolByteLength({ size }: Pick<ExpertPoolOptions, 'size'>, manifest: Manifest): number {
  return byteLengthOf(size, allExpertsByteLength(manifest));
}

/** The second tier's copies of all experts. */
export function allTierByteLength(manifest: Manifest): number {
  return sumOf(tierSlotByteLengths(manifest)) * manifest.expertCount;
}

/** What an option's size of a second tier comes to for a model. */
export function tierByteLength({ size }: Pick<TierOptions, 'size'>, manifest: Manifest): number {
  return byteLengthOf(size, allTierByteLength(manifest));
}

/** @throws Error naming the least that can run where a pool can't hold what one token needs of one layer. */
export function checkPoolHoldsOneLayer(byteLength: number, manifest: Manifest, topK: number): void {
  const least = topK * Math.max(...slotByteLengths(manifest));
  if (byteLength < least) {
    throw new Error(`the expert pool of ${byteLength} bytes is smaller than one layer's ${topK} active experts, ${least} bytes`);
  }
}

function byteLengthOf(size: MemorySize, all: number): number {
  return 'share' in size ? Math.ceil(all * size.share) : size.byteLength;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
