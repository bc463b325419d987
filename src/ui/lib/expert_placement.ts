/** Where a model's experts are, in words. */
import type { ExpertPlacement } from '../../experts/budget.ts';
import { formatBytes } from './format.ts';

/** 'Experts: 25 % on the GPU (3.1 GB), up to 2.0 GB in RAM, the rest from storage' */
export function expertPlacementText({ expertByteLength, gpuByteLength, ramByteLength }: ExpertPlacement): string {
  if (gpuByteLength >= expertByteLength) return `Experts: all on the GPU (${formatBytes(expertByteLength)})`;
  const percent = Math.round((100 * gpuByteLength) / expertByteLength);
  const onGpu = `Experts: ${percent === 0 ? 'under 1' : percent} % on the GPU (${formatBytes(gpuByteLength)})`;
  if (ramByteLength === 0) return `${onGpu}, the rest from storage`;
  return ramByteLength >= expertByteLength
    ? `${onGpu}, all in RAM once they were used`
    : `${onGpu}, up to ${formatBytes(ramByteLength)} in RAM, the rest from storage`;
}
