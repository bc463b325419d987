/** A checkpoint served without import: matrices are read and packed when asked for. Command line and tests. */
import type { ExpertLayerPlan, MatrixSlice } from '../formats/model_plan.ts';
import { packRows } from '../quant/pack.ts';
import type { StoragePlan } from './convert_plan.ts';
import { expertRowByteLength, manifestFromPlan } from './manifest.ts';
import type { ExpertLayerEntry, ExpertMatrixEntry, ModelSource } from './model_source.ts';

/**
 * Opens a plan as a model source; its files stay open until their owner closes them.
 * @throws ModelFormatError as manifestFromPlan does.
 */
export function createDirectSource(plan: StoragePlan): ModelSource {
  const manifest = manifestFromPlan(plan);
  const denseSlices = new Map(plan.dense.map(({ name, slice }) => [name, slice]));
  const layers = rowsOf(manifest.expertLayers, plan.experts);
  const tierLayers = rowsOf(manifest.tier?.layers ?? [], plan.tier ?? []);
  // Readers of large tensors come in pieces; one packed tensor is kept so that each is packed once.
  let latest: { readonly name: string; readonly packed: Promise<Uint8Array> } | null = null;

  const readPacked = (name: string, slice: MatrixSlice): Promise<Uint8Array> => {
    if (latest?.name === name) return latest.packed;
    const packed = readSlice(slice);
    latest = { name, packed };
    packed.catch(() => {
      if (latest?.packed === packed) latest = null;
    });
    return packed;
  };

  const readRow = async (rows: ReadonlyMap<number, LayerRows>, layer: number, expert: number): Promise<Uint8Array> => {
    const found = rows.get(layer);
    if (!found || !(expert >= 0 && expert < found.slices.gate.length)) {
      throw new RangeError(`${manifest.name} has no expert ${expert} in layer ${layer}`);
    }
    const { entry, slices } = found;
    const row = new Uint8Array(expertRowByteLength(entry));
    const place = async (matrix: ExpertMatrixEntry, slice: MatrixSlice): Promise<void> =>
      row.set(await readSlice(slice), matrix.byteOffset);
    await Promise.all([
      place(entry.gate, slices.gate[expert]),
      place(entry.up, slices.up[expert]),
      place(entry.down, slices.down[expert]),
    ]);
    return row;
  };

  return {
    manifest,
    async readDense(name, byteOffset = 0, byteLength) {
      const slice = denseSlices.get(name);
      if (!slice) throw new RangeError(`${manifest.name} has no dense tensor ${name}`);
      const packed = await readPacked(name, slice);
      const end = byteOffset + (byteLength ?? packed.byteLength - byteOffset);
      if (byteOffset < 0 || end > packed.byteLength || end < byteOffset) {
        throw new RangeError(`bytes ${byteOffset} to ${end} are outside of ${name} (${packed.byteLength} bytes)`);
      }
      return packed.subarray(byteOffset, end);
    },
    readExpertRow: (layer, expert) => readRow(layers, layer, expert),
    readTierRow: (layer, expert) => readRow(tierLayers, layer, expert),
    async close() {
      latest = null;
    },
  };
}

interface LayerRows {
  readonly entry: ExpertLayerEntry;
  readonly slices: ExpertLayerPlan;
}

function rowsOf(entries: readonly ExpertLayerEntry[], plans: readonly ExpertLayerPlan[]): Map<number, LayerRows> {
  return new Map(entries.map((entry, i) => [entry.layer, { entry, slices: plans[i] }]));
}

async function readSlice(slice: MatrixSlice): Promise<Uint8Array> {
  const { format, rows, cols, source, byteOffset, byteLength, tensorScale } = slice;
  return packRows(format, await source.read(byteOffset, byteLength), rows, cols, tensorScale);
}
