import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KernelCall } from '../../src/compute/webgpu/kernel.ts';
import { createPipelineCache, encodeCalls } from '../../src/compute/webgpu/pipeline_cache.ts';
import { createShaderLibrary } from '../../src/compute/webgpu/shader_library.ts';
import { openRig, type KernelRig } from '../support/kernel_rig.ts';

const SOURCES = {
  'add.wgsl': `import package::quant::amount;
override THREADS: u32 = 4u;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(THREADS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += amount(); }`,
  'quant/one.wgsl': 'fn amount() -> u32 { return 1u; }',
  'quant/ten.wgsl': 'fn amount() -> u32 { return 10u; }',
  'quant/broken.wgsl': 'fn amount() -> u32 {\n  return 1.5;\n}',
  'quant/other.wgsl': 'fn something_else() -> u32 { return 1u; }',
};

let rig: KernelRig;
beforeAll(async () => { rig = await openRig(); });
afterAll(() => rig.destroy());

function call(quant: string, constants: Record<string, number> = {}): KernelCall {
  return {
    label: `add ${quant}`, shader: { root: 'add', quant }, constants, workgroups: [1, 1, 1],
    bindings: [rig.upload(new Uint32Array(4))],
  };
}

describe('pipeline cache', () => {
  it('links the chosen module, compiles each distinct pipeline once, and runs calls in order', async () => {
    const cache = createPipelineCache(rig.device, createShaderLibrary(SOURCES));
    const progress: string[] = [];
    const { bindings } = call('one');
    const calls = ['one', 'ten', 'one'].map((quant) => ({ ...call(quant), bindings }));
    const prepared = await cache.prepare(calls, (done, total) => progress.push(`${done}/${total}`));
    expect(progress).toEqual(['1/2', '2/2']);
    expect(prepared[0].pipeline).toBe(prepared[2].pipeline);
    expect((await cache.prepare(calls.slice(1)))[0].pipeline).toBe(prepared[1].pipeline);
    const encoder = rig.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeCalls(pass, prepared);
    pass.end();
    rig.device.queue.submit([encoder.finish()]);
    expect([...await rig.readWords(bindings[0])]).toEqual([12, 12, 12, 12]);
  });

  it('names shader, line and message where WGSL is refused', async () => {
    const cache = createPipelineCache(rig.device, createShaderLibrary(SOURCES));
    await expect(cache.prepare([call('broken')])).rejects.toThrow(/add\+quant\/broken does not compile: \d+:\d+ .*\n\s+return 1\.5;/);
  });

  it('names the file or symbol that is missing at link time', async () => {
    const cache = createPipelineCache(rig.device, createShaderLibrary(SOURCES));
    await expect(cache.prepare([call('missing')])).rejects.toThrow('no file quant/missing.wgsl');
    await expect(cache.prepare([call('other')])).rejects.toThrow(/add\+quant\/other does not link: .*amount/s);
  });

  it('refuses a constant that the shader has not, and a binding that it does not use', async () => {
    const cache = createPipelineCache(rig.device, createShaderLibrary(SOURCES));
    await expect(cache.prepare([call('one', { THREDS: 4 })])).rejects.toThrow(/add one.*THREDS/s);
    const extra = { ...call('one'), bindings: [...call('one').bindings, ...call('one').bindings] };
    await expect(cache.prepare([extra])).rejects.toThrow('bind groups are refused');
  });

  it('stops at an abort', async () => {
    const cache = createPipelineCache(rig.device, createShaderLibrary(SOURCES));
    const stop = new AbortController();
    const calls = Array.from({ length: 20 }, (_, i) => call('one', { THREADS: i + 1 }));
    let compiled = 0;
    await expect(cache.prepare(calls, () => { compiled++; stop.abort(new Error('stopped by the person')); }, stop.signal))
      .rejects.toThrow('stopped by the person');
    expect(compiled).toBeLessThan(20);
  });
});
