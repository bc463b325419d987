/** Entry point of the command line: `npm run -s hotset -- COMMAND MODEL …`. */
import { runCli } from './run.ts';

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());
// A reader that went away (`hotset … | head`) ends the run quietly.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const terminal = {
  input: process.stdin,
  out: (text: string) => void process.stdout.write(text),
  note: (text: string) => void process.stderr.write(text),
};

process.exitCode = await runCli(process.argv.slice(2), terminal, controller.signal);
