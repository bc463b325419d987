import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import type { HostApi } from '../../../src/hosts/api.ts';
import type { ExpertSnapshot } from '../../../src/profile/snapshot.ts';
import { snapshotOf } from '../../../src/profile/snapshot.ts';
import { Tracer } from '../../../src/profile/trace.ts';
import { heatColor, heatSummary, heatText, rgbOf } from '../../../src/ui/lib/expert_heat.ts';
import { createNotices } from '../../../src/ui/state/notices.ts';
import { createProfile } from '../../../src/ui/state/profile.ts';

function rig() {
  const tracer = new Tracer();
  const setProfiling = vi.fn<HostApi['setProfiling']>(async (options) => {
    if (options) tracer.start(options);
    else tracer.stop();
  });
  const open = signal(false);
  const notices = createNotices();
  const download = vi.fn(async () => undefined);
  const profileCall = vi.fn<HostApi['profile']>(async (since) => snapshotOf(tracer, since));
  const profile = createProfile({
    host: { setProfiling, profile: profileCall, exportProfile: async (form) => new Blob([form]) },
    notices, open, download, pollIntervalMillis: 1,
  });
  const step = (): void => {
    tracer.beginStep('decode', 0, 1);
    tracer.endStep();
  };
  return { tracer, setProfiling, open, notices, download, profile, profileCall, step };
}

describe('the panel\'s state', () => {
  it('records while the panel is open, asks for news only, and stops with it', async () => {
    const { open, setProfiling, profile, profileCall, step } = rig();
    expect(setProfiling).not.toHaveBeenCalled();
    open.value = true;
    expect(setProfiling).toHaveBeenLastCalledWith({ kernels: false, devTools: false });
    step();
    step();
    await vi.waitFor(() => expect(profile.steps.value).toHaveLength(2));
    expect(profile.summary.value).toMatchObject({ steps: 2, zeroMissShare: 1 });
    profile.timeKernels.value = true;
    expect(setProfiling).toHaveBeenLastCalledWith({ kernels: true, devTools: false });
    step();
    await vi.waitFor(() => expect(profile.steps.value.map((row) => row.step)).toEqual([0, 1, 2]));
    await vi.waitFor(() => expect(profileCall).toHaveBeenLastCalledWith(3));
    open.value = false;
    expect(setProfiling).toHaveBeenLastCalledWith(null);
    profile.timeKernels.value = false;
    expect(setProfiling).toHaveBeenLastCalledWith(null);
  });

  it('begins anew with a model that is opened meanwhile', async () => {
    const { tracer, open, profile, step } = rig();
    open.value = true;
    for (let i = 0; i < 3; i++) step();
    await vi.waitFor(() => expect(profile.steps.value).toHaveLength(3));
    tracer.attach({ layers: [0], expertCount: 2, topK: 1, pool: null, resident: () => null });
    await vi.waitFor(() => expect(profile.steps.value).toHaveLength(0));
    step();
    await vi.waitFor(() => expect(profile.steps.value).toHaveLength(1));
    expect(profile.experts.value).toMatchObject({ expertCount: 2 });
    open.value = false;
  });

  it('says why a host gives nothing, and downloads exports', async () => {
    const { open, profileCall, notices, profile, download } = rig();
    profileCall.mockRejectedValue(new Error('The worker is gone.'));
    open.value = true;
    await vi.waitFor(() => expect(notices.list.value.map(({ text }) => text)).toEqual(['The worker is gone.']));
    open.value = false;
    await profile.save('csv');
    expect(download).toHaveBeenCalledWith('hotset-steps.csv', expect.any(Blob));
  });
});

describe('the heat map in words', () => {
  const experts = (heat: readonly number[]): ExpertSnapshot => ({
    layers: [0, 2], expertCount: heat.length / 2, topK: 1, heat: Uint32Array.from(heat), resident: null, pool: null,
  });

  it('names the hottest expert and how few do half of the work', () => {
    expect(heatSummary(experts([1, 0, 0, 1, 6, 0, 2, 0]))).toEqual({
      uses: 10, hottest: { layer: 2, expert: 0, uses: 6 }, halfShare: 1 / 8, unused: 4,
    });
    expect(heatText(experts([1, 0, 0, 1, 6, 0, 2, 0]))).toBe(
      '2 layers × 4 experts. Hottest: expert 0 of layer 2, 6 tokens. Half of all uses fall to 13 % of the experts; 4 were not used.');
    expect(heatText(experts([0, 0]))).toBe('2 layers × 1 experts; no token yet.');
  });

  it('mixes colours', () => {
    const stops = ['#000000', '#ff0000', '#ff00ff'].map(rgbOf);
    expect([0, 0.25, 1, 7].map((share) => heatColor(share, stops))).toEqual([[0, 0, 0], [255, 0, 0], [255, 0, 255], [255, 0, 255]]);
    expect(() => rgbOf('red')).toThrow(/no colour/);
  });
});
