/** Geometry of the packed layout: where a matrix's planes lie. Shared by importer, back ends and shaders. */
import { WEIGHT_FORMATS, type WeightFormatName } from './formats.ts';

/** Planes start on this boundary inside a packed matrix, so any plane can be bound or loaded as vec4<u32>. */
export const PLANE_ALIGN_BYTES = 16;

export interface PackedPlane {
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly blockByteLength: number;
}

export interface PackedLayout {
  readonly format: WeightFormatName;
  readonly rows: number;
  readonly cols: number;
  readonly blocksPerRow: number;
  readonly planes: readonly PackedPlane[];
  /** Whole matrix, a multiple of PLANE_ALIGN_BYTES. */
  readonly byteLength: number;
}

export function alignUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}

/**
 * Packed layout of a [rows, cols] matrix.
 * @throws RangeError where cols is no multiple of the format's block (float formats have blockElems 1).
 */
export function packedLayout(format: WeightFormatName, rows: number, cols: number): PackedLayout {
  const spec = WEIGHT_FORMATS[format];
  if (cols % spec.blockElems !== 0) {
    throw new RangeError(`a row of ${cols} weights is no multiple of the ${format} block of ${spec.blockElems}`);
  }
  const blocksPerRow = cols / spec.blockElems;
  let offset = 0;
  const planes = spec.planes.map((plane) => {
    const byteLength = alignUp(rows * blocksPerRow * plane.blockByteLength, PLANE_ALIGN_BYTES);
    const placed = { byteOffset: offset, byteLength, blockByteLength: plane.blockByteLength };
    offset += byteLength;
    return placed;
  });
  return { format, rows, cols, blocksPerRow, planes, byteLength: offset };
}
