/** What a model file says, whatever its container: the meeting point of the GGUF and safetensors readers. */
import type { WeightFormatName } from '../quant/formats.ts';
import type { StoredCodes } from './code_order.ts';

/** A random-access byte range: a File, an OPFS file, a Node file descriptor, an ArrayBuffer in tests. */
export interface ByteSource {
  readonly name: string;
  readonly byteLength: number;
  /** Reads exactly `byteLength` bytes. @throws RangeError naming the source where the range is outside. */
  read(byteOffset: number, byteLength: number): Promise<Uint8Array>;
}

/** One stored tensor. Shape is row-major with the outermost dimension first: [out, in], [expert, out, in]. */
export interface TensorRef {
  readonly name: string;
  readonly format: WeightFormatName;
  readonly shape: readonly number[];
  readonly source: ByteSource;
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Factors of all weights, in formats that keep one (NVFP4): one, or one for each index of the outermost dimension. */
  readonly tensorScales?: readonly number[];
  /** Where `source` is put together from other tensors: what an export can make of the packed codes again. */
  readonly codes?: StoredCodes;
}

/** A GGUF metadata value. 64-bit integers become numbers where exact, else bigint. */
export type GgufValue = number | bigint | boolean | string | GgufArray;
/** Numeric arrays stay typed arrays: vocabularies have hundreds of thousands of entries. */
export type GgufArray = readonly string[] | readonly boolean[] | readonly number[] | Float32Array | Int32Array | Uint32Array | Float64Array | Uint8Array | Int8Array | Uint16Array | Int16Array | BigInt64Array | BigUint64Array | readonly GgufArray[];

export type ModelMetadata =
  | { readonly kind: 'gguf'; readonly values: ReadonlyMap<string, GgufValue> }
  | { readonly kind: 'hf'; readonly config: Readonly<Record<string, unknown>>; readonly generationConfig: Readonly<Record<string, unknown>> | null };

/** Everything a tokenizer is built from, as plain JSON so that it can stay in the manifest of a stored model. */
export type TokenizerSource =
  | {
      readonly kind: 'gguf';
      /** tokenizer.ggml.model: 'gpt2' (BPE) or 'llama' (SPM). */
      readonly model: string;
      /** tokenizer.ggml.pre, '' where absent. */
      readonly pre: string;
      readonly tokens: readonly string[];
      readonly scores: readonly number[] | null;
      /** ggml token types: 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused, 6 byte. */
      readonly tokenTypes: readonly number[] | null;
      readonly merges: readonly string[] | null;
      readonly bosId: number | null;
      readonly eosId: number | null;
      readonly eotId: number | null;
      readonly eomId: number | null;
      readonly unkId: number | null;
      readonly padId: number | null;
      readonly addBos: boolean | null;
      readonly addEos: boolean | null;
      readonly addSpacePrefix: boolean | null;
    }
  | {
      readonly kind: 'hf';
      readonly tokenizerJson: Readonly<Record<string, unknown>>;
      readonly tokenizerConfig: Readonly<Record<string, unknown>> | null;
      /** eos_token_id of generation_config.json, else of config.json. */
      readonly eosIds: readonly number[];
    };

export interface Checkpoint {
  readonly container: 'gguf' | 'safetensors';
  /** A name to show: general.name, else the file or folder name without extension. */
  readonly name: string;
  readonly sources: readonly ByteSource[];
  readonly metadata: ModelMetadata;
  readonly tensors: ReadonlyMap<string, TensorRef>;
  /**
   * Tensors of a data type that we cannot read, by name with the type's name in the file ('I32', 'F8_E4M3'): a
   * message about a missing tensor looks here first.
   */
  readonly unsupportedTensors?: ReadonlyMap<string, string>;
  readonly tokenizer: TokenizerSource | null;
  /** Jinja source; null where the model has none (ChatML is used then, and the page says so). */
  readonly chatTemplate: string | null;
}

/**
 * An input we refuse, with one sentence for the person who dropped it. Names the file and, where it applies,
 * the tensor, the format found and what is supported.
 */
export class ModelFormatError extends Error {
  override readonly name = 'ModelFormatError';
}
