/** Whole rows at a time: file layout ↔ packed layout ↔ f32. Formats are reached through the table only. */
import { WEIGHT_FORMATS, type WeightFormat, type WeightFormatName } from './formats.ts';
import { matrixConstants, packedLayout, type PackedLayout } from './packed.ts';

/** Bytes of [rows, cols] in the file layout. @throws RangeError where cols is no multiple of the block. */
export function fileByteLength(format: WeightFormatName, rows: number, cols: number): number {
  const layout = packedLayout(format, rows, cols);
  return rows * layout.blocksPerRow * WEIGHT_FORMATS[format].blockByteLength;
}

/** Where rows [rowBegin, rowEnd) of plane `plane` lie inside the packed matrix. */
export function planeRowRange(
  layout: PackedLayout, plane: number, rowBegin: number, rowEnd: number,
): { readonly byteOffset: number; readonly byteLength: number } {
  const { byteOffset, blockByteLength } = layout.planes[plane];
  const rowByteLength = layout.blocksPerRow * blockByteLength;
  return { byteOffset: byteOffset + rowBegin * rowByteLength, byteLength: (rowEnd - rowBegin) * rowByteLength };
}

/** Views of the planes inside a packed matrix, each without its end padding. */
export function planeViews(layout: PackedLayout, packed: Uint8Array): Uint8Array[] {
  return layout.planes.map((_, plane) => {
    const { byteOffset, byteLength } = planeRowRange(layout, plane, 0, layout.rows);
    return packed.subarray(byteOffset, byteOffset + byteLength);
  });
}

/** Plane buffers for `rows` rows, for packRowsInto. */
export function allocatePlanes(format: WeightFormatName, rows: number, cols: number): Uint8Array[] {
  const { blocksPerRow } = packedLayout(format, rows, cols);
  return WEIGHT_FORMATS[format].planes.map((plane) => new Uint8Array(rows * blocksPerRow * plane.blockByteLength));
}

/**
 * Packs a [rows, cols] matrix.
 * @param fileBytes the rows in file layout, exactly fileByteLength(format, rows, cols) bytes
 * @param tensorScale factor of all weights, for formats that have one
 * @returns the packed matrix, packedLayout(format, rows, cols).byteLength bytes (padding is zero)
 */
export function packRows(
  format: WeightFormatName, fileBytes: Uint8Array, rows: number, cols: number, tensorScale = 1,
): Uint8Array {
  const layout = packedLayout(format, rows, cols);
  const packed = new Uint8Array(layout.byteLength);
  packRowsInto(format, fileBytes, rows, cols, planeViews(layout, packed));
  if (layout.constants) packed.set(matrixConstants(format, tensorScale), layout.constants.byteOffset);
  return packed;
}

/**
 * Streaming form: packs a chunk of rows so that planes[p] holds plane p of just these rows, from byte 0. Written
 * to planeRowRange(layout of the whole matrix, p, rowBegin, rowBegin + rows) it completes the packed matrix.
 * The buffers may be longer than needed and may be reused.
 */
export function packRowsInto(
  format: WeightFormatName, fileBytes: Uint8Array, rows: number, cols: number, planes: readonly Uint8Array[],
): void {
  const spec = WEIGHT_FORMATS[format];
  const blocks = checkedBlocks(spec, fileBytes, rows, cols);
  if (isPackedAsStored(spec)) {
    planes[0].set(fileBytes);
    return;
  }
  for (let block = 0, at = 0; block < blocks; block++, at += spec.blockByteLength) {
    spec.packBlock(fileBytes, at, planes, block);
  }
}

/** Inverse of packRows: the rows in file layout. */
export function unpackRows(format: WeightFormatName, packed: Uint8Array, rows: number, cols: number): Uint8Array {
  const spec = WEIGHT_FORMATS[format];
  const layout = packedLayout(format, rows, cols);
  const planes = planeViews(layout, packed);
  const blocks = rows * layout.blocksPerRow;
  const fileBytes = new Uint8Array(blocks * spec.blockByteLength);
  if (isPackedAsStored(spec)) {
    fileBytes.set(planes[0]);
    return fileBytes;
  }
  for (let block = 0, at = 0; block < blocks; block++, at += spec.blockByteLength) {
    spec.unpackBlock(planes, block, fileBytes, at);
  }
  return fileBytes;
}

/**
 * Decodes rows in file layout to f32, row-major; without the tensor's scale where the format has one.
 * @param out where to write rows · cols values; a new array by default
 */
export function decodeRows(
  format: WeightFormatName, fileBytes: Uint8Array, rows: number, cols: number,
  out: Float32Array = new Float32Array(rows * cols),
): Float32Array {
  const spec = WEIGHT_FORMATS[format];
  const blocks = checkedBlocks(spec, fileBytes, rows, cols);
  decodeBlocks(spec, fileBytes, 0, blocks, out);
  return out;
}

/**
 * Decodes rows [rowBegin, rowEnd) of a packed matrix to f32, row-major.
 * @param planes the planes of the whole matrix (planeViews)
 * @param tensorScale the matrix's own (tensorScaleOf)
 */
export function decodePackedRows(
  layout: PackedLayout, planes: readonly Uint8Array[], rowBegin: number, rowEnd: number,
  out: Float32Array = new Float32Array((rowEnd - rowBegin) * layout.cols), tensorScale = 1,
): Float32Array {
  const spec = WEIGHT_FORMATS[layout.format];
  const first = rowBegin * layout.blocksPerRow;
  const blocks = (rowEnd - rowBegin) * layout.blocksPerRow;
  if (isPackedAsStored(spec)) {
    decodeBlocks(spec, planes[0], first * spec.blockByteLength, blocks, out);
    return out;
  }
  const fileBlock = new Uint8Array(spec.blockByteLength);
  for (let block = 0; block < blocks; block++) {
    spec.unpackBlock(planes, first + block, fileBlock, 0);
    spec.decodeBlock(fileBlock, 0, out, block * spec.blockElems);
  }
  if (tensorScale !== 1) for (let i = 0; i < blocks * spec.blockElems; i++) out[i] *= tensorScale;
  return out;
}

/** The factor of all weights that a packed matrix carries; 1 for formats that have none. */
export function tensorScaleOf(layout: PackedLayout, packed: Uint8Array): number {
  if (!layout.constants || WEIGHT_FORMATS[layout.format].constants?.kind !== 'tensor scale') return 1;
  return new DataView(packed.buffer, packed.byteOffset + layout.constants.byteOffset, 4).getFloat32(0, true);
}

/**
 * Encodes rows · cols f32 values to the file layout.
 * @throws RangeError where the format has no encoder or the sizes do not fit
 */
export function encodeRows(format: WeightFormatName, x: Float32Array, rows: number, cols: number): Uint8Array {
  const spec = WEIGHT_FORMATS[format];
  if (!spec.encodeBlock) throw new RangeError(`there is no encoder for ${format}`);
  if (x.length !== rows * cols) throw new RangeError(`${x.length} values given for ${rows} × ${cols} weights`);
  const fileBytes = new Uint8Array(fileByteLength(format, rows, cols));
  if (spec.encodeBlocks) {
    spec.encodeBlocks(x, 0, x.length / spec.blockElems, fileBytes, 0);
    return fileBytes;
  }
  for (let i = 0, at = 0; i < x.length; i += spec.blockElems, at += spec.blockByteLength) {
    spec.encodeBlock(x, i, fileBytes, at);
  }
  return fileBytes;
}

/** A one-weight block has nothing to reorder, so rows can be copied and decoded where they lie. */
function isPackedAsStored(spec: WeightFormat): boolean {
  return spec.blockElems === 1;
}

function decodeBlocks(spec: WeightFormat, src: Uint8Array, byteOffset: number, blocks: number, out: Float32Array): void {
  const { blockByteLength, blockElems } = spec;
  if (spec.decodeBlocks) {
    spec.decodeBlocks(src, byteOffset, blocks, out, 0);
    return;
  }
  for (let block = 0; block < blocks; block++) {
    spec.decodeBlock(src, byteOffset + block * blockByteLength, out, block * blockElems);
  }
}

function checkedBlocks(spec: WeightFormat, fileBytes: Uint8Array, rows: number, cols: number): number {
  const expected = fileByteLength(spec.name, rows, cols);
  if (fileBytes.byteLength !== expected) {
    throw new RangeError(`${rows} × ${cols} weights in ${spec.name} take ${expected} bytes, not ${fileBytes.byteLength}`);
  }
  return expected / spec.blockByteLength;
}
