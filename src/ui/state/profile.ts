import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { HostApi, ProfileForm } from '../../hosts/api.ts';
import type { ExpertSnapshot } from '../../profile/snapshot.ts';
import { stepRows, summaryOfSteps, type StepRow, type StepSummary } from '../../profile/steps.ts';
import { sentenceOf, type NoticeState } from './notices.ts';

/** Often enough to follow, seldom enough to cost nothing. */
const POLL_INTERVAL_MILLIS = 350;
/** Steps that charts show. */
const STEPS_KEPT = 512;
/** Decode steps that means are taken over. */
const STEPS_AVERAGED = 64;

export interface ProfileState {
  /** Steps recorded since the panel was opened, the latest last. */
  readonly steps: ReadonlySignal<readonly StepRow[]>;
  /** Means over the latest decode steps. */
  readonly summary: ReadonlySignal<StepSummary | null>;
  readonly experts: ReadonlySignal<ExpertSnapshot | null>;
  readonly timeKernels: Signal<boolean>;
  readonly toDevTools: Signal<boolean>;
  /** Downloads the recording. */
  save(form: ProfileForm): Promise<void>;
}

export interface ProfileServices {
  readonly host: Pick<HostApi, 'setProfiling' | 'profile' | 'exportProfile'>;
  readonly notices: NoticeState;
  /** Records while this is true. */
  readonly open: ReadonlySignal<boolean>;
  readonly download: (name: string, blob: Blob) => Promise<void>;
  readonly pollIntervalMillis?: number;
}

const FILE_NAMES: Readonly<Record<ProfileForm, string>> = { trace: 'hotset-trace.json', csv: 'hotset-steps.csv' };

/** What the open model does and what that takes, recorded while the panel is open. */
export function createProfile({ host, notices, open, download, pollIntervalMillis = POLL_INTERVAL_MILLIS }: ProfileServices): ProfileState {
  const steps = signal<readonly StepRow[]>([]);
  const experts = signal<ExpertSnapshot | null>(null);
  const timeKernels = signal(false);
  const toDevTools = signal(false);
  const summary = computed(() => summaryOfSteps(steps.value.filter((row) => row.isDecode === 1).slice(-STEPS_AVERAGED)));

  let since = 0;
  const poll = async (): Promise<void> => {
    const snapshot = await host.profile(since);
    const restarted = snapshot.stepCount < since;
    since = snapshot.stepCount;
    const news = stepRows(snapshot.steps);
    batch(() => {
      // A model that is opened begins a recording of its own.
      if (restarted || news.length > 0) steps.value = [...(restarted ? [] : steps.peek()), ...news].slice(-STEPS_KEPT);
      experts.value = snapshot.experts;
    });
  };

  effect(() => {
    if (!open.value) return;
    steps.value = [];
    since = 0;
    let closed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const loop = async (): Promise<void> => {
      try {
        await poll();
      } catch (error) {
        closed = true;
        notices.show({ kind: 'error', text: sentenceOf(error) });
      }
      if (!closed) timer = setTimeout(() => void loop(), pollIntervalMillis);
    };
    const setOptions = effect(() => {
      void host.setProfiling({ kernels: timeKernels.value, devTools: toDevTools.value });
    });
    void loop();
    return () => {
      closed = true;
      clearTimeout(timer);
      setOptions();
      void host.setProfiling(null);
    };
  });

  return {
    steps, summary, experts, timeKernels, toDevTools,
    async save(form) {
      try {
        await download(FILE_NAMES[form], await host.exportProfile(form));
      } catch (error) {
        notices.show({ kind: 'error', text: sentenceOf(error) });
      }
    },
  };
}
