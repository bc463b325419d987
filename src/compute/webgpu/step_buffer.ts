/** The small buffer that a step writes once: counts and position, token ids, output rows, sampling parameters. */
import { MAX_PENALTY_TOKENS, type SamplingParams } from '../ops.ts';
import { alignUp } from '../../quant/packed.ts';
import { GPU_COPY_DST, GPU_COPY_SRC, GPU_STORAGE } from './device.ts';
import { STEP_OUTPUT_COUNT, STEP_POSITION, STEP_TOKEN_COUNT, type BufferView } from './kernel.ts';

/** Bindings start on minStorageBufferOffsetAlignment. */
const SECTION_BYTES = 256;
/** Words before the recent tokens; sample.wgsl lists them. */
const SAMPLING_HEAD_WORDS = 8;

export interface StepContents {
  readonly tokens: readonly number[];
  readonly position: number;
  readonly outputRows: readonly number[];
  readonly sampling: { readonly params: SamplingParams; readonly recentTokens: readonly number[] } | null;
}

export interface StepBuffer {
  readonly step: BufferView;
  readonly tokens: BufferView;
  readonly outputRows: BufferView;
  readonly sampling: BufferView;
  write(contents: StepContents): void;
  destroy(): void;
}

export function createStepBuffer(device: GPUDevice, rowCapacity: number, outputCapacity: number, vocabSize: number): StepBuffer {
  const lengths = [SECTION_BYTES, rowCapacity * 4, outputCapacity * 4, (SAMPLING_HEAD_WORDS + MAX_PENALTY_TOKENS) * 4]
    .map((byteLength) => alignUp(byteLength, SECTION_BYTES));
  const offsets = lengths.map((_, i) => lengths.slice(0, i).reduce((a, b) => a + b, 0));
  const byteLength = offsets[3] + lengths[3];
  const buffer = device.createBuffer({ label: 'step', size: byteLength, usage: GPU_STORAGE | GPU_COPY_DST | GPU_COPY_SRC });
  const words = new Uint32Array(byteLength / 4);
  const floats = new Float32Array(words.buffer);
  const view = (section: number): BufferView => ({ buffer, byteOffset: offsets[section], byteLength: lengths[section] });

  function putSampling(params: SamplingParams, recentTokens: readonly number[], position: number): void {
    const at = offsets[3] / 4;
    // The kernel must not apply the penalty twice to a repeated token, so it gets distinct ones.
    const recent = params.repetitionPenalty === 1 || params.penaltyLastN === 0 ? []
      : [...new Set(recentTokens.slice(-Math.min(params.penaltyLastN, MAX_PENALTY_TOKENS)))].filter((t) => t < vocabSize);
    floats[at] = params.temperature;
    words[at + 1] = params.topK;
    floats[at + 2] = params.topP;
    floats[at + 3] = params.minP;
    floats[at + 4] = params.repetitionPenalty;
    words[at + 5] = params.seed;
    words[at + 6] = position;
    words[at + 7] = recent.length;
    words.set(recent, at + SAMPLING_HEAD_WORDS);
  }

  return {
    step: view(0), tokens: view(1), outputRows: view(2), sampling: view(3),
    write({ tokens, position, outputRows, sampling }) {
      words[STEP_TOKEN_COUNT] = tokens.length;
      words[STEP_OUTPUT_COUNT] = outputRows.length;
      words[STEP_POSITION] = position;
      words.set(tokens, offsets[1] / 4);
      words.set(outputRows, offsets[2] / 4);
      if (sampling) putSampling(sampling.params, sampling.recentTokens, position + tokens.length);
      device.queue.writeBuffer(buffer, 0, words);
    },
    destroy() { buffer.destroy(); },
  };
}
