/** The conversion report beside a stored model, checked as input that we can't trust. */
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import type { Crc32 } from './checksum.ts';
import type { ConversionReport, LayerReport, MatrixReport } from './conversion_report.ts';
import type { FileStore } from './file_store.ts';
import type { Manifest } from './model_source.ts';
import { readRecord } from './records.ts';
import { arrayOf, damaged, finiteOf, recordOf, textOf } from './stored_json.ts';

/**
 * The report of a stored model; null for one that keeps its experts as they were.
 * @throws StorageError where it is missing or doesn't fit the model.
 */
export async function readReport(
  crc: Crc32, store: FileStore, id: string, manifest: Manifest,
): Promise<ConversionReport | null> {
  if (manifest.conversion === 'keep') return null;
  return checkReport(await readRecord(crc, store, id, 'report.json'), manifest);
}

/** @throws StorageError naming what is wrong. */
export function checkReport(value: unknown, manifest: Manifest): ConversionReport {
  const { conversion } = manifest;
  const r = recordOf(value, 'report.json');
  if (r.formatVersion !== 1) throw damaged(`report.json has format version ${String(r.formatVersion)}, not 1`);
  if (conversion === 'keep' || r.conversion !== conversion) throw damaged('report.json is of another conversion');
  return {
    formatVersion: 1,
    conversion,
    layers: checkLayers(r.layers, manifest),
    tierLayers: r.tierLayers === null ? null : checkLayers(r.tierLayers, manifest),
  };
}

function checkLayers(value: unknown, { expertLayers, expertCount }: Manifest): LayerReport[] {
  const items = arrayOf(value, 'report.json: layers');
  if (items.length !== expertLayers.length) throw damaged(`report.json has ${items.length} layers`);
  return items.map((item, i): LayerReport => {
    const { layer } = expertLayers[i];
    const where = `report.json: layer ${layer}`;
    const entry = recordOf(item, where);
    if (entry.layer !== layer) throw damaged(`${where} is missing`);
    const [gate, up, down] = [entry.gate, entry.up, entry.down].map((matrix) => checkMatrix(matrix, where, expertCount));
    return { layer, gate, up, down };
  });
}

function checkMatrix(value: unknown, where: string, expertCount: number): MatrixReport {
  const m = recordOf(value, where);
  const byExpert = (list: unknown): number[] => {
    const numbers = arrayOf(list, where).map((number) => finiteOf(number, where));
    if (numbers.length !== expertCount) throw damaged(`${where} has ${numbers.length} experts`);
    return numbers;
  };
  return {
    from: formatOf(m.from, where),
    to: formatOf(m.to, where),
    relativeRms: byExpert(m.relativeRms),
    cosine: byExpert(m.cosine),
    signBias: finiteOf(m.signBias, where),
    meanError: finiteOf(m.meanError, where),
  };
}

function formatOf(value: unknown, where: string): WeightFormatName {
  const name = textOf(value, where);
  if (!Object.hasOwn(WEIGHT_FORMATS, name)) throw damaged(`${where} has the unknown format ${name}`);
  return name as WeightFormatName;
}
