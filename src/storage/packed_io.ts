/**
 * A matrix between its file layout and its place in a pack, a bounded run of blocks at a time. Planes hold their
 * blocks in the matrix's block order, so any run of blocks packs on its own as one row of weights.
 */
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import { allocatePlanes, packRowsInto, planeViews, unpackRows } from '../quant/pack.ts';
import { matrixConstants, packedLayout, type PackedLayout } from '../quant/packed.ts';
import { crcOfCrcs, type Crc32 } from './checksum.ts';

/** Most bytes of a matrix held at a time. */
export const RUN_BYTE_LENGTH = 16 * 1024 * 1024;

/** Where a packed matrix lies: DenseEntry and ExpertMatrixEntry are such. */
export interface PackedMatrix {
  readonly format: WeightFormatName;
  readonly rows: number;
  readonly cols: number;
}

interface BlockRun {
  readonly firstBlock: number;
  readonly blocks: number;
}

/** CRC-32s for one matrix after another: one for each plane and the constants, and one to join them. */
export interface MatrixCrc {
  readonly planes: readonly Crc32[];
  readonly join: Crc32;
}

type ReadRange = (byteOffset: number, byteLength: number) => Promise<Uint8Array>;
type WriteRange = (byteOffset: number, bytes: Uint8Array) => Promise<void>;

function* blockRuns(layout: PackedLayout, runByteLength: number): Generator<BlockRun> {
  const blocks = layout.rows * layout.blocksPerRow;
  const perRun = Math.max(1, Math.floor(runByteLength / WEIGHT_FORMATS[layout.format].blockByteLength));
  for (let firstBlock = 0; firstBlock < blocks; firstBlock += perRun) {
    yield { firstBlock, blocks: Math.min(perRun, blocks - firstBlock) };
  }
}

function planeRange(layout: PackedLayout, plane: number, run: BlockRun): { byteOffset: number; byteLength: number } {
  const { byteOffset, blockByteLength } = layout.planes[plane];
  return { byteOffset: byteOffset + run.firstBlock * blockByteLength, byteLength: run.blocks * blockByteLength };
}

/**
 * Packs a matrix: `read` gives bytes of its file layout, `write` takes bytes of its packed layout (both from 0).
 * Plane padding isn't written. `onRun` is called with the packed bytes of each finished run.
 * @param tensorScale see packRows
 * @returns the matrix's checksum, as matrixChecksum computes it
 */
export async function packMatrix(
  matrix: PackedMatrix, read: ReadRange, write: WriteRange, crc: MatrixCrc, onRun: (byteLength: number) => void,
  runByteLength = RUN_BYTE_LENGTH, tensorScale = 1,
): Promise<number> {
  const layout = packedLayout(matrix.format, matrix.rows, matrix.cols);
  const { blockByteLength, blockElems } = WEIGHT_FORMATS[matrix.format];
  for (const run of blockRuns(layout, runByteLength)) {
    const fileBytes = await read(run.firstBlock * blockByteLength, run.blocks * blockByteLength);
    const runElems = run.blocks * blockElems;
    const planes = allocatePlanes(matrix.format, 1, runElems);
    packRowsInto(matrix.format, fileBytes, 1, runElems, planes);
    for (let p = 0; p < planes.length; p++) {
      crc.planes[p].update(planes[p]);
      await write(planeRange(layout, p, run).byteOffset, planes[p]);
    }
    onRun(fileBytes.byteLength);
  }
  const checksums = layout.planes.map((_, p) => crc.planes[p].take());
  if (layout.constants) {
    const constants = matrixConstants(matrix.format, tensorScale);
    await write(layout.constants.byteOffset, constants);
    crc.join.update(constants);
    checksums.push(crc.join.take());
  }
  return crcOfCrcs(crc.join, checksums);
}

/** The file layout of a packed matrix again, in order. `read` gives bytes of the packed layout, from 0. */
export async function* unpackMatrix(
  matrix: PackedMatrix, read: ReadRange, runByteLength = RUN_BYTE_LENGTH,
): AsyncGenerator<Uint8Array> {
  const layout = packedLayout(matrix.format, matrix.rows, matrix.cols);
  for (const run of blockRuns(layout, runByteLength)) {
    const runElems = run.blocks * WEIGHT_FORMATS[matrix.format].blockElems;
    const runLayout = packedLayout(matrix.format, 1, runElems);
    const packed = new Uint8Array(runLayout.byteLength);
    const views = planeViews(runLayout, packed);
    for (let p = 0; p < views.length; p++) {
      const range = planeRange(layout, p, run);
      views[p].set(await read(range.byteOffset, range.byteLength));
    }
    yield unpackRows(matrix.format, packed, 1, runElems);
  }
}

/** Checksum of a stored matrix: CRC-32 of the CRC-32s of its planes, each without its padding, and constants. */
export async function matrixChecksum(
  matrix: PackedMatrix, read: ReadRange, crc: MatrixCrc, runByteLength = RUN_BYTE_LENGTH,
): Promise<number> {
  const layout = packedLayout(matrix.format, matrix.rows, matrix.cols);
  const planeCrcs: number[] = [];
  for (let p = 0; p < layout.planes.length; p++) {
    for (const run of blockRuns(layout, runByteLength)) {
      const range = planeRange(layout, p, run);
      crc.join.update(await read(range.byteOffset, range.byteLength));
    }
    planeCrcs.push(crc.join.take());
  }
  if (layout.constants) {
    crc.join.update(await read(layout.constants.byteOffset, layout.constants.byteLength));
    planeCrcs.push(crc.join.take());
  }
  return crcOfCrcs(crc.join, planeCrcs);
}

/** matrixChecksum of a packed matrix that is in memory. */
export function packedChecksum(matrix: PackedMatrix, packed: Uint8Array, crc: Crc32): number {
  const layout = packedLayout(matrix.format, matrix.rows, matrix.cols);
  const take = (byteOffset: number, byteLength: number): number => {
    crc.update(packed.subarray(byteOffset, byteOffset + byteLength));
    return crc.take();
  };
  const checksums = layout.planes.map((plane, p) => take(plane.byteOffset, planeDataByteLength(layout, p)));
  if (layout.constants) checksums.push(take(layout.constants.byteOffset, layout.constants.byteLength));
  return crcOfCrcs(crc, checksums);
}

/** Bytes of a plane without its padding. */
export function planeDataByteLength(layout: PackedLayout, plane: number): number {
  return layout.rows * layout.blocksPerRow * layout.planes[plane].blockByteLength;
}
