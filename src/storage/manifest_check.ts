/** Stored form of a manifest and its way back, checked as input that we can't trust. */
import { WEIGHT_FORMATS, type WeightFormatName } from '../quant/formats.ts';
import { packedLayout, PLANE_ALIGN_BYTES } from '../quant/packed.ts';
import { conversionOf } from './conversion_report.ts';
import type { Hyperparameters } from '../formats/model_plan.ts';
import type { TokenizerSource } from '../formats/checkpoint.ts';
import { DENSE_ALIGN_BYTES, EXPERT_ROW_ALIGN_BYTES, expertRowByteLength } from './manifest.ts';
import type { DenseEntry, ExpertLayerEntry, ExpertMatrixEntry, ExpertTier, Manifest } from './model_source.ts';
import { arrayOf, countOf, damaged, finiteOf, recordOf, textOf } from './stored_json.ts';

/** Bounds that no real model comes near; they keep products exact and loops short. */
const MAX_LAYERS = 4096;
const MAX_EXPERTS = 65_536;
const MAX_DIMENSION = 2 ** 32;

/** JSON-safe form: vocabularies hold scores of −∞, which JSON would turn into null. */
export function manifestToJson(manifest: Manifest): unknown {
  const { tokenizer } = manifest;
  if (tokenizer?.kind !== 'gguf' || !tokenizer.scores) return manifest;
  const scores = Array.from(tokenizer.scores, (score) => Number.isFinite(score) ? score : String(score));
  return { ...manifest, tokenizer: { ...tokenizer, scores } };
}

/** @throws StorageError naming what is wrong. */
export function manifestFromJson(value: unknown): Manifest {
  const m = recordOf(value, 'manifest.json');
  if (m.formatVersion !== 1) throw damaged(`manifest.json has format version ${String(m.formatVersion)}, not 1`);
  if (m.container !== 'gguf' && m.container !== 'safetensors') throw damaged('manifest.json: unknown container');
  const hyperparameters = checkHyperparameters(m.hyperparameters);
  const denseByteLength = countOf(m.denseByteLength, 'denseByteLength');
  const dense = checkDense(m.dense, denseByteLength);
  const expertCount = countOf(m.expertCount, 'expertCount');
  const stride = countOf(m.expertStrideByteLength, 'expertStrideByteLength');
  const expertLayers = checkExpertLayers(m.expertLayers, stride);
  const hasRows = expertLayers.length > 0;
  if (expertCount !== hyperparameters.expertCount || expertCount > MAX_EXPERTS || (hasRows && expertCount === 0)) {
    throw damaged(`manifest.json: ${expertCount} experts`);
  }
  const tier = checkTier(m.tier, expertLayers);
  const largestStride = Math.max(stride, tier?.strideByteLength ?? 0);
  if (!Number.isSafeInteger(expertLayers.length * expertCount * largestStride)) {
    throw damaged('manifest.json: experts too large');
  }
  return {
    formatVersion: 1,
    name: textOf(m.name, 'name'),
    architecture: textOf(m.architecture, 'architecture'),
    container: m.container,
    hyperparameters,
    tokenizer: checkTokenizer(m.tokenizer),
    chatTemplate: m.chatTemplate === null ? null : textOf(m.chatTemplate, 'chatTemplate'),
    sourceFiles: arrayOf(m.sourceFiles, 'sourceFiles').map((entry) => {
      const file = recordOf(entry, 'sourceFiles');
      return { name: textOf(file.name, 'sourceFiles'), byteLength: countOf(file.byteLength, 'sourceFiles') };
    }),
    conversion: conversionOf(m.conversion, 'manifest.json'),
    dense,
    denseByteLength,
    expertCount,
    expertLayers,
    expertStrideByteLength: stride,
    tier,
  };
}

function checkMatrix(entry: Record<string, unknown>, where: string): ExpertMatrixEntry {
  const format = textOf(entry.format, `${where}: format`);
  if (!Object.hasOwn(WEIGHT_FORMATS, format)) throw damaged(`${where} has the unknown format ${format}`);
  const matrix = {
    format: format as WeightFormatName,
    rows: countOf(entry.rows, `${where}: rows`),
    cols: countOf(entry.cols, `${where}: cols`),
    byteOffset: countOf(entry.byteOffset, `${where}: byteOffset`),
    byteLength: countOf(entry.byteLength, `${where}: byteLength`),
  };
  const { blockElems } = WEIGHT_FORMATS[matrix.format];
  if (matrix.rows > MAX_DIMENSION || matrix.cols > MAX_DIMENSION || matrix.cols % blockElems !== 0) {
    throw damaged(`${where} has the shape [${matrix.rows}, ${matrix.cols}]`);
  }
  if (matrix.byteLength !== packedLayout(matrix.format, matrix.rows, matrix.cols).byteLength) {
    throw damaged(`${where} has ${matrix.byteLength} bytes, which isn't what its shape takes`);
  }
  return matrix;
}

function checkDense(value: unknown, denseByteLength: number): DenseEntry[] {
  const names = new Set<string>();
  let end = 0;
  const entries = arrayOf(value, 'dense').map((item): DenseEntry => {
    const entry = recordOf(item, 'dense');
    const name = textOf(entry.name, 'dense');
    const matrix = checkMatrix(entry, name);
    if (names.has(name)) throw damaged(`${name} is there twice`);
    // Entries are written in order, so an offset before the last end is an overlap.
    if (matrix.byteOffset < end || matrix.byteOffset % DENSE_ALIGN_BYTES) throw damaged(`${name} lies in the wrong place`);
    names.add(name);
    end = matrix.byteOffset + matrix.byteLength;
    return { name, ...matrix };
  });
  if (end > denseByteLength) throw damaged('manifest.json: tensors lie outside dense.pack');
  return entries;
}

function checkExpertLayers(value: unknown, stride: number): ExpertLayerEntry[] {
  const items = arrayOf(value, 'expertLayers');
  if (items.length > MAX_LAYERS) throw damaged(`manifest.json has ${items.length} layers of experts`);
  if (stride % EXPERT_ROW_ALIGN_BYTES) throw damaged(`an expert row of ${stride} bytes`);
  const seen = new Set<number>();
  return items.map((item): ExpertLayerEntry => {
    const entry = recordOf(item, 'expertLayers');
    const layer = countOf(entry.layer, 'layer');
    const where = `experts of layer ${layer}`;
    const [gate, up, down] = [entry.gate, entry.up, entry.down].map((m) => checkMatrix(recordOf(m, where), where));
    const inOrder = gate.byteOffset === 0 && up.byteOffset >= gate.byteLength
      && down.byteOffset >= up.byteOffset + up.byteLength
      && up.byteOffset % PLANE_ALIGN_BYTES === 0 && down.byteOffset % PLANE_ALIGN_BYTES === 0;
    const checked = { layer, gate, up, down };
    if (!inOrder || expertRowByteLength(checked) > stride) throw damaged(`${where} lie in the wrong place`);
    if (seen.has(layer)) throw damaged(`${where} are there twice`);
    seen.add(layer);
    return checked;
  });
}

/** Models stored before there were tiers have none. */
function checkTier(value: unknown, expertLayers: readonly ExpertLayerEntry[]): ExpertTier | null {
  if (value === undefined || value === null) return null;
  const t = recordOf(value, 'tier');
  const strideByteLength = countOf(t.strideByteLength, 'tier');
  const layers = checkExpertLayers(t.layers, strideByteLength);
  const alike = layers.length === expertLayers.length && layers.every(({ layer, gate, up, down }, i) => {
    const other = expertLayers[i];
    return layer === other.layer && sameShape(gate, other.gate) && sameShape(up, other.up) && sameShape(down, other.down);
  });
  if (!alike) throw damaged('manifest.json: the second tier is of other experts');
  return { layers, strideByteLength };
}

function sameShape(a: ExpertMatrixEntry, b: ExpertMatrixEntry): boolean {
  return a.rows === b.rows && a.cols === b.cols;
}

const COUNT_FIELDS = [
  'hiddenSize', 'layerCount', 'headCount', 'kvHeadCount', 'headDim', 'vocabSize', 'contextLength', 'ropeDim',
  'expertCount', 'expertUsedCount', 'expertFfnSize', 'sharedFfnSize', 'denseFfnSize',
] as const;
const NUMBER_FIELDS = [
  'rmsNormEps', 'ropeTheta', 'ropeScale', 'attentionScale', 'expertWeightsScale', 'embeddingScale', 'residualScale',
  'logitScale',
] as const;

/** Types only: what values make sense is the architecture's to say, for a stored model as for a dropped one. */
function checkHyperparameters(value: unknown): Hyperparameters {
  const h = recordOf(value, 'hyperparameters');
  for (const field of COUNT_FIELDS) countOf(h[field], field);
  for (const field of NUMBER_FIELDS) finiteOf(h[field], field);
  if (h.layerCount as number > MAX_LAYERS) throw damaged(`manifest.json: ${String(h.layerCount)} layers`);
  if (h.ropeStyle !== 'half' && h.ropeStyle !== 'interleaved') throw damaged('manifest.json: unknown ropeStyle');
  if (typeof h.normTopkProb !== 'boolean') throw damaged('manifest.json: normTopkProb is no truth value');
  if (h.ropeInvFreq !== null) arrayOf(h.ropeInvFreq, 'ropeInvFreq').forEach((f) => finiteOf(f, 'ropeInvFreq'));
  if (h.slidingWindow !== null) countOf(h.slidingWindow, 'slidingWindow');
  if (h.clipQkv !== null) finiteOf(h.clipQkv, 'clipQkv');
  arrayOf(h.denseLayers, 'denseLayers').forEach((layer) => countOf(layer, 'denseLayers'));
  return h as unknown as Hyperparameters;
}

function checkTokenizer(value: unknown): TokenizerSource | null {
  if (value === null) return null;
  const t = recordOf(value, 'tokenizer');
  if (t.kind === 'hf') {
    recordOf(t.tokenizerJson, 'tokenizerJson');
    if (t.tokenizerConfig !== null) recordOf(t.tokenizerConfig, 'tokenizerConfig');
    arrayOf(t.eosIds, 'eosIds').forEach((id) => countOf(id, 'eosIds'));
    return t as unknown as TokenizerSource;
  }
  if (t.kind !== 'gguf') throw damaged('manifest.json: unknown tokenizer');
  textOf(t.model, 'tokenizer model');
  textOf(t.pre, 'tokenizer pre');
  arrayOf(t.tokens, 'tokens').forEach((token) => textOf(token, 'tokens'));
  if (t.merges !== null) arrayOf(t.merges, 'merges').forEach((merge) => textOf(merge, 'merges'));
  if (t.tokenTypes !== null) arrayOf(t.tokenTypes, 'tokenTypes').forEach((type) => finiteOf(type, 'tokenTypes'));
  const scores = t.scores === null ? null : arrayOf(t.scores, 'scores').map((score) => Number(score));
  return { ...t, scores } as unknown as TokenizerSource;
}
