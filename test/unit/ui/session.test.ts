import { describe, expect, it, vi } from 'vitest';
import { signal } from '@preact/signals';
import { EXACT } from '../../../src/experts/approximations.ts';
import type { ExpertPlacement } from '../../../src/experts/budget.ts';
import type { HostApi, OpenedInfo } from '../../../src/hosts/api.ts';
import type { LibraryState } from '../../../src/ui/state/library.ts';
import { createNotices } from '../../../src/ui/state/notices.ts';
import { createPreferenceStore } from '../../../src/ui/state/preferences.ts';
import { createSession } from '../../../src/ui/state/session.ts';
import { createSettings } from '../../../src/ui/state/settings.ts';
import { createTasks } from '../../../src/ui/state/tasks.ts';

const PLACEMENT: ExpertPlacement = { expertByteLength: 100, gpuByteLength: 50, tierByteLength: 0, ramByteLength: 20, fallbackReason: null };
const MODEL = { id: 'm', name: 'Tiny' };

async function rig({ experts = PLACEMENT, ignored = null }: { experts?: ExpertPlacement | null; ignored?: string | null } = {}) {
  const preferences = createPreferenceStore('', () => { throw new Error('none in Node'); });
  const info = { experts, trainedContextLength: 99, approximations: { applied: EXACT, ignored } } as unknown as OpenedInfo;
  const openModel = vi.fn<HostApi['openModel']>(async () => info);
  const setExpertRam = vi.fn<HostApi['setExpertRam']>(async (byteLength) => ({ ...PLACEMENT, ramByteLength: byteLength ?? 20 }));
  const host = { openModel, setExpertRam, watchDevice: async () => undefined } as unknown as HostApi;
  const [settings, notices] = [createSettings(preferences), createNotices()];
  const library = { models: signal([{ ...MODEL, state: 'ready' }]) } as unknown as LibraryState;
  const session = createSession({ host, notices, tasks: createTasks(() => 0), settings, preferences, library, repair: () => null });
  await session.open(MODEL);
  return { session, settings, notices, openModel, setExpertRam };
}

describe('settings of an open model', () => {
  it('give RAM to it at once; GPU and approximations take a new opening', async () => {
    const { session, settings, openModel, setExpertRam } = await rig();
    const opened = session.model.value;
    expect(setExpertRam).not.toHaveBeenCalled();
    settings.update({ ramExpertGigabytes: 3 });
    await vi.waitFor(() => expect(session.placement.value).toMatchObject({ ramByteLength: 3e9 }));
    expect(setExpertRam.mock.calls).toEqual([[3e9]]);
    expect([session.needsReopen.value, session.model.value === opened]).toEqual([false, true]);

    settings.update({ unsurePercent: 40 });
    expect(session.needsReopen.value).toBe(false);
    settings.update({ fp4Copies: '10%' });
    expect(session.needsReopen.value).toBe(true);
    await session.reopen();
    expect(openModel.mock.lastCall![1]).toMatchObject({ experts: { ramByteLength: 3e9 }, approximations: { tierShare: 0.1, gate: null } });
    expect([session.needsReopen.value, session.placement.value]).toEqual([false, PLACEMENT]);
    settings.update({ gpuExperts: '25%' });
    expect(session.needsReopen.value).toBe(true);
    expect(setExpertRam).toHaveBeenCalledTimes(1);
  });

  it('about experts are nothing to a model that has none on a GPU; what is not used is said', async () => {
    const { session, settings, notices, setExpertRam } = await rig({ experts: null, ignored: 'FP4 copies are off.' });
    expect(notices.list.value).toMatchObject([{ kind: 'info', text: 'FP4 copies are off.' }]);
    settings.update({ ramExpertGigabytes: 3, fp4Copies: '10%', gpuExperts: '25%' });
    expect([session.needsReopen.value, session.placement.value]).toEqual([false, null]);
    expect(setExpertRam).not.toHaveBeenCalled();
  });
});
