/** What a command of the command line is. */
import type { OptionSpecs, ParsedCommand } from './args.ts';

/** Where a command writes: results on `out`, everything else on `note`. */
export interface Output {
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
  run(parsed: ParsedCommand, output: Output, signal: AbortSignal): Promise<void>;
}
