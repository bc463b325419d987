/** A model on the GPU. A step is one submit; a sampled token comes back as one 4-byte readback. */
import type { LoadedModel, LoadOptions, ModelGraph, Sequence, StepOutput, StepResult } from '../ops.ts';
import { checkStep } from '../check_step.ts';
import type { ModelSource } from '../../storage/model_source.ts';
import { createActivations } from './activations.ts';
import { checked, GPU_COPY_DST, GPU_COPY_SRC, GPU_MAP_READ, GPU_STORAGE, MAP_MODE_READ, type OpenedDevice } from './device.ts';
import { projectionGroups } from './fusion.ts';
import type { BufferView } from './kernel.ts';
import type { KernelProfile } from './kernel_profile.ts';
import { createKvCache, maxContextLength, ropeTable, type KvCache } from './kv_cache.ts';
import { encodeCalls, type PipelineCache, type PreparedCall } from './pipeline_cache.ts';
import { compileProgram, maxRowCapacity, scratchByteLengths, type ProgramContext } from './program.ts';
import { createStepBuffer } from './step_buffer.ts';
import { uploadWeights } from './weights.ts';

/** Rows of logits that one submit makes; more are made in several submits over the same hidden states. Sampling takes one. */
const OUTPUT_CAPACITY = 1;
/** What sample.wgsl answers where no logit is finite. */
const NO_TOKEN = 0xffffffff;

interface PreparedProgram {
  readonly trunk: readonly PreparedCall[];
  readonly head: readonly PreparedCall[];
  readonly sample: readonly PreparedCall[];
}

class GpuSequence implements Sequence {
  length = 0;
  cache: KvCache | null = null;
  readonly programs = new Map<number, PreparedProgram>();

  constructor(readonly capacity: number) {}

  truncate(length: number): void {
    if (!(length >= 0 && length <= this.length)) throw new RangeError(`cannot truncate a sequence of ${this.length} tokens to ${length}`);
    this.length = length;
  }

  dispose(): void {
    this.cache?.destroy();
    this.cache = null;
    this.programs.clear();
    this.length = 0;
  }
}

/** Uploads the weights and compiles every pipeline, so that the first token waits for nothing. */
export async function loadModel(
  opened: OpenedDevice, pipelines: PipelineCache, profile: KernelProfile | null, source: ModelSource, graph: ModelGraph, options: LoadOptions,
): Promise<LoadedModel> {
  const { device, traits } = opened;
  const maxBinding = traits.maxStorageBufferBindingSize;
  const contextLength = Math.min(options.contextLength, maxContextLength(graph, maxBinding));
  const maxStepTokens = Math.min(contextLength, maxRowCapacity(graph, source.manifest, traits));
  const capacities = [...new Set([1, Math.min(16, maxStepTokens), maxStepTokens])];

  // Fused kernels trade launches for barriers, which is a loss on a software adapter.
  const stacks = traits.cpuAdapter ? [] : projectionGroups(graph);
  const weights = await uploadWeights(device, source, graph, stacks, maxBinding, options);
  const activations = createActivations(device, graph, maxStepTokens, OUTPUT_CAPACITY);
  const step = createStepBuffer(device, maxStepTokens, OUTPUT_CAPACITY, graph.vocabSize);
  const owned: GPUBuffer[] = [];
  const makeBuffer = async (label: string, byteLength: number, usage: number): Promise<BufferView> => {
    const buffer = await checked(device, label, () => device.createBuffer({ label, size: byteLength, usage }));
    owned.push(buffer);
    return { buffer, byteOffset: 0, byteLength };
  };
  const destroyAll = (): void => {
    weights.destroy();
    activations.destroy();
    step.destroy();
    for (const buffer of owned) buffer.destroy();
  };

  try {
    const dummy = await makeBuffer('unused binding', 256, GPU_STORAGE);
    const result = await makeBuffer('sampled token', 16, GPU_STORAGE | GPU_COPY_SRC);
    const readback = await makeBuffer('token readback', 16, GPU_MAP_READ | GPU_COPY_DST);
    const sizes = scratchByteLengths(graph, source.manifest, traits, maxStepTokens);
    const scratch = sizes && {
      hidden: await makeBuffer('expert hidden', sizes.hidden, GPU_STORAGE),
      down: await makeBuffer('expert down', sizes.down, GPU_STORAGE),
      pairs: await makeBuffer('expert pairs', sizes.pairs, GPU_STORAGE),
      tiles: await makeBuffer('expert tiles', sizes.tiles, GPU_STORAGE),
    };
    const qkvCols = Math.max(0, ...graph.ops.map((op) => op.kind === 'attention' ? op.q.cols + op.k.cols + op.v.cols : 0));
    const qkv = traits.cpuAdapter || qkvCols === 0 ? null : await makeBuffer('q, k, v', qkvCols * 4, GPU_STORAGE);
    const ropeTables = new Map<string, BufferView>();
    for (const op of graph.ops) {
      if (op.kind !== 'rope') continue;
      const key = `${op.scale} ${op.invFreq.join(' ')}`;
      if (ropeTables.has(key)) continue;
      const table = ropeTable(device, contextLength, op.invFreq, op.scale);
      owned.push(table.buffer);
      ropeTables.set(key, table);
    }
    const shared: Omit<ProgramContext, 'cache' | 'rowCapacity'> = {
      graph, traits, weights, step, dummy, scratch, qkv, result, outputCapacity: OUTPUT_CAPACITY,
      view: (activation) => activations.view(activation),
      ropeTable: (op) => ropeTables.get(`${op.scale} ${op.invFreq.join(' ')}`)!,
    };

    async function prepare(sequence: GpuSequence, capacity: number, progress?: LoadOptions): Promise<PreparedProgram> {
      const known = sequence.programs.get(capacity);
      if (known) return known;
      sequence.cache ??= await createKvCache(device, graph, sequence.capacity);
      const program = compileProgram({ ...shared, cache: sequence.cache, rowCapacity: capacity });
      const calls = [...program.trunk, ...program.head, ...program.sample];
      const prepared = await pipelines.prepare(calls, (done, total) => progress?.onProgress?.({
        stage: 'compile shaders', done, total, unit: 'kernels',
      }), progress?.signal);
      const headAt = program.trunk.length;
      const sampleAt = headAt + program.head.length;
      const made = { trunk: prepared.slice(0, headAt), head: prepared.slice(headAt, sampleAt), sample: prepared.slice(sampleAt) };
      sequence.programs.set(capacity, made);
      return made;
    }

    // The first sequence of a model is compiled for here; later ones find their pipelines in the cache.
    let warm: GpuSequence | null = new GpuSequence(contextLength);
    for (const capacity of capacities) await prepare(warm, capacity, options);

    function submit(calls: readonly PreparedCall[], copy?: (encoder: GPUCommandEncoder) => void): void {
      const encoder = device.createCommandEncoder({ label: 'step' });
      if (profile) {
        profile.encode(encoder, calls);
      } else {
        const pass = encoder.beginComputePass({ label: 'step' });
        encodeCalls(pass, calls);
        pass.end();
      }
      copy?.(encoder);
      device.queue.submit([encoder.finish()]);
    }

    async function readLogits(
      program: PreparedProgram, tokens: readonly number[], position: number, rows: readonly number[],
    ): Promise<Float32Array[]> {
      const logits = activations.view(graph.logits);
      const rowBytes = graph.vocabSize * 4;
      const found: Float32Array[] = [];
      for (let at = 0; at < rows.length; at += OUTPUT_CAPACITY) {
        const outputRows = rows.slice(at, at + OUTPUT_CAPACITY);
        const byteLength = outputRows.length * rowBytes;
        const target = device.createBuffer({ label: 'logits readback', size: byteLength, usage: GPU_MAP_READ | GPU_COPY_DST });
        step.write({ tokens, position, outputRows, sampling: null });
        submit(at === 0 ? [...program.trunk, ...program.head] : program.head,
          (encoder) => encoder.copyBufferToBuffer(logits.buffer, logits.byteOffset, target, 0, byteLength));
        await target.mapAsync(MAP_MODE_READ);
        const values = new Float32Array(target.getMappedRange().slice(0));
        target.destroy();
        outputRows.forEach((_, i) => found.push(values.subarray(i * graph.vocabSize, (i + 1) * graph.vocabSize)));
      }
      return found;
    }

    async function readToken(): Promise<number> {
      await readback.buffer.mapAsync(MAP_MODE_READ);
      const token = new Uint32Array(readback.buffer.getMappedRange())[0];
      readback.buffer.unmap();
      if (token === NO_TOKEN) throw new Error('the model gave no finite logits: its weights are damaged or the device computed wrongly');
      return token;
    }

    async function runStep(sequence: GpuSequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
      checkStep(sequence, tokens, output, maxStepTokens, graph.vocabSize);
      const program = await prepare(sequence, capacities.find((c) => c >= tokens.length)!);
      const position = sequence.length;
      const last = [tokens.length - 1];
      let made: StepResult = { token: null, logits: null };
      if (output.kind === 'logits' && output.rows.length > 0) {
        made = { token: null, logits: await readLogits(program, tokens, position, output.rows) };
      } else if (output.kind === 'sample') {
        step.write({ tokens, position, outputRows: last, sampling: { params: output.sampling, recentTokens: output.recentTokens } });
        submit([...program.trunk, ...program.head, ...program.sample],
          (encoder) => encoder.copyBufferToBuffer(result.buffer, 0, readback.buffer, 0, 16));
        made = { token: await readToken(), logits: null };
      } else {
        step.write({ tokens, position, outputRows: [], sampling: null });
        submit(program.trunk);
        await device.queue.onSubmittedWorkDone();
      }
      await profile?.collect();
      if (failure !== null) throw new Error(`WebGPU refused a step: ${failure}`);
      sequence.length = position + tokens.length;
      return made;
    }

    // An invalid submit is dropped in silence and the readback holds the step before: never let that pass as a result.
    let failure: string | null = null;
    const onError = (event: Event): void => { failure ??= (event as GPUUncapturedErrorEvent).error.message; };
    device.addEventListener('uncapturederror', onError);

    let tail: Promise<unknown> = Promise.resolve();
    return {
      maxStepTokens, contextLength,
      deviceByteLength: weights.byteLength + activations.byteLength + (warm.cache?.byteLength ?? 0)
        + owned.reduce((sum, b) => sum + b.size, 0),
      createSequence() {
        const sequence = warm ?? new GpuSequence(contextLength);
        warm = null;
        return sequence;
      },
      async step(sequence, tokens, output) {
        if (!(sequence instanceof GpuSequence)) throw new TypeError('the sequence belongs to another back end');
        const mine = tail.then(() => runStep(sequence, tokens, output));
        tail = mine.catch(() => undefined);
        return mine;
      },
      dispose() {
        device.removeEventListener('uncapturederror', onError);
        warm?.dispose();
        destroyAll();
      },
    };
  } catch (error) {
    destroyAll();
    throw error;
  }
}
