/** What a command of the command line is. */
import type { Readable } from 'node:stream';
import type { OptionSpecs, ParsedCommand } from './args.ts';

/** Where a command reads and writes: results on `out`, everything else on `note`. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  out(text: string): void;
  note(text: string): void;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Names of the positional arguments: ['MODEL', 'TEXT']. */
  readonly positionals: readonly string[];
  readonly options: OptionSpecs;
  /** @throws UsageError (exit code 2) or any other error (exit code 1). */
  run(parsed: ParsedCommand, terminal: Terminal, signal: AbortSignal): Promise<void>;
}
