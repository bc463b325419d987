/** Where a model's experts are, in words. */
import type { ExpertPlacement } from '../../experts/budget.ts';
import { formatBytes } from './format.ts';

/** 'Experts: 25 % on the GPU (3.1 GB) with 0.5 GB of FP4 copies, up to 2.0 GB in RAM, the rest from storage' */
export function expertPlacementText({ expertByteLength, gpuByteLength, tierByteLength, ramByteLength }: ExpertPlacement): string {
  const copies = tierByteLength === 0 ? '' : ` with ${formatBytes(tierByteLength)} of FP4 copies`;
  if (gpuByteLength >= expertByteLength) return `Experts: all on the GPU (${formatBytes(expertByteLength)})${copies}`;
  const percent = Math.round((100 * gpuByteLength) / expertByteLength);
  const onGpu = `Experts: ${percent === 0 ? 'under 1' : percent} % on the GPU (${formatBytes(gpuByteLength)})${copies}`;
  if (ramByteLength === 0) return `${onGpu}, the rest from storage`;
  return ramByteLength >= expertByteLength
    ? `${onGpu}, all in RAM once they were used`
    : `${onGpu}, up to ${formatBytes(ramByteLength)} in RAM, the rest from storage`;
}
