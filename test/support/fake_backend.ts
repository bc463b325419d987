/** A back end that computes nothing: it says scripted tokens and records its steps. */
import type { Backend, LoadedModel, LoadOptions, ModelGraph, Sequence, StepOutput, StepResult } from '../../src/compute/ops.ts';
import type { ModelSource } from '../../src/storage/model_source.ts';

export interface RecordedStep {
  /** Position of its first token. */
  readonly position: number;
  readonly tokens: readonly number[];
  readonly output: StepOutput;
}

export interface FakeBackendOptions {
  readonly maxStepTokens?: number;
  /** The token drawn at this position. May throw, as a lost device does. */
  readonly tokenAt: (position: number) => number;
  /** Logits [vocab] after this token at this position; each is filled with its position by default. */
  readonly logitsAt?: (position: number, token: number) => Float32Array;
  /** Never by default. */
  readonly lost?: Promise<string>;
  /** Runs before each step resolves. */
  readonly onStep?: (step: RecordedStep) => void | Promise<void>;
}

export interface FakeBackend extends Backend {
  readonly steps: RecordedStep[];
  readonly disposedModels: number;
}

class FakeSequence implements Sequence {
  length = 0;
  readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  truncate(length: number): void {
    if (length > this.length) throw new RangeError(`can't truncate ${this.length} to ${length}`);
    this.length = length;
  }

  dispose(): void {
    this.length = 0;
  }
}

export function createFakeBackend({ maxStepTokens = 4, tokenAt, logitsAt, lost, onStep }: FakeBackendOptions): FakeBackend {
  const steps: RecordedStep[] = [];
  let disposedModels = 0;
  const load = async (_source: ModelSource, graph: ModelGraph, { contextLength }: LoadOptions): Promise<LoadedModel> => ({
    maxStepTokens, maxBatchRows: 1, contextLength, deviceByteLength: 0, residency: null,
    createSequence: async () => new FakeSequence(contextLength),
    async step(sequence: Sequence, tokens: readonly number[], output: StepOutput): Promise<StepResult> {
      const step = { position: sequence.length, tokens: [...tokens], output };
      if (tokens.length > maxStepTokens || sequence.length + tokens.length > sequence.capacity) throw new RangeError('too long');
      steps.push(step);
      await onStep?.(step);
      (sequence as FakeSequence).length += tokens.length;
      return {
        token: output.kind === 'sample' ? tokenAt(sequence.length) : null,
        logits: output.kind === 'logits'
          ? output.rows.map((row) => logitsAt?.(step.position + row, tokens[row])
            ?? new Float32Array(graph.vocabSize).fill(step.position + row))
          : null,
      };
    },
    stepBatch: async () => { throw new RangeError('a batch takes 1 to 1 rows'); },
    dispose: () => {
      disposedModels++;
    },
  });
  return {
    info: { kind: 'reference', label: 'Fake', adapter: '', features: [], fallbackReason: null },
    steps,
    get disposedModels() { return disposedModels; },
    load,
    lost: lost ?? new Promise<string>(() => undefined),
    dispose: () => undefined,
  };
}
