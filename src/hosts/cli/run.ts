/** Dispatch and error reporting of the command line. */
import { parseCommand, UsageError } from './args.ts';
import { chat } from './chat.ts';
import type { Command, Terminal } from './command.ts';
import { evalCommand } from './eval.ts';
import { generate } from './generate.ts';
import { commandHelp, generalHelp } from './help.ts';
import { inspect } from './inspect.ts';
import { logits } from './logits.ts';
import { tokenize } from './tokenize.ts';

export const COMMANDS: readonly Command[] = [inspect, tokenize, logits, generate, chat, evalCommand];

export const EXIT_OK = 0;
export const EXIT_RUN = 1;
export const EXIT_USAGE = 2;

/** First line of an error: people get one sentence, never a stack trace. */
function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.split('\n')[0].trim();
}

/** Runs one command line and answers its exit code. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.out(generalHelp(COMMANDS));
    return EXIT_OK;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (!command) {
    const names = COMMANDS.map((candidate) => candidate.name).join(', ');
    terminal.note(`hotset: ${name === undefined ? 'no command given' : `unknown command '${name}'`}; commands are ${names}; try --help\n`);
    return EXIT_USAGE;
  }
  try {
    const parsed = parseCommand(rest, command.options, command.positionals);
    if (parsed.options['help'] === true) {
      terminal.out(commandHelp(command));
      return EXIT_OK;
    }
    await command.run(parsed, terminal, signal);
    return EXIT_OK;
  } catch (error) {
    if (process.env['HOTSET_DEBUG'] === '1' && error instanceof Error) {
      terminal.note(`${error.stack}\n`);
    }
    if (error instanceof UsageError) {
      terminal.note(`hotset ${command.name}: ${sentence(error)}; try hotset ${command.name} --help\n`);
      return EXIT_USAGE;
    }
    terminal.note(`hotset ${command.name}: ${sentence(error)}\n`);
    return EXIT_RUN;
  }
}
