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
  /** null: until an end token or a full context; `written` counts. */
  readonly maxTokens: number | null;
  /**
   * Which conversation this belongs to: answers of several run at the same time, each has a KV cache of its own as long as
   * there is room, and one conversation has one answer at a time. '' where it isn't given.
   */
  readonly conversation?: string;
  /** Tokens of this very answer that an engine which is gone has written: the answer goes on behind them. */
  readonly written?: readonly number[];
}

export type GenerateEvent =
  | { readonly kind: 'prefill'; readonly done: number; readonly total: number; /** Tokens found in the KV cache. */ readonly reused: number }
  /** Text is whole characters only: an emoji split over tokens appears with its last token. */
  | { readonly kind: 'token'; readonly token: number; readonly text: string }
  /** The device was lost; the model is being loaded again, then the answer goes on. */
  | { readonly kind: 'recovering'; readonly reason: string }
  /** As many answers as there is room for are being written: this one begins when one of them ends. */
  | { readonly kind: 'queued' };

export type StopReason = 'end' | 'max_tokens' | 'context_full' | 'stopped';

export interface GenerateResult {
  /** Of the whole answer: the request's `written` first. */
  readonly tokens: readonly number[];
  /** Likewise. */
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
