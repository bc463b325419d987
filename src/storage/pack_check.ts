/**
 * Compares what is read of a pack with the checksums of its import, the first time that it is read: a row or a tensor
 * that changed on the disk is never computed with. Later reads are trusted; a whole pack is checked by verifier.ts.
 */
import { packedLayout, type PackedLayout } from '../quant/packed.ts';
import { crcOfCrcs } from './checksum.ts';
import type { FileStore } from './file_store.ts';
import { createMatrixCrc } from './item_writer.ts';
import type { Manifest } from './model_source.ts';
import { EXPERT_MATRICES, type Origin } from './origin.ts';
import { expertRow, packItems, type ExpertRowKind, type PackItem } from './pack_items.ts';
import { packedChecksum, planeDataByteLength, type MatrixCrc } from './packed_io.ts';
import { damaged } from './stored_json.ts';

/** One checksum for each of packItems(). @throws DamagedModelError where the file has another length */
export async function readChecksums(store: FileStore, id: string, count: number): Promise<DataView> {
  const bytes = await store.readWhole(id, 'checksums.bin', count * 4);
  if (bytes?.byteLength !== count * 4) throw damaged(`checksums.bin doesn't have ${count} entries`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What people call an item: 'expert 3 of layer 7'. */
export function itemName(manifest: Manifest, item: PackItem): string {
  if (item.kind === 'dense') return manifest.dense[item.index].name;
  if (item.kind === 'extra') return `bytes ${item.byteOffset} to ${item.byteOffset + item.byteLength} of extra.pack`;
  return rowName(manifest, item.kind, item.layerIndex, item.expert);
}

export function rowName(manifest: Manifest, kind: ExpertRowKind, layerIndex: number, expert: number): string {
  return `${kind === 'tier' ? 'the second tier of ' : ''}expert ${expert} of layer ${manifest.expertLayers[layerIndex].layer}`;
}

/** A tensor whose planes come in pieces: each plane from its begin on. */
interface RunningCheck {
  readonly index: number;
  readonly layout: PackedLayout;
  readonly planeDone: number[];
  /** Checksum of the constants; null until they are read. */
  constants: number | null;
}

export class PackCheck {
  readonly #manifest: Manifest;
  readonly #expected: DataView;
  readonly #crc: MatrixCrc;
  /** By the item's number in packItems(). */
  readonly #checked: Uint8Array;
  #running: RunningCheck | null = null;

  private constructor(manifest: Manifest, expected: DataView, crc: MatrixCrc) {
    this.#manifest = manifest;
    this.#expected = expected;
    this.#crc = crc;
    this.#checked = new Uint8Array(expected.byteLength / 4);
  }

  static async open(store: FileStore, id: string, manifest: Manifest, origin: Origin): Promise<PackCheck> {
    const expected = await readChecksums(store, id, packItems(manifest, origin).length);
    return new PackCheck(manifest, expected, await createMatrixCrc());
  }

  /** @throws DamagedModelError naming layer and expert where the row isn't as it was imported */
  row(kind: ExpertRowKind, layerIndex: number, expert: number, bytes: Uint8Array): void {
    const { dense, expertCount, tier } = this.#manifest;
    const item = dense.length + (layerIndex * expertCount + expert) * (tier ? 2 : 1) + (kind === 'tier' ? 1 : 0);
    if (this.#checked[item]) return;
    const { layout } = expertRow(this.#manifest, kind, layerIndex, expert);
    const checksums = EXPERT_MATRICES.map((name) => {
      const { byteOffset, byteLength } = layout[name];
      return packedChecksum(layout[name], bytes.subarray(byteOffset, byteOffset + byteLength), this.#crc.join);
    });
    this.#compare(item, crcOfCrcs(this.#crc.join, checksums), () => rowName(this.#manifest, kind, layerIndex, expert));
  }

  /**
   * Takes bytes of a dense tensor as they are read: a whole tensor, or its planes in pieces, each plane in order. A tensor
   * that is read in another way is not checked.
   * @throws DamagedModelError naming the tensor, with its last piece
   */
  dense(index: number, byteOffset: number, bytes: Uint8Array): void {
    if (this.#checked[index]) return;
    const entry = this.#manifest.dense[index];
    if (byteOffset === 0 && bytes.byteLength === entry.byteLength) {
      this.#compare(index, packedChecksum(entry, bytes, this.#crc.join), () => entry.name);
      return;
    }
    if (this.#running?.index !== index) {
      this.#dropRunning();
      const layout = packedLayout(entry.format, entry.rows, entry.cols);
      this.#running = { index, layout, planeDone: layout.planes.map(() => 0), constants: null };
    }
    const { layout, planeDone } = this.#running!;
    const piece = (at: number, byteLength: number): Uint8Array => {
      const begin = Math.max(0, at - byteOffset);
      return bytes.subarray(begin, Math.max(begin, at + byteLength - byteOffset));
    };
    for (const [p, plane] of layout.planes.entries()) {
      const part = piece(plane.byteOffset, planeDataByteLength(layout, p));
      if (part.byteLength === 0) continue;
      if (Math.max(byteOffset, plane.byteOffset) !== plane.byteOffset + planeDone[p]) return this.#dropRunning();
      this.#crc.planes[p].update(part);
      planeDone[p] += part.byteLength;
    }
    const constants = layout.constants && piece(layout.constants.byteOffset, layout.constants.byteLength);
    if (constants?.byteLength === layout.constants?.byteLength && constants) {
      this.#crc.join.update(constants);
      this.#running!.constants = this.#crc.join.take();
    }
    this.#finishRunning();
  }

  #finishRunning(): void {
    const { index, layout, planeDone, constants } = this.#running!;
    if (planeDone.some((done, p) => done < planeDataByteLength(layout, p)) || (layout.constants && constants === null)) return;
    const checksums = layout.planes.map((_, p) => this.#crc.planes[p].take());
    if (constants !== null) checksums.push(constants);
    this.#running = null;
    this.#compare(index, crcOfCrcs(this.#crc.join, checksums), () => this.#manifest.dense[index].name);
  }

  #dropRunning(): void {
    this.#running?.layout.planes.forEach((_, p) => this.#crc.planes[p].take());
    this.#running = null;
  }

  #compare(item: number, checksum: number, name: () => string): void {
    if (checksum !== this.#expected.getUint32(item * 4, true)) throw damaged(`${name()} has changed since the import`);
    this.#checked[item] = 1;
  }
}
