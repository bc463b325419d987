import { signal, type ReadonlySignal } from '@preact/signals';
import type { Progress } from '../../hosts/api.ts';
import { createRateMeter, type RatedProgress } from './rate_meter.ts';

export interface TaskAction {
  readonly label: string;
  readonly hint: string;
  readonly run: () => void;
}

/** A long step in progress. */
export interface Task {
  readonly title: string;
  /** null before the first report. */
  readonly progress: RatedProgress | null;
  readonly actions: readonly TaskAction[];
}

export interface TaskState {
  /** One at a time: importing and opening compete for the same disk and memory. */
  readonly current: ReadonlySignal<Task | null>;
  /** Shows a task while `work` runs. @throws Error where another task is running. */
  run<T>(title: string, actions: readonly TaskAction[], work: (report: (p: Progress) => void) => Promise<T>): Promise<T>;
}

export function createTasks(now: () => number): TaskState {
  const current = signal<Task | null>(null);
  return {
    current,
    async run(title, actions, work) {
      const running = current.peek();
      if (running !== null) throw new Error(`“${running.title}” is still running: wait for it to end or cancel it first.`);
      const rate = createRateMeter(now);
      let ended = false;
      current.value = { title, actions, progress: null };
      try {
        return await work((progress) => {
          // A report comes over a channel of its own and may be later than the result.
          if (!ended) current.value = { title, actions, progress: rate(progress) };
        });
      } finally {
        ended = true;
        current.value = null;
      }
    },
  };
}
