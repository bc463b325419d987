/** `hotset` on window, in development builds only: the recording of the open model, for the browser's console. */
import type { HostApi, ProfileForm, ProfilingOptions } from '../hosts/api.ts';
import { stepRows, summaryOfSteps, type StepRow, type StepSummary } from '../profile/steps.ts';
import type { ExpertSnapshot } from '../profile/snapshot.ts';

export interface DevConsole {
  /** Records until stop(), or until the page's profile panel is closed. */
  record(options?: Partial<ProfilingOptions>): Promise<void>;
  stop(): Promise<void>;
  /** Means over the recorded decode steps, and the state of the pool. */
  residency(): Promise<{ readonly summary: StepSummary | null; readonly pool: ExpertSnapshot['pool'] }>;
  /** The recorded steps that are kept. */
  steps(): Promise<readonly StepRow[]>;
  /** The recorded events, as Chrome's trace event format has them. */
  trace(): Promise<unknown>;
  /** The experts used most, hottest first. */
  heat(count?: number): Promise<readonly { readonly layer: number; readonly expert: number; readonly uses: number; readonly resident: boolean }[]>;
  /** A recording as text: 'trace' or 'csv'. */
  export(form: ProfileForm): Promise<string>;
}

export function createDevConsole(host: Pick<HostApi, 'setProfiling' | 'profile' | 'exportProfile'>): DevConsole {
  const exported = async (form: ProfileForm): Promise<string> => (await host.exportProfile(form)).text();
  const steps = async (): Promise<StepRow[]> => stepRows((await host.profile(0)).steps);
  return {
    record: (options) => host.setProfiling({ kernels: false, devTools: true, ...options }),
    stop: () => host.setProfiling(null),
    steps,
    export: exported,
    trace: async () => JSON.parse(await exported('trace')) as unknown,
    async residency() {
      const { steps: cells, experts } = await host.profile(0);
      return { summary: summaryOfSteps(stepRows(cells)), pool: experts?.pool ?? null };
    },
    async heat(count = 20) {
      const { experts } = await host.profile(0);
      if (experts === null) return [];
      const { layers, expertCount, heat, resident } = experts;
      return [...heat.keys()].sort((a, b) => heat[b] - heat[a]).slice(0, count).map((at) => ({
        layer: layers[Math.floor(at / expertCount)], expert: at % expertCount, uses: heat[at], resident: resident?.[at] !== 0,
      }));
    },
  };
}
