/** `hotset tokenize MODEL TEXT`: the model's tokens of a text, as JSON. */
import { ModelFormatError } from '../../formats/checkpoint.ts';
import { createTokenizer } from '../../tokenizer/tokenizer.ts';
import { openNodeCheckpoint } from '../node_model.ts';
import { flag } from './args.ts';
import type { Command } from './command.ts';

export const tokenize: Command = {
  name: 'tokenize',
  summary: 'Prints the token ids of a text, and each token’s own text, as JSON.',
  positionals: ['MODEL', 'TEXT'],
  options: {
    'no-special': { type: 'boolean', help: 'add no beginning and end tokens' },
    plain: { type: 'boolean', help: 'control tokens spelled in TEXT stay text' },
  },
  async run(parsed, terminal) {
    const [modelPath, text] = parsed.positionals;
    const { tokenizer: source } = await openNodeCheckpoint(modelPath);
    if (source === null) {
      throw new ModelFormatError(`${modelPath} has no tokenizer`);
    }
    const tokenizer = createTokenizer(source);
    const tokens = tokenizer.encode(text, { addSpecial: !flag(parsed, 'no-special'), parseSpecial: !flag(parsed, 'plain') });
    terminal.out(`${JSON.stringify({ tokens, texts: tokens.map((id) => tokenizer.decode([id])) })}\n`);
  },
};
