/** `hotset logits MODEL --tokens "…"`: raw logits, to compare with other programs. */
import type { LoadedModel } from '../../compute/ops.ts';
import { buildGraph } from '../../models/registry.ts';
import { openNodeModel } from '../node_model.ts';
import { integerList, textOption, UsageError } from './args.ts';
import type { Command } from './command.ts';
import { BACKEND_OPTION, backendNameOf, openBackend } from './model_options.ts';

/** Logits at `positions` of `tokens`, in the order asked for; the prompt runs in chunks as a chat's would. */
async function logitsAt(model: LoadedModel, tokens: readonly number[], positions: readonly number[]): Promise<Float32Array[]> {
  const sequence = model.createSequence();
  const rows = new Map<number, Float32Array>();
  for (let at = 0; at < tokens.length; at += model.maxStepTokens) {
    const chunk = tokens.slice(at, at + model.maxStepTokens);
    const wanted = [...new Set(positions)].filter((position) => position >= at && position < at + chunk.length);
    if (wanted.length === 0) {
      await model.step(sequence, chunk, { kind: 'none' });
      continue;
    }
    const { logits } = await model.step(sequence, chunk, { kind: 'logits', rows: wanted.map((position) => position - at) });
    wanted.forEach((position, index) => rows.set(position, logits![index]));
  }
  sequence.dispose();
  return positions.map((position) => rows.get(position)!);
}

export const logits: Command = {
  name: 'logits',
  summary: 'Prints the logits at positions of a token list: a JSON array with one row of numbers a position.',
  positionals: ['MODEL'],
  options: {
    tokens: { type: 'string', value: '"ID …"', help: 'token ids (needed)' },
    positions: { type: 'string', value: '"P …"', help: 'positions in the list, from 0; default: the last' },
    ...BACKEND_OPTION,
  },
  async run(parsed, output) {
    const backendName = backendNameOf(parsed);
    const tokenText = textOption(parsed, 'tokens');
    if (tokenText === null) {
      throw new UsageError('--tokens is needed');
    }
    const { plan, source } = await openNodeModel(parsed.positionals[0]);
    const { hyperparameters, architecture } = plan;
    const tokens = integerList('tokens', tokenText, hyperparameters.vocabSize);
    if (tokens.length > hyperparameters.contextLength) {
      throw new UsageError(`--tokens has ${tokens.length} ids, the model's context is ${hyperparameters.contextLength}`);
    }
    const positions = integerList('positions', textOption(parsed, 'positions') ?? String(tokens.length - 1), tokens.length);
    const backend = await openBackend(backendName, output);
    const graph = buildGraph(architecture, hyperparameters, plan.dense.map(({ name }) => name));
    const model = await backend.load(source, graph, { contextLength: tokens.length });
    const rows = await logitsAt(model, tokens, positions);
    output.out(`[\n${rows.map((row) => `[${Array.from(row, jsonNumber).join(', ')}]`).join(',\n')}\n]\n`);
    model.dispose();
    backend.dispose();
  },
};

/** JSON has no NaN and no infinity; a model that gives one is broken. */
function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new Error('The model gave a logit that is no finite number: its weights are damaged or the device computed wrongly.');
  }
  return String(value);
}
