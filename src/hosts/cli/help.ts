import type { Command } from './command.ts';

const MODEL_HELP = 'MODEL is a GGUF file, the first shard of several, or a folder with safetensors files and config.json.';

function optionLines(command: Command): string[] {
  const rows = Object.entries(command.options).map(([name, spec]) => {
    const left = `--${name}${spec.type === 'string' ? ` ${spec.value ?? 'VALUE'}` : ''}`;
    return `  ${left.padEnd(26)} ${spec.help}`;
  });
  return rows.length > 0 ? ['', 'Options:', ...rows] : [];
}

export function usageLine(command: Command): string {
  const options = Object.keys(command.options).length > 0 ? ' [options]' : '';
  return `${['hotset', command.name, ...command.positionals].join(' ')}${options}`;
}

export function commandHelp(command: Command): string {
  return [`Usage: ${usageLine(command)}`, '', command.summary, MODEL_HELP, ...optionLines(command), ''].join('\n');
}

export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => `  ${`${command.name} ${command.positionals.join(' ')}`.padEnd(22)} ${command.summary}`);
  return [
    'Usage: hotset COMMAND MODEL [arguments] [options]',
    '',
    'Runs Mixture-of-Experts language models with the engine of the Hotset page.',
    MODEL_HELP,
    '',
    'Commands:',
    ...rows,
    '',
    'hotset COMMAND --help lists the options of a command.',
    'Exit codes: 0 done, 1 the model or the run failed, 2 wrong usage. HOTSET_DEBUG=1 shows stack traces.',
    '',
  ].join('\n');
}
