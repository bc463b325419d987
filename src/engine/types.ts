/** What a host asks of the engine and what it gets back. Structured-clone safe: it crosses comlink and ws. */
import type { BackendInfo, SamplingParams } from '../compute/ops.ts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface GenerateRequest {
  /** A chat (rendered with the model's template, generation prompt added) or a raw text. */
  readonly input: { readonly kind: 'chat'; readonly messages: readonly ChatMessage[] } | { readonly kind: 'text'; readonly text: string };
  readonly sampling: SamplingParams;
  /** null: until an end token or a full context. */
  readonly maxTokens: number | null;
}

export type GenerateEvent =
  | { readonly kind: 'prefill'; readonly done: number; readonly total: number; /** Tokens found in the KV cache. */ readonly reused: number }
  /** Text is whole characters only: an emoji split over tokens appears with its last token. */
  | { readonly kind: 'token'; readonly token: number; readonly text: string }
  /** The device was lost; the model is being loaded again, then the answer goes on. */
  | { readonly kind: 'recovering'; readonly reason: string };

export type StopReason = 'end' | 'max_tokens' | 'context_full' | 'stopped';

export interface GenerateResult {
  readonly tokens: readonly number[];
  readonly text: string;
  readonly stopReason: StopReason;
  readonly promptTokens: number;
  readonly reusedTokens: number;
  readonly prefillMs: number;
  readonly timeToFirstTokenMs: number;
  readonly decodeMs: number;
  /** Decoded tokens a second, the first token's step left out; null with fewer than two tokens. */
  readonly tokensPerSecond: number | null;
  /** Tokens in the context after this answer. */
  readonly contextUsed: number;
}

export interface EngineInfo {
  readonly modelName: string;
  readonly architecture: string;
  readonly backend: BackendInfo;
  readonly contextLength: number;
  readonly trainedContextLength: number;
  /** 'model' where the model brought one, 'chatml' where ChatML stands in. */
  readonly chatTemplate: 'model' | 'chatml';
  readonly deviceByteLength: number;
}
