import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { HostApi, QualityResult } from '../../hosts/api.ts';
import type { ConversationState } from './conversation.ts';
import { sentenceOf } from './notices.ts';
import type { SessionState } from './session.ts';

export const QUALITY_CONTEXT_BOUNDS = { min: 16, max: 4096, step: 16 } as const;
const DEFAULT_CONTEXT_LENGTH = 256;
/** A larger file would only be measured for hours; the first part of it says as much. */
const MAX_TEXT_BYTES = 4 * 2 ** 20;

export interface QualityState {
  /** Whether the dialog is shown. */
  readonly shown: ReadonlySignal<boolean>;
  /** Why the dialog can't be opened now; null where it can. */
  readonly obstacle: ReadonlySignal<string | null>;
  readonly text: Signal<string>;
  readonly contextLength: Signal<number>;
  readonly keepAsBaseline: Signal<boolean>;
  /** Scored tokens done and in all (0 before that is known); null while nothing is measured. */
  readonly running: ReadonlySignal<{ readonly done: number; readonly total: number } | null>;
  readonly stopping: ReadonlySignal<boolean>;
  readonly result: ReadonlySignal<QualityResult | null>;
  /** What went wrong, in a sentence. */
  readonly problem: ReadonlySignal<string | null>;
  /** Shows the dialog, with the site's sample text where there is no other. */
  show(): Promise<void>;
  /** Hides the dialog and stops what runs. */
  close(): void;
  takeFile(file: File): Promise<void>;
  /** Measures the open model. */
  run(): Promise<void>;
  stop(): void;
}

export interface QualityServices {
  readonly host: HostApi;
  readonly session: Pick<SessionState, 'model'>;
  readonly conversation: Pick<ConversationState, 'live'>;
  /** The site's sample text; '' where there is none. */
  readonly fetchSample: () => Promise<string>;
}

/** Perplexity of the open model, and its difference from a model that was measured before. */
export function createQuality({ host, session, conversation, fetchSample }: QualityServices): QualityState {
  const shown = signal(false);
  const text = signal('');
  const contextLength = signal<number>(DEFAULT_CONTEXT_LENGTH);
  const keepAsBaseline = signal(false);
  const running = signal<{ readonly done: number; readonly total: number } | null>(null);
  const stopping = signal(false);
  const result = signal<QualityResult | null>(null);
  const problem = signal<string | null>(null);
  const obstacle = computed(() => {
    if (session.model.value === null) return 'Open a model first.';
    return conversation.live.value === null ? null : 'An answer is being written: wait for its end or stop it first.';
  });

  const stop = (): void => {
    if (running.peek() === null || stopping.peek()) return;
    stopping.value = true;
    void host.stop(null);
  };

  return {
    shown, obstacle, text, contextLength, keepAsBaseline, running, stopping, result, problem, stop,
    async show() {
      if (obstacle.peek() !== null) return;
      shown.value = true;
      if (text.peek() !== '') return;
      const sample = await fetchSample();
      // Whoever was faster than the site keeps what they wrote.
      if (text.peek() === '') text.value = sample;
    },
    close() {
      stop();
      shown.value = false;
    },
    async takeFile(file) {
      if (file.size > MAX_TEXT_BYTES) {
        problem.value = `${file.name} has ${file.size} bytes; a text of at most ${MAX_TEXT_BYTES} can be measured here.`;
        return;
      }
      try {
        text.value = await file.text();
        problem.value = null;
      } catch (error) {
        problem.value = sentenceOf(error);
      }
    },
    async run() {
      if (running.peek() !== null) return;
      if (obstacle.peek() !== null || text.peek() === '') {
        problem.value = obstacle.peek() ?? 'There is no text to measure: write one, or choose a file.';
        return;
      }
      running.value = { done: 0, total: 0 };
      result.value = null;
      problem.value = null;
      try {
        result.value = await host.evaluateText(
          { text: text.peek(), contextLength: contextLength.peek(), keepAsBaseline: keepAsBaseline.peek() },
          (done, total) => {
            // Reports cross threads: some may arrive after the end.
            if (running.peek() !== null) running.value = { done, total };
          });
      } catch (error) {
        problem.value = stopping.peek() ? null : sentenceOf(error);
      } finally {
        running.value = null;
        stopping.value = false;
      }
    },
  };
}

/** The site's sample text; '' where the site has none. */
export async function fetchSampleText(base: string, fetcher: typeof fetch): Promise<string> {
  try {
    const response = await fetcher(`${base}quality/sample.txt`);
    // Some servers answer a missing file with their start page.
    const missing = response.headers.get('content-type')?.startsWith('text/html') ?? false;
    return response.ok && !missing ? await response.text() : '';
  } catch {
    return '';
  }
}
