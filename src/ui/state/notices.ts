import { signal, type ReadonlySignal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly kind: 'error' | 'info';
  /** One sentence: what happened. */
  readonly text: string;
  /** What to do about it, or null where the text says it. */
  readonly hint: string | null;
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

export type NewNotice = Pick<Notice, 'kind' | 'text'> & Partial<Pick<Notice, 'hint' | 'action'>>;

export interface NoticeState {
  readonly list: ReadonlySignal<readonly Notice[]>;
  show(notice: NewNotice): void;
  dismiss(id: number): void;
  /** Drops errors of earlier attempts, so that a new one starts with a clean slate. */
  clear(): void;
}

/** More at once would push the chat off a phone's screen. */
const MAX_NOTICES = 3;

export function createNotices(): NoticeState {
  const list = signal<readonly Notice[]>([]);
  let nextId = 1;
  return {
    list,
    show: ({ kind, text, hint = null, action = null }) => {
      const same = list.peek().find((notice) => notice.text === text);
      // A failure may be told from two sides; the one that offers a way out stays.
      if (same !== undefined && action === null) return;
      const others = list.peek().filter((notice) => notice !== same);
      list.value = [...others, { id: nextId++, kind, text, hint, action }].slice(-MAX_NOTICES);
    },
    dismiss: (id) => {
      list.value = list.peek().filter((notice) => notice.id !== id);
    },
    clear: () => {
      list.value = [];
    },
  };
}

/** Sentences that programs write as half a line ('there is no model here') begin with one of these. */
const LOWER_CASE_START = /^(a|an|the|this|these|there|no|it)(?=\s)/;

/** The sentence of whatever was thrown, as people read sentences: a capital in front, a full stop behind. */
export function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : error;
  if (typeof message !== 'string' || message.trim() === '') return 'Something failed without saying why.';
  // Names of files and tensors at the start stay as they are.
  const text = message.trim().replace(LOWER_CASE_START, (word) => word[0].toUpperCase() + word.slice(1));
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}
