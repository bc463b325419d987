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
  const setExpertGpu = vi.fn<HostApi['setExpertGpu']>(async () => ({
    experts: { ...PLACEMENT, gpuByteLength: 25 }, approximations: { applied: EXACT, ignored: null },
  }));
  const host = { openModel, setExpertRam, setExpertGpu, watch: async () => undefined } as unknown as HostApi;
  const [settings, notices] = [createSettings(preferences), createNotices()];
  const library = { models: signal([{ ...MODEL, state: 'ready' }]) } as unknown as LibraryState;
  const session = createSession({ host, notices, tasks: createTasks(() => 0), settings, preferences, library, repair: () => null });
  await session.open(MODEL);
  return { session, settings, notices, openModel, setExpertRam, setExpertGpu };
}

describe('settings of an open model', () => {
  it('give RAM to it at once; approximations take a new opening', async () => {
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
    expect(setExpertRam).toHaveBeenCalledTimes(1);
  });

  it('give it another part of the GPU without an opening, where nothing else has changed', async () => {
    const { session, settings, notices, openModel, setExpertGpu } = await rig();
    settings.update({ gpuExperts: '25%' });
    expect([session.needsReopen.value, session.movesExperts.value]).toEqual([true, true]);
    await session.reopen();
    expect(setExpertGpu.mock.lastCall![0]).toEqual({ share: 0.25 });
    expect(openModel).toHaveBeenCalledTimes(1);
    expect([session.needsReopen.value, session.placement.value]).toEqual([false, { ...PLACEMENT, gpuByteLength: 25 }]);

    settings.update({ gpuExperts: '50%' });
    setExpertGpu.mockRejectedValueOnce(new Error('The GPU has no room.'));
    await session.reopen();
    expect(notices.list.value).toMatchObject([{ kind: 'error', text: 'The GPU has no room.' }]);
    expect([session.needsReopen.value, session.placement.value]).toEqual([true, { ...PLACEMENT, gpuByteLength: 25 }]);

    settings.update({ contextLength: 64 });
    expect(session.movesExperts.value).toBe(false);
    await session.reopen();
    expect(openModel).toHaveBeenCalledTimes(2);
    settings.update({ gpuExperts: 'auto' });
    expect([session.needsReopen.value, session.movesExperts.value]).toEqual([true, false]);
  });

  it('about experts are nothing to a model that has none on a GPU; what is not used is said', async () => {
    const { session, settings, notices, setExpertRam } = await rig({ experts: null, ignored: 'FP4 copies are off.' });
    expect(notices.list.value).toMatchObject([{ kind: 'info', text: 'FP4 copies are off.' }]);
    settings.update({ ramExpertGigabytes: 3, fp4Copies: '10%', gpuExperts: '25%' });
    expect([session.needsReopen.value, session.placement.value]).toEqual([false, null]);
    expect(setExpertRam).not.toHaveBeenCalled();
  });
});
