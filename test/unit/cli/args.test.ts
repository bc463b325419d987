import { describe, expect, it } from 'vitest';
import { integerList, numberOption, parseCommand, textOption, UsageError } from '../../../src/hosts/cli/args.ts';

const SPECS = {
  prompt: { type: 'string', help: '' },
  seed: { type: 'string', help: '' },
  greedy: { type: 'boolean', help: '' },
} as const;

describe('command line arguments', () => {
  it('takes options before, between and after positionals', () => {
    const parsed = parseCommand(['--greedy', 'model.gguf', '--prompt', 'a b'], SPECS, ['MODEL']);
    expect(parsed.positionals).toEqual(['model.gguf']);
    expect(parsed.options['greedy']).toBe(true);
    expect(textOption(parsed, 'prompt')).toBe('a b');
    expect(textOption(parsed, 'seed')).toBeNull();
  });

  it.each([
    [['m', '--nonsense'], /nonsense/],
    [['m', '--prompt'], /prompt/],
    [['m', '--seed', '-1'], /^a value that begins with a dash is written --seed=-1$/],
    [[], /expected MODEL, got nothing/],
    [['m', 'n'], /expected MODEL, got 2 arguments/],
  ])('refuses %j with one sentence', (args, message) => {
    const attempt = () => parseCommand(args, SPECS, ['MODEL']);
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(message);
  });

  it('asks for no positionals where --help is given', () => {
    expect(parseCommand(['--help'], SPECS, ['MODEL']).options['help']).toBe(true);
  });

  it.each(['', ' ', 'x', '1.5', '-1', '11', 'NaN', 'Infinity'])('refuses the number %j', (text) => {
    const parsed = parseCommand(['m', `--seed=${text}`], SPECS, ['MODEL']);
    expect(() => numberOption(parsed, 'seed', { min: 0, max: 10, integer: true }, 3)).toThrow(/--seed must be a whole number from 0 to 10/);
  });

  it('takes a number in range and falls back without one', () => {
    const range = { min: 0, max: 10 };
    expect(numberOption(parseCommand(['m', '--seed', '0.5'], SPECS, ['MODEL']), 'seed', range, 3)).toBe(0.5);
    expect(numberOption(parseCommand(['m'], SPECS, ['MODEL']), 'seed', range, 3)).toBe(3);
  });

  it('reads lists of whole numbers below a limit', () => {
    expect(integerList('tokens', '3 14,15\n 0', 16)).toEqual([3, 14, 15, 0]);
    for (const text of ['', ' , ', '3 16', '3 -1', '3 1.5', '3 x', '1e1', '99999999999999999999']) {
      expect(() => integerList('tokens', text, 16), text).toThrow(UsageError);
    }
  });
});
