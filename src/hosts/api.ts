/**
 * The interface between a page and a host (browser worker, native bridge): comlink over a MessagePort or a
 * WebSocket. Only structured-clone safe values and proxied callbacks cross it.
 */
import type { BackendInfo, LoadProgress } from '../compute/ops.ts';
import type { ResidencyCounters } from '../compute/residency.ts';
import type { Approximations } from '../experts/approximations.ts';
import type { ExpertBudget, ExpertPlacement, GpuBudget } from '../experts/budget.ts';
import type { ConversionReport, ExpertConversion } from '../storage/conversion_report.ts';
import type { Evaluation } from '../engine/evaluate.ts';
import type { ProfileSnapshot } from '../profile/snapshot.ts';
import type { EngineInfo, GenerateEvent, GenerateRequest, GenerateResult, ChatMessage } from '../engine/types.ts';
import type { UsableApproximations } from './usable_approximations.ts';

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
  /** How the import changed the experts; such a model can't be exported. */
  readonly conversion: ExpertConversion;
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

/** What one way of importing would store. */
export interface ImportChoice {
  readonly conversion: ExpertConversion;
  /** Why this model can't be stored this way ('its experts have 2.25 bits a weight already'); null where it can. */
  readonly refusal: string | null;
  /** All experts of the model as this choice stores them, the second tier included. */
  readonly expertByteLength: number;
  /** Bits that one expert weight takes in the experts that run by default, scales included. */
  readonly expertBitsPerWeight: number;
  /** Browser storage that the import takes. */
  readonly storageByteLength: number;
  /** Weights in GPU memory when all of them are resident (without the second tier). */
  readonly gpuByteLength: number;
  /** 'ready' or 'partial' where the library has this model in this form already. */
  readonly present: 'ready' | 'partial' | null;
}

/** What was dropped, read but not stored yet. */
export interface ImportPreview {
  readonly name: string;
  readonly architecture: string;
  readonly container: 'gguf' | 'safetensors';
  /** Formats of the experts as the files have them, largest share first; empty for a model without experts. */
  readonly expertFormats: readonly string[];
  readonly layerCount: number;
  readonly expertCount: number;
  readonly expertUsedCount: number;
  /** In the order of EXPERT_CONVERSIONS; 'keep' is always possible. */
  readonly choices: readonly ImportChoice[];
  /** Free browser storage as far as the browser tells. */
  readonly freeStorageByteLength: number | null;
  readonly gpu: {
    readonly backend: BackendInfo;
    /**
     * GPU memory that a trial allocation got (WebGPU tells no memory size): at least so much can be allocated now. It
     * asks for no more than askedByteLength, the largest choice. Null without WebGPU.
     */
    readonly provenByteLength: number | null;
    readonly askedByteLength: number;
  };
}

export interface OpenOptions {
  /** Tokens of context; clipped to what the model was trained for. */
  readonly contextLength: number;
  readonly backend: 'auto' | 'webgpu' | 'reference';
  /** Memory for experts; automatic by default. */
  readonly experts?: ExpertBudget;
  /** What may change the model's answers; none by default. */
  readonly approximations?: Approximations;
}

/** An opened model, where its experts are (null without experts, or on the CPU), and what changes its answers. */
export interface OpenedInfo extends EngineInfo {
  readonly experts: ExpertPlacement | null;
  readonly approximations: UsableApproximations;
}

/** The open model, as all tabs see it. */
export interface OpenModel {
  readonly id: string;
  readonly info: OpenedInfo;
  /** What it was opened with, later changes of its budgets included. */
  readonly requested: OpenOptions;
}

/** Where the engine that a tab speaks to runs. */
export interface EnginePlace {
  /** 'here': in this tab, for other tabs too; 'another-tab'; 'alone': in this tab, for it alone. */
  readonly kind: 'here' | 'another-tab' | 'alone';
  /** Why tabs don't share an engine, in a sentence; null where they do. */
  readonly fallbackReason: string | null;
}

/** What a page is told without having asked. */
export type HostNews =
  /** The GPU device under the open model was lost and could not be replaced; the model is closed. */
  | { readonly kind: 'device-lost'; readonly sentence: string }
  /** Another tab opened a model, closed it, or gave its experts other memory. Told once at the beginning, too, if one is open. */
  | { readonly kind: 'model'; readonly model: OpenModel | null }
  /** Another tab imported or deleted a model. */
  | { readonly kind: 'library' }
  | { readonly kind: 'engine'; readonly place: EnginePlace };

/**
 * What approximations did in one answer. Of an answer that went on after a lost device: since the model was loaded again,
 * the copies that this began with included.
 */
export type ApproximationCounts = Pick<ResidencyCounters, 'promotions' | 'gatedSteps' | 'toleratedMisses'>;

export interface AnswerResult extends GenerateResult {
  /** Null where the model runs exactly as it is stored. */
  readonly approximation: ApproximationCounts | null;
}

export interface QualityRequest {
  readonly text: string;
  /** Tokens run together; clipped to the context that the model was opened with. Windows don't overlap. */
  readonly contextLength: number;
  /** Keep this run's logits in the worker: later runs on the same text are compared with them. */
  readonly keepAsBaseline: boolean;
}

export interface QualityResult {
  readonly modelName: string;
  /** As it was used. */
  readonly contextLength: number;
  /** With a comparison where the kept baseline fits. */
  readonly evaluation: Evaluation;
  readonly seconds: number;
  /** The model that this one was compared with. */
  readonly baselineName: string | null;
  /** Why this run wasn't compared with the kept baseline; null where it was, or where none is kept. */
  readonly notCompared: string | null;
  /** Why this run wasn't kept as the baseline although that was asked for. */
  readonly notKept: string | null;
}

export interface ProfilingOptions {
  /** Time every kernel where the device can; slows each step. */
  readonly kernels: boolean;
  /** Draw what is recorded into the developer tools' Performance panel, too. */
  readonly devTools: boolean;
}

/** 'trace': Chrome's trace event JSON; 'csv': one line a step. */
export type ProfileForm = 'trace' | 'csv';

export interface HostApi {
  environment(): Promise<EnvironmentInfo>;
  listModels(): Promise<readonly ModelSummary[]>;
  /** Reads what was dropped without storing anything. Rejects with a ModelFormatError's sentence. */
  previewImport(files: readonly DroppedFile[]): Promise<ImportPreview>;
  /** Imports one model from dropped files; all or nothing. Rejects with a ModelFormatError's sentence. */
  importFiles(
    files: readonly DroppedFile[], conversion: ExpertConversion, onProgress: (p: Progress) => void,
  ): Promise<ModelSummary>;
  /** What the import's conversion lost; null for a model stored as it was. */
  conversionReport(id: string): Promise<ConversionReport | null>;
  /** Stops the import in progress; what was written is kept as 'partial' unless discard is true. */
  cancelImport(discard: boolean): Promise<void>;
  deleteModel(id: string): Promise<void>;
  /**
   * The model's files as they were imported (tensors bit for bit): one GGUF, or the safetensors folder's files.
   * Rejects for a converted model, which holds its experts' original weights no more.
   */
  exportModel(id: string, onProgress: (p: Progress) => void): Promise<readonly { readonly name: string; readonly blob: Blob }[]>;
  /**
   * Opens a model for chat, for all tabs; closes the one that was open. Where it is open already with the same options, that
   * is it. Rejects while another tab has an answer written.
   */
  openModel(id: string, options: OpenOptions, onProgress: (p: Progress) => void): Promise<OpenedInfo>;
  /**
   * Closes the open model, or gives up the opening in progress (its promise rejects). Rejects while another tab has an answer
   * written.
   */
  closeModel(): Promise<void>;
  /**
   * Gives experts in RAM another budget (null: automatic) while the model runs, in the middle of an answer too.
   * @returns where the experts are from now on; null where no model is open, or none with experts on a GPU
   */
  setExpertRam(byteLength: number | null): Promise<ExpertPlacement | null>;
  /**
   * Gives experts another part of the GPU between answers; the chat's cache stays. An automatic budget and other
   * approximations take a new openModel.
   * @returns what has changed; null where no model is open, or none with experts on a GPU
   */
  setExpertGpu(
    gpu: Exclude<GpuBudget, 'auto'>, onProgress: (p: Progress) => void,
  ): Promise<Pick<OpenedInfo, 'experts' | 'approximations'> | null>;
  /**
   * Several conversations' answers may run at a time (GenerateRequest.conversation). On a lost device an answer goes on by
   * itself on another one, in the place of a closed tab's engine on another tab's (GenerateEvent 'recovering').
   * Rejects with an error named 'ContextFullError' where the prompt is longer than the context.
   */
  generate(request: GenerateRequest, onEvent: (e: GenerateEvent) => void): Promise<AnswerResult>;
  /** Scores a text with the open model. stop(null) ends it, and it rejects then; not while an answer is written. */
  evaluateText(request: QualityRequest, onProgress: (done: number, total: number) => void): Promise<QualityResult>;
  /** Stops a conversation's answer within one token; null: all that this page has running, a measurement included. */
  stop(conversation: string | null): Promise<void>;
  /** Calls back with what happens to the engine, until the page is closed. One watcher a page: a later one takes its place. */
  watch(onNews: (news: HostNews) => void): Promise<void>;
  /** Begins recording the open model and those opened later, changes its options, or ends it (null). */
  setProfiling(options: ProfilingOptions | null): Promise<void>;
  /** What was recorded, its steps from number `since` on. Meant to be asked a few times a second. */
  profile(since: number): Promise<ProfileSnapshot>;
  /** The latest recording as a file. */
  exportProfile(form: ProfileForm): Promise<Blob>;
  /** Tokens that these messages take in the open model's context. */
  countTokens(messages: readonly ChatMessage[]): Promise<number>;
}

export type { LoadProgress };
