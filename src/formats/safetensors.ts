/** A Hugging Face model folder (safetensors weights with their JSON files) as a Checkpoint. */
import { ModelFormatError, type ByteSource, type Checkpoint, type TokenizerSource } from './checkpoint.ts';
import { isJsonObject, readJsonFile, readTextFile, type JsonObject } from './json_file.ts';
import { presentTensors } from './quantised_safetensors/present.ts';
import { readQuantisation } from './quantised_safetensors/quantisation_config.ts';
import { readSafetensorsHeader, type SafetensorsHeader } from './safetensors_header.ts';
import type { StoredTensor } from './stored_tensor.ts';

/** The files of one folder by file name. */
export type FolderFiles = ReadonlyMap<string, ByteSource>;

const CONFIG_LIMIT_MIB = 16;
const INDEX_LIMIT_MIB = 64;
const TOKENIZER_LIMIT_MIB = 256;
const INDEX_SUFFIX = '.safetensors.index.json';
const SHARD_NAME = /^(.*)-(\d{5})-of-(\d{5})\.safetensors$/;

/**
 * Opens a folder.
 * @param folderName name of the folder, '' where the files came without one
 * @throws ModelFormatError where a file is damaged or missing; a missing tokenizer.json gives tokenizer null
 */
export async function openSafetensors(files: FolderFiles, folderName: string): Promise<Checkpoint> {
  const weights = [...files.keys()].filter((name) => name.endsWith('.safetensors')).toSorted();
  const json = async (name: string, limitMiB = CONFIG_LIMIT_MIB): Promise<JsonObject | null> => {
    const source = files.get(name);
    return source ? readJsonFile(source, limitMiB) : null;
  };
  const config = await json('config.json');
  if (!config) {
    const absent = ['config.json', 'tokenizer.json'].filter((name) => !files.has(name)).join(' and ');
    throw new ModelFormatError(`${weights[0]} needs ${absent} from the same model: add the model's whole folder`);
  }
  const generationConfig = await json('generation_config.json');
  const tokenizerConfig = await json('tokenizer_config.json');
  const tokenizerJson = await json('tokenizer.json', TOKENIZER_LIMIT_MIB);
  const template = files.get('chat_template.jinja');
  const quantisation = readQuantisation(config, await json('hf_quant_config.json'));
  const shards = await openWeights(files, weights);
  const { tensors, unsupported } = await presentTensors(shards.tensors, quantisation);
  const tokenizer: TokenizerSource | null = tokenizerJson && {
    kind: 'hf', tokenizerJson, tokenizerConfig, eosIds: eosIds(generationConfig, config),
  };
  return {
    container: 'safetensors',
    name: modelName(folderName, config, weights[0]),
    sources: shards.sources,
    metadata: { kind: 'hf', config, generationConfig },
    tensors,
    unsupportedTensors: unsupported,
    tokenizer,
    chatTemplate: template ? await readTextFile(template, CONFIG_LIMIT_MIB) : templateOfConfig(tokenizerConfig),
  };
}

interface Weights {
  readonly sources: readonly ByteSource[];
  readonly tensors: ReadonlyMap<string, StoredTensor>;
}

async function openWeights(files: FolderFiles, weights: readonly string[]): Promise<Weights> {
  const indexNames = [...files.keys()].filter((name) => name.endsWith(INDEX_SUFFIX));
  if (indexNames.length > 1) throw new ModelFormatError(`there are several indexes (${indexNames.join(', ')}): keep one`);
  const weightMap = indexNames.length === 1 ? await readWeightMap(files.get(indexNames[0])!) : null;
  const names = weightMap ? [...new Set(weightMap.values())].toSorted() : filesWithoutIndex(weights);
  const missing = names.filter((name) => !files.has(name));
  if (missing.length > 0) {
    const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : '';
    throw new ModelFormatError(
      `${missing[0]}${more} is missing: add all ${names.length} weight files of the model together`);
  }
  const headers: SafetensorsHeader[] = [];
  for (const name of names) headers.push(await readSafetensorsHeader(files.get(name)!));
  const merged = merge(headers);
  for (const [tensor, file] of weightMap ?? []) {
    if (merged.tensors.get(tensor)?.source !== files.get(file)) {
      throw new ModelFormatError(`${file}: the tensor ${tensor}, which ${indexNames[0]} places here, is not in it`);
    }
  }
  return merged;
}

/** Tensor name → file name. */
async function readWeightMap(source: ByteSource): Promise<ReadonlyMap<string, string>> {
  const { weight_map: map } = await readJsonFile(source, INDEX_LIMIT_MIB);
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  if (entries.length === 0 || !entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) {
    throw new ModelFormatError(`${source.name} has no valid weight_map`);
  }
  return new Map(entries);
}

/** One whole file, or a full set of numbered shards (which then may not be all present). */
function filesWithoutIndex(weights: readonly string[]): readonly string[] {
  const sets = new Set(weights.map((name) => {
    const match = SHARD_NAME.exec(name);
    return match ? `${match[1]}/${match[3]}` : name;
  }));
  if (sets.size > 1) {
    throw new ModelFormatError(
      `these are several models (${weights.slice(0, 3).join(', ')}): add one at a time, or its index.json with it`);
  }
  const shard = SHARD_NAME.exec(weights[0]);
  if (!shard || Number(shard[2]) > Number(shard[3])) return weights;
  const [, stem, , count] = shard;
  const nameOf = (number: number) => `${stem}-${String(number).padStart(5, '0')}-of-${count}.safetensors`;
  return Array.from({ length: Number(count) }, (_, i) => nameOf(i + 1));
}

function merge(headers: readonly SafetensorsHeader[]): Weights {
  const tensors = new Map<string, StoredTensor>();
  for (const header of headers) {
    for (const [name, tensor] of header.tensors) {
      if (tensors.has(name)) throw new ModelFormatError(`${header.source.name}: the tensor ${name} is in another file as well`);
      tensors.set(name, tensor);
    }
  }
  return { sources: headers.map((header) => header.source), tensors };
}

/** eos_token_id is one id or a list; generation_config.json goes before config.json. */
function eosIds(generationConfig: JsonObject | null, config: JsonObject): number[] {
  const textConfig = isJsonObject(config.text_config) ? config.text_config : null;
  const value = generationConfig?.eos_token_id ?? config.eos_token_id ?? textConfig?.eos_token_id;
  return [value].flat().filter((id): id is number => typeof id === 'number' && Number.isInteger(id) && id >= 0);
}

/** tokenizer_config.json holds one template, or named ones of which 'default' is for chat. */
function templateOfConfig(tokenizerConfig: JsonObject | null): string | null {
  const value = tokenizerConfig?.chat_template;
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const named = value.filter((entry): entry is { name: string; template: string } =>
    isJsonObject(entry) && typeof entry.name === 'string' && typeof entry.template === 'string');
  return (named.find((entry) => entry.name === 'default') ?? named[0])?.template ?? null;
}

function modelName(folderName: string, config: JsonObject, weightName: string): string {
  if (folderName !== '') return folderName;
  const path = config['_name_or_path'];
  return (typeof path === 'string' ? path : '').split('/').at(-1) ||
    (SHARD_NAME.exec(weightName)?.[1] ?? weightName.replace(/\.safetensors$/, ''));
}
