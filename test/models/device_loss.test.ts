/** A device destroyed in the middle of an answer, on Dawn: the text is that of an undisturbed run. */
import { expect, it } from 'vitest';
import type { Backend, SamplingParams } from '../../src/compute/ops.ts';
import type { ExpertPoolOptions } from '../../src/compute/residency.ts';
import { createWebGpuBackend } from '../../src/compute/webgpu/backend.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { GenerateEvent, GenerateRequest } from '../../src/engine/types.ts';
import { LfruPolicy } from '../../src/experts/lfru.ts';
import { openDawn } from '../../src/hosts/dawn.ts';
import { openNodeModel } from '../../src/hosts/node_model.ts';
import { loadShaderSources } from '../../src/hosts/shaders_node.ts';

const STARTER = 'test/vectors/starter/starter.gguf';
const SAMPLED: SamplingParams = {
  temperature: 1, topK: 0, topP: 1, minP: 0, repetitionPenalty: 1.1, penaltyLastN: 16, seed: 7,
};
const POOL: ExpertPoolOptions = { size: { share: 0.5 }, createPolicy: (shape) => new LfruPolicy(shape) };

/** The adapter as it is; its devices are kept, so that a test can destroy them. */
function observed(gpu: GPU, devices: GPUDevice[]): GPU {
  return {
    requestAdapter: async (options?: GPURequestAdapterOptions) => {
      const adapter = (await gpu.requestAdapter(options))!;
      return {
        features: adapter.features, limits: adapter.limits, info: adapter.info,
        requestDevice: async (request?: GPUDeviceDescriptor) => {
          const device = await adapter.requestDevice(request);
          devices.push(device);
          return device;
        },
      };
    },
  } as unknown as GPU;
}

it('goes on with the same text, and keeps on paging experts', async () => {
  const devices: GPUDevice[] = [];
  const gpu = observed(await openDawn({ dawnFeatures: ['disable_workgroup_init'] }), devices);
  const shaderSources = await loadShaderSources();
  const open = (): Promise<Backend> => createWebGpuBackend({ gpu, shaderSources });
  let backend = await open();
  const engine = await createEngine({
    backend, source: (await openNodeModel(STARTER)).source, contextLength: 128, experts: POOL,
    reopenBackend: async (lost) => {
      lost.dispose();
      backend = await open();
      return backend;
    },
  });
  const say = async (text: string, temperature: number, loseAt: readonly number[]): Promise<{ text: string; events: GenerateEvent[] }> => {
    const request: GenerateRequest = { input: { kind: 'text', text }, sampling: { ...SAMPLED, temperature }, maxTokens: 8 };
    const events: GenerateEvent[] = [];
    const result = await engine.generate(request, (event) => {
      events.push(event);
      if (loseAt.includes(events.filter(({ kind }) => kind === 'token').length) && event.kind === 'token') devices.at(-1)!.destroy();
    });
    return { text: result.text, events };
  };
  const prompts = [['Once upon a time there was', 0], ['a little fox', 1]] as const;
  const undisturbed: string[] = [];
  for (const [text, temperature] of prompts) undisturbed.push((await say(text, temperature, [])).text);
  const greedy = await say(...prompts[0], [3]);
  expect(greedy.text).toBe(undisturbed[0]);
  expect(greedy.events.filter(({ kind }) => kind === 'recovering')).toHaveLength(1);
  // Lost between two answers: the next one begins with it.
  devices.at(-1)!.destroy();
  expect((await say(...prompts[1], [])).text).toBe(undisturbed[1]);
  expect(devices).toHaveLength(3);
  expect(engine.residency!.misses).toBeGreaterThan(0);
  await engine.dispose();
  backend.dispose();
});
