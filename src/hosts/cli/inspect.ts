/** `hotset inspect MODEL`: what a model file says and how we see it, as JSON. Reads no weights. */
import type { Checkpoint, TokenizerSource } from '../../formats/checkpoint.ts';
import { planModel } from '../../models/registry.ts';
import { createTokenizer } from '../../tokenizer/tokenizer.ts';
import { openNodeCheckpoint } from '../node_model.ts';
import type { Command } from './command.ts';

/** Weight formats with their number of tensors and bytes, most bytes first. */
function formatTotals(checkpoint: Checkpoint): Record<string, { tensors: number; byteLength: number }> {
  const totals = new Map<string, { tensors: number; byteLength: number }>();
  for (const { format, byteLength } of checkpoint.tensors.values()) {
    const total = totals.get(format) ?? { tensors: 0, byteLength: 0 };
    totals.set(format, { tensors: total.tensors + 1, byteLength: total.byteLength + byteLength });
  }
  return Object.fromEntries([...totals].sort(([, a], [, b]) => b.byteLength - a.byteLength));
}

function describeTokenizer(source: TokenizerSource | null): object | null {
  if (source === null) {
    return null;
  }
  const tokenizer = createTokenizer(source);
  return {
    kind: source.kind === 'gguf' ? source.model : 'tokenizer.json',
    ...(source.kind === 'gguf' ? { preTokenizer: source.pre } : {}),
    vocabSize: tokenizer.vocabSize,
    bosToken: tokenizer.bosId === null ? null : { id: tokenizer.bosId, text: tokenizer.bosToken },
    addBos: tokenizer.addBos,
    endTokens: tokenizer.eosIds.map((id) => ({ id, text: tokenizer.decode([id]) })),
  };
}

/** The architecture's view, or why there is none. */
function describePlan(checkpoint: Checkpoint): { view: object; problem: Error | null } {
  try {
    const { architecture, hyperparameters } = planModel(checkpoint);
    return { view: { architecture, hyperparameters }, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    return { view: { architecture: null, hyperparameters: null, problem: problem.message }, problem };
  }
}

export const inspect: Command = {
  name: 'inspect',
  summary: 'Prints architecture, hyperparameters, tensors, formats, tokenizer and template as JSON.',
  positionals: ['MODEL'],
  options: {},
  async run({ positionals }, terminal) {
    const checkpoint = await openNodeCheckpoint(positionals[0]);
    const { view, problem } = describePlan(checkpoint);
    const report = {
      name: checkpoint.name,
      container: checkpoint.container,
      files: checkpoint.sources.map(({ name, byteLength }) => ({ name, byteLength })),
      ...view,
      formats: formatTotals(checkpoint),
      tokenizer: describeTokenizer(checkpoint.tokenizer),
      chatTemplate: checkpoint.chatTemplate,
      tensors: [...checkpoint.tensors.values()].map(({ name, format, shape, source, byteOffset, byteLength }) => (
        { name, format, shape, file: source.name, byteOffset, byteLength })),
      unsupportedTensors: [...checkpoint.unsupportedTensors ?? []].map(([name, type]) => ({ name, type })),
    };
    terminal.out(`${JSON.stringify(report, null, 2)}\n`);
    // What could be read is printed either way; the exit code says whether the model can be run.
    if (problem) {
      throw problem;
    }
  },
};
