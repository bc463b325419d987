import { describe, expect, it } from 'vitest';
import type { DeviceTraits } from '../../../src/compute/webgpu/kernel.ts';
import { StepTrace, type TraceMode } from '../../../src/compute/webgpu/step_trace.ts';
import { Tracer } from '../../../src/profile/trace.ts';

/** A device that notes which passes it was asked to time, and what was resolved. */
function rig({ cpuAdapter = false, features = ['timestamp-query'] } = {}) {
  const commands: string[] = [];
  const device = {
    features: new Set(features), createQuerySet: () => ({ destroy: () => undefined }), createBuffer: () => ({ destroy: () => undefined }),
  } as unknown as GPUDevice;
  const encoder = {
    beginComputePass: ({ timestampWrites }: GPUComputePassDescriptor) => {
      commands.push(timestampWrites ? 'timed pass' : 'pass');
      return { end: () => undefined };
    },
    resolveQuerySet: () => commands.push('resolve'),
    copyBufferToBuffer: () => commands.push('copy'),
  } as unknown as GPUCommandEncoder;
  const tracer = new Tracer();
  const trace = new StepTrace({ device, traits: { cpuAdapter } as DeviceTraits }, tracer);
  const encode = (mode: TraceMode): string[] => {
    commands.length = 0;
    trace.encode(encoder, [], mode);
    trace.copyStamps(encoder, mode, {} as GPUBuffer, 0);
    return [...commands];
  };
  /** Modes of so many decode steps, each compared with what the step before it foretold. */
  const decode = (steps: number): TraceMode[] => Array.from({ length: steps }, () => {
    const foretold = trace.nextMode;
    trace.begin(true);
    expect(trace.mode).toBe(foretold);
    return trace.mode;
  });
  return { tracer, trace, encode, decode };
}

describe('which steps are timed', () => {
  it('is one token in eight on a graphics card, the first of a recording among them, and every part of a prompt', () => {
    const { tracer, trace, decode } = rig();
    expect(decode(3)).toEqual(['off', 'off', 'off']);
    tracer.start({ kernels: false });
    const modes = decode(17);
    expect(modes.flatMap((mode, step) => (mode === 'timed' ? [step] : []))).toEqual([0, 8, 16]);
    expect(new Set(modes)).toEqual(new Set(['step', 'timed']));
    trace.begin(false);
    expect(trace.mode).toBe('timed');
    expect(decode(8).indexOf('timed')).toBe(7);
    tracer.stop();
    decode(1);
    tracer.start({ kernels: false });
    expect(decode(2)).toEqual(['timed', 'step']);
  });

  it('is every one on a software adapter, and none without timestamp queries', () => {
    const software = rig({ cpuAdapter: true });
    software.tracer.start({ kernels: false });
    expect(software.decode(3)).toEqual(['timed', 'timed', 'timed']);
    const untimed = rig({ features: [] });
    untimed.tracer.start({ kernels: true });
    expect(untimed.decode(3)).toEqual(['step', 'step', 'step']);
  });

  it('gives each kernel its pass where that is wanted', () => {
    const { tracer, decode } = rig();
    tracer.start({ kernels: true });
    expect(decode(2)).toEqual(['kernels', 'kernels']);
  });
});

it('asks for timestamps in steps that are timed only', () => {
  const { encode } = rig();
  expect(encode('step')).toEqual(['pass']);
  expect(encode('timed')).toEqual(['timed pass', 'resolve', 'copy']);
});

it('takes the stamps of a timed step as the GPU\'s time, and clocks that jumped as none', async () => {
  const { tracer, trace } = rig();
  tracer.start({ kernels: false });
  trace.begin(true);
  tracer.beginStep('decode', 0, 1);
  const before = tracer.now() - 100;
  await trace.arrived(before, 0, BigUint64Array.of(5_000_000n, 7_000_000n));
  expect(tracer.current.gpuMs).toBe(2);
  await trace.arrived(before, 1, BigUint64Array.of(5_000_000n, 4_000_000n));
  await trace.arrived(before, 2, BigUint64Array.of(5_000_000n, 9_000_000_000_000n));
  expect(tracer.current.gpuMs).toBe(2);
  trace.begin(true);
  await trace.arrived(before, 0, BigUint64Array.of(5_000_000n, 7_000_000n));
  expect(tracer.current.gpuMs).toBe(2);
});
