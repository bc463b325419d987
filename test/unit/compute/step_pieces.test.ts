import { describe, expect, it } from 'vitest';
import type { ModelResources, PreparedProgram } from '../../../src/compute/webgpu/model_resources.ts';
import type { PreparedCall } from '../../../src/compute/webgpu/pipeline_cache.ts';
import type { PagingContext } from '../../../src/compute/webgpu/program.ts';
import { StepPace } from '../../../src/compute/webgpu/step_pace.ts';
import { planPieces, StepPieces, type Launch } from '../../../src/compute/webgpu/step_pieces.ts';
import type { TraceMode } from '../../../src/compute/webgpu/step_trace.ts';

describe('planPieces', () => {
  /** Sections of 10 calls behind 3 others; 2 calls behind the last. */
  const sections = (count: number): { combine: number }[] => Array.from({ length: count }, (_, i) => ({ combine: 12 + 10 * i }));

  it.each([[48, 50], [7, 25], [5, 1], [5, 1000], [1, 50]])('%i layers in pieces of %i calls', (count, pieceCalls) => {
    const callCount = 3 + 10 * count + 2;
    const pieces = planPieces(sections(count), callCount, pieceCalls);
    expect(pieces.flatMap(({ begin, end }) => Array.from({ length: end - begin }, (_, i) => begin + i)))
      .toEqual(Array.from({ length: callCount }, (_, i) => i));
    let known = 0;
    for (const { begin, end, firstSection, endSection } of pieces) {
      expect(firstSection).toBe(known);
      const { combine } = sections(count)[endSection - 1];
      expect(combine >= begin && combine < end).toBe(true);
      known = endSection;
    }
    expect(known).toBe(count);
    const sizes = pieces.map(({ firstSection, endSection }) => endSection - firstSection);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    if (pieceCalls > callCount) expect(pieces).toHaveLength(1);
    if (count === 48) expect(pieces).toHaveLength(10);
  });

  it('takes a model without experts as one piece', () => {
    expect(planPieces([], 9, 2)).toEqual([{ begin: 0, end: 9, firstSection: 0, endSection: 0 }]);
  });
});

describe('StepPace', () => {
  /** The mode of each of so many steps with so many resumes where they are stepwise. */
  const modes = (count: number, resumes: number): boolean[] => {
    const pace = new StepPace('adaptive');
    return Array.from({ length: count }, () => {
      const isStepwise = pace.isStepwise(8);
      pace.stepped(isStepwise, isStepwise ? resumes : 1);
      return isStepwise;
    });
  };

  it('is stepwise as long as few layers miss', () => {
    expect(modes(50, 0)).not.toContain(false);
    expect(modes(50, 3)).not.toContain(false);
  });

  it('is whole where many do, but for a few tokens now and then', () => {
    expect(modes(100, 20).flatMap((isStepwise, i) => (isStepwise ? [i] : []))).toEqual([0, 1, 2, 3, 28, 29, 30, 31, 56, 57, 58, 59, 84, 85, 86, 87]);
  });

  it('is stepwise again when misses become few', () => {
    const pace = new StepPace('adaptive');
    for (let i = 0; i < 4; i++) pace.stepped(true, 10);
    expect(pace.isStepwise(8)).toBe(false);
    for (let i = 0; i < 24; i++) pace.stepped(false, 1);
    for (let i = 0; i < 8; i++) pace.stepped(true, 0);
    expect(pace.isStepwise(8)).toBe(true);
  });

  it('stays as it was told', () => {
    const [whole, stepwise] = [new StepPace('whole'), new StepPace('stepwise')];
    whole.stepped(false, 0);
    stepwise.stepped(true, 40);
    expect([whole.isStepwise(8), stepwise.isStepwise(8)]).toEqual([false, true]);
  });
});

/** Four pieces of two calls; a device that answers a piece's readback when `arrive` says so. */
function rig() {
  const log: string[] = [];
  const arrivals = new Map<string, () => void>();
  const device = {
    createBuffer({ label }: { label: string }) {
      const index = label.at(-1)!;
      return {
        mapAsync: () => new Promise<void>((resolve) => arrivals.set(index, resolve)),
        getMappedRange: () => new Uint32Array([Number(index)]).buffer, unmap: () => log.push(`unmap ${index}`), destroy: () => undefined,
      };
    },
    queue: { submit: (commands: readonly string[]) => log.push(`submit ${commands.join(' ')}`) },
  };
  let mode: TraceMode = 'off';
  const encoder = {
    mode: () => mode,
    nextMode: () => mode,
    encode(calls: readonly PreparedCall[]) {
      const name = calls.map(({ label }) => label).join('');
      log.push(`encode ${name}`);
      return name as unknown as GPUCommandBuffer;
    },
  };
  const trunk = [...'abcdefgh'].map((label) => ({ label }) as PreparedCall);
  const program = { trunk, sections: [{ combine: 1 }, { combine: 3 }, { combine: 5 }, { combine: 7 }] } as unknown as PreparedProgram;
  const resources = { experts: { readback: { byteLength: 4 } } } as unknown as ModelResources;
  const pieces = new StepPieces(device as unknown as GPUDevice, resources, {} as PagingContext, encoder, null, 2);
  const launch: Launch = { program, tail: [], from: 0, before: [], depth: 2, attempt: 0 };
  const arrive = async (index: number): Promise<void> => {
    arrivals.get(`${index}`)!();
    // The promises between a readback and the submit that follows it.
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  /** What happened since the last time it was asked for. */
  const happened = (): string[] => log.splice(0);
  return { pieces, launch, arrive, happened, setMode: (to: TraceMode) => { mode = to; } };
}

/** Runs a launch, halted from the piece on that `haltAt` names; the places that told something. */
function start({ pieces }: ReturnType<typeof rig>, launch: Launch, haltAt = Infinity): Promise<number[]> {
  const told: number[] = [];
  return (async () => {
    for await (const { words } of pieces.run(launch, () => told.some((place) => place >= haltAt))) told.push(words[0]);
    return told;
  })();
}

describe('StepPieces', () => {
  it('keeps two pieces in flight and encodes what was used again', async () => {
    const here = rig();
    const told = start(here, here.launch);
    await Promise.resolve();
    expect(here.happened()).toEqual(['encode ab', 'submit ab', 'encode cd', 'submit cd', 'encode ab']);
    await here.arrive(0);
    expect(here.happened()).toEqual(['unmap 0', 'encode ef', 'submit ef', 'encode cd']);
    for (const index of [1, 2, 3]) await here.arrive(index);
    expect(await told).toEqual([0, 1, 2, 3]);
    here.happened();
    // The next step finds all of it encoded.
    const next = start(here, { ...here.launch, depth: Infinity });
    await Promise.resolve();
    expect(here.happened()).toEqual(['submit ab', 'submit cd', 'submit ef', 'submit gh', 'encode ab']);
    for (const index of [0, 1, 2, 3]) await here.arrive(index);
    expect(await next).toEqual([0, 1, 2, 3]);
  });

  it('submits no more once it is halted, and resumes with the rest of a piece', async () => {
    const here = rig();
    const told = start(here, here.launch, 1);
    for (const index of [0, 1, 2]) await here.arrive(index);
    expect(await told).toEqual([0, 1, 2]);
    here.happened();
    const rest = start(here, { ...here.launch, from: 3, before: ['restore' as unknown as GPUCommandBuffer], attempt: 1 });
    await Promise.resolve();
    expect(here.happened()).toEqual(['encode d', 'submit restore d', 'submit ef', 'encode ef']);
    for (const index of [1, 2, 3]) await here.arrive(index);
    expect(await rest).toEqual([1, 2, 3]);
  });

  it('leaves no readback mapped where whoever listens fails', async () => {
    const here = rig();
    const failed = (async () => {
      for await (const _ of here.pieces.run(here.launch, () => false)) throw new Error('a row cannot be read');
    })();
    const outcome = expect(failed).rejects.toThrow('a row cannot be read');
    await here.arrive(0);
    await here.arrive(1);
    await outcome;
    expect(here.happened().filter((entry) => entry.startsWith('unmap'))).toEqual(['unmap 0', 'unmap 1']);
  });

  it('encodes a step as one piece, when it is needed, while kernels are timed', async () => {
    const here = rig();
    here.setMode('kernels');
    const told = start(here, here.launch);
    await here.arrive(0);
    expect(await told).toEqual([0]);
    expect(here.happened()).toEqual(['encode abcdefgh', 'submit abcdefgh', 'unmap 0']);
  });
});
