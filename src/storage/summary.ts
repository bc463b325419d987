/** The few lines a library list shows of a model, kept beside it so that listing reads no manifest. */
import { conversionOf, type ExpertConversion } from './conversion_report.ts';
import type { Manifest } from './model_source.ts';
import type { Origin } from './origin.ts';
import { packFileByteLengths } from './pack_items.ts';
import { arrayOf, countOf, damaged, finiteOf, recordOf, textOf } from './stored_json.ts';

/** What the page lists; hosts/api.ts's ModelSummary has the same members. */
export interface StoredModelSummary {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** Weight formats with their bytes, largest first. */
  readonly formats: readonly { readonly format: string; readonly byteLength: number }[];
  readonly byteLength: number;
  readonly container: 'gguf' | 'safetensors';
  /** Milliseconds since 1970. */
  readonly importedAt: number;
  readonly sourceFiles: readonly string[];
  readonly conversion: ExpertConversion;
  readonly state: 'ready' | 'partial';
}

export type SummaryRecord = Omit<StoredModelSummary, 'id' | 'state'>;

export function summarize(manifest: Manifest, origin: Origin, importedAt: number): SummaryRecord {
  const byFormat = new Map<string, number>();
  const add = (format: string, byteLength: number) => byFormat.set(format, (byFormat.get(format) ?? 0) + byteLength);
  for (const entry of manifest.dense) add(entry.format, entry.byteLength);
  for (const layer of manifest.expertLayers) {
    for (const m of [layer.gate, layer.up, layer.down]) add(m.format, m.byteLength * manifest.expertCount);
  }
  const sizes = Object.values(packFileByteLengths(manifest, origin));
  return {
    name: manifest.name,
    architecture: manifest.architecture,
    formats: [...byFormat].map(([format, byteLength]) => ({ format, byteLength }))
      .sort((a, b) => b.byteLength - a.byteLength),
    byteLength: sizes.reduce((sum, size) => sum + size, 0),
    container: manifest.container,
    importedAt,
    sourceFiles: manifest.sourceFiles.map((file) => file.name),
    conversion: manifest.conversion,
  };
}

/** @throws StorageError where a stored summary isn't one. */
export function checkSummary(value: unknown): SummaryRecord {
  const s = recordOf(value, 'summary.json');
  if (s.container !== 'gguf' && s.container !== 'safetensors') throw damaged('summary.json: unknown container');
  return {
    name: textOf(s.name, 'name'),
    architecture: textOf(s.architecture, 'architecture'),
    formats: arrayOf(s.formats, 'formats').map((entry) => {
      const f = recordOf(entry, 'formats');
      return { format: textOf(f.format, 'format'), byteLength: countOf(f.byteLength, 'byteLength') };
    }),
    byteLength: countOf(s.byteLength, 'byteLength'),
    container: s.container,
    importedAt: finiteOf(s.importedAt, 'importedAt'),
    sourceFiles: arrayOf(s.sourceFiles, 'sourceFiles').map((name) => textOf(name, 'sourceFiles')),
    conversion: conversionOf(s.conversion, 'summary.json'),
  };
}
