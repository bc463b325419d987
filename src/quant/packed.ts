/** Geometry of the packed layout: where a matrix's planes lie. Shared by importer, back ends and shaders. */
import { WEIGHT_FORMATS, type WeightFormat, type WeightFormatName } from './formats.ts';

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
  /** Where the format's constants lie (see matrixConstants); null where it has none. */
  readonly constants: { readonly byteOffset: number; readonly byteLength: number } | null;
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
  const constantsByteLength = constantsByteLengthOf(spec);
  const constants = constantsByteLength === 0 ? null : { byteOffset: offset, byteLength: constantsByteLength };
  return { format, rows, cols, blocksPerRow, planes, constants, byteLength: offset + constantsByteLength };
}

function constantsByteLengthOf({ constants }: WeightFormat): number {
  if (!constants) return 0;
  return constants.kind === 'codebook' ? alignUp(constants.bytes.byteLength, PLANE_ALIGN_BYTES) : PLANE_ALIGN_BYTES;
}

/**
 * The bytes of a layout's constants region: the codebook, or the tensor's scale as f32, padded with zeros.
 * @param tensorScale factor of all weights of the matrix; must be 1 for formats that have no such scale
 */
export function matrixConstants(format: WeightFormatName, tensorScale: number): Uint8Array {
  const spec = WEIGHT_FORMATS[format];
  if (spec.constants?.kind !== 'tensor scale' && tensorScale !== 1) {
    throw new RangeError(`${format} has no scale of the whole tensor (${tensorScale} given)`);
  }
  const bytes = new Uint8Array(constantsByteLengthOf(spec));
  if (spec.constants?.kind === 'codebook') bytes.set(spec.constants.bytes);
  if (spec.constants?.kind === 'tensor scale') new DataView(bytes.buffer).setFloat32(0, tensorScale, true);
  return bytes;
}
