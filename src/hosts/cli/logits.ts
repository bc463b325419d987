/** `hotset logits MODEL --tokens "…"`: raw logits, to compare with other programs. */
import { openNodeModel } from '../node_model.ts';
import { flag, integerList, textOption, UsageError } from './args.ts';
import type { Command } from './command.ts';
import { BACKEND_OPTION, backendNameOf, EXPERT_POOL_OPTION, expertPoolOf, EXPERTS_OPTION, expertsOf, withEngine } from './model_options.ts';

export const logits: Command = {
  name: 'logits',
  summary: 'Prints the logits at positions of a token list: a JSON array with one row of numbers a position.',
  positionals: ['MODEL'],
  options: {
    tokens: { type: 'string', value: '"ID …"', help: 'token ids (needed)' },
    positions: { type: 'string', value: '"P …"', help: 'positions in the list, from 0; default: the last' },
    stepwise: { type: 'boolean', help: 'one token a step, as an answer is made, instead of chunks as a prompt is read' },
    ...EXPERTS_OPTION,
    ...EXPERT_POOL_OPTION,
    ...BACKEND_OPTION,
  },
  async run(parsed, terminal, signal) {
    const backendName = backendNameOf(parsed);
    const experts = expertsOf(parsed);
    const pool = expertPoolOf(parsed);
    const tokenText = textOption(parsed, 'tokens');
    if (tokenText === null) {
      throw new UsageError('--tokens is needed');
    }
    const opened = await openNodeModel(parsed.positionals[0], experts);
    const { vocabSize, contextLength } = opened.plan.hyperparameters;
    const tokens = integerList('tokens', tokenText, vocabSize);
    if (tokens.length > contextLength) {
      throw new UsageError(`--tokens has ${tokens.length} ids, the model's context is ${contextLength}`);
    }
    const positions = integerList('positions', textOption(parsed, 'positions') ?? String(tokens.length - 1), tokens.length);
    const rows = await withEngine(opened, backendName, tokens.length, terminal, signal, (engine) => (
      engine.logits(tokens, positions, { stepwise: flag(parsed, 'stepwise') })), pool);
    terminal.out(`[\n${rows.map((row) => `[${Array.from(row, jsonNumber).join(', ')}]`).join(',\n')}\n]\n`);
  },
};

/** JSON has no NaN and no infinity; a model that gives one is broken. */
function jsonNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new Error('The model gave a logit that is no finite number: its weights are damaged or the device computed wrongly.');
  }
  return String(value);
}
