/** `hotset logits MODEL --tokens "…"`: raw logits, to compare with other programs. */
import { isExact } from '../../experts/approximations.ts';
import { openNodeModel } from '../node_model.ts';
import { flag, integerList, textOption, UsageError } from './args.ts';
import type { Command } from './command.ts';
import { EXPERT_OPTIONS, expertOptionsOf } from './expert_options.ts';
import { BACKEND_OPTION, backendNameOf, withEngine } from './model_options.ts';

export const logits: Command = {
  name: 'logits',
  summary: 'Prints the logits at positions of a token list: a JSON array with one row of numbers a position.',
  positionals: ['MODEL'],
  options: {
    tokens: { type: 'string', value: '"ID …"', help: 'token ids (needed)' },
    positions: { type: 'string', value: '"P …"', help: 'positions in the list, from 0; default: the last' },
    stepwise: { type: 'boolean', help: 'one token a step, as an answer is made, instead of chunks as a prompt is read' },
    ...EXPERT_OPTIONS,
    ...BACKEND_OPTION,
  },
  async run(parsed, terminal, signal) {
    const backendName = backendNameOf(parsed);
    const experts = expertOptionsOf(parsed);
    const stepwise = flag(parsed, 'stepwise');
    if (!isExact(experts.approximations) && !stepwise) {
      throw new UsageError('--tier and --miss-tolerance change single tokens, not chunks of them: add --stepwise');
    }
    const tokenText = textOption(parsed, 'tokens');
    if (tokenText === null) {
      throw new UsageError('--tokens is needed');
    }
    const opened = await openNodeModel(parsed.positionals[0], experts.conversion);
    const { vocabSize, contextLength } = opened.plan.hyperparameters;
    const tokens = integerList('tokens', tokenText, vocabSize);
    if (tokens.length > contextLength) {
      throw new UsageError(`--tokens has ${tokens.length} ids, the model's context is ${contextLength}`);
    }
    const positions = integerList('positions', textOption(parsed, 'positions') ?? String(tokens.length - 1), tokens.length);
    const rows = await withEngine(opened, { backendName, contextLength: tokens.length, experts }, terminal, signal, (engine) => (
      engine.logits(tokens, positions, { stepwise })));
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
