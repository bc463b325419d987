/**
 * The interface between a page and a host (browser worker, native bridge): comlink over a MessagePort or a
 * WebSocket. Only structured-clone safe values and proxied callbacks cross it.
 */
import type { BackendInfo, LoadProgress } from '../compute/ops.ts';
import type { EngineInfo, GenerateEvent, GenerateRequest, GenerateResult, ChatMessage } from '../engine/types.ts';

export interface EnvironmentInfo {
  /** The back end that a model would be opened on now. */
  readonly backend: BackendInfo;
  readonly storage: 'opfs' | 'indexeddb' | 'memory';
  /** True where the browser promised not to evict our data. */
  readonly persisted: boolean;
  readonly quotaBytes: number | null;
  readonly usedBytes: number | null;
}

export interface ModelSummary {
  readonly id: string;
  readonly name: string;
  readonly architecture: string;
  /** Weight formats with their share of bytes, largest first: [{format: 'Q4_K', byteLength}]. */
  readonly formats: readonly { readonly format: string; readonly byteLength: number }[];
  readonly byteLength: number;
  readonly container: 'gguf' | 'safetensors';
  readonly importedAt: number;
  readonly sourceFiles: readonly string[];
  /** 'ready', or 'partial' for an import that a closed tab cut off (drop the same files again to resume, or delete). */
  readonly state: 'ready' | 'partial';
}

export interface Progress {
  /** What is happening, as people would say it: 'Importing', 'Uploading to the GPU', 'Compiling shaders'. */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  readonly unit: 'bytes' | 'kernels';
}

export interface DroppedFile {
  /** Path relative to the drop, with folders: 'model/config.json'. */
  readonly path: string;
  readonly file: File;
}

export interface OpenOptions {
  /** Tokens of context; clipped to what the model was trained for. */
  readonly contextLength: number;
  readonly backend: 'auto' | 'webgpu' | 'reference';
}

export interface HostApi {
  environment(): Promise<EnvironmentInfo>;
  listModels(): Promise<readonly ModelSummary[]>;
  /** Imports one model from dropped files; all or nothing. Rejects with a ModelFormatError's sentence. */
  importFiles(files: readonly DroppedFile[], onProgress: (p: Progress) => void): Promise<ModelSummary>;
  /** Stops the import in progress; what was written is kept as 'partial' unless discard is true. */
  cancelImport(discard: boolean): Promise<void>;
  deleteModel(id: string): Promise<void>;
  /** The model's files as they were imported (tensors bit for bit): one GGUF, or the safetensors folder's files. */
  exportModel(id: string, onProgress: (p: Progress) => void): Promise<readonly { readonly name: string; readonly blob: Blob }[]>;
  /** Opens a model for chat; closes the one that was open. */
  openModel(id: string, options: OpenOptions, onProgress: (p: Progress) => void): Promise<EngineInfo>;
  /** Closes the open model, or gives up the opening in progress (its promise rejects). */
  closeModel(): Promise<void>;
  /** Rejects with an error named 'ContextFullError' where the prompt is longer than the context. */
  generate(request: GenerateRequest, onEvent: (e: GenerateEvent) => void): Promise<GenerateResult>;
  /** Stops the running generation within one token. */
  stop(): Promise<void>;
  /** Calls back with a sentence when the GPU device under the open model is lost; the model is closed then. */
  watchDevice(onLost: (sentence: string) => void): Promise<void>;
  /** Tokens that these messages take in the open model's context. */
  countTokens(messages: readonly ChatMessage[]): Promise<number>;
}

export type { LoadProgress };
