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

/** The sentence of whatever was thrown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return typeof error === 'string' && error !== '' ? error : 'Something failed without saying why.';
}
