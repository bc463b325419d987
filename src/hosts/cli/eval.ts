/** `hotset eval --model MODEL …`: what a model, or its experts in fewer bits, loses on a text. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WindowOptions } from '../../engine/evaluate_windows.ts';
import { openNodeBackend } from '../node_backend.ts';
import { flag, numberOption, textOption, textOptions, UsageError, type ParsedCommand } from './args.ts';
import type { Command, Terminal } from './command.ts';
import { markdownTable, textTable } from './eval_report.ts';
import { evaluateEntries, type EvalEntry, type EvalRow, type EvalSettings } from './eval_run.ts';
import { parseVariants, roundingNames, type ExpertVariant } from './eval_variants.ts';
import { BACKEND_OPTION, backendNameOf } from './model_options.ts';

/** Held-out chats of the demo model; the page offers the same text. */
const DEFAULT_TEXT = fileURLToPath(new URL('../../../public/quality/sample.txt', import.meta.url));
const DEFAULT_CONTEXT_TOKENS = 256;
const DEFAULT_CALIBRATION_TOKENS = 1024;
/** The baseline's logits stay in memory up to here; with longer texts its model stays open and runs beside each other one. */
const MAX_RECORDING_BYTES = 2 ** 30;
const COUNT = { min: 1, max: 2 ** 31 - 1, integer: true };

export const evalCommand: Command = {
  name: 'eval',
  summary: 'Scores a text: perplexity, and KL divergence and top-1 agreement against the first line of the table.',
  positionals: [],
  options: {
    model: { type: 'string', multiple: true, value: 'MODEL', help: 'may be given several times (needed)' },
    experts: {
      type: 'string', value: 'LIST',
      help: `keep (default), ${roundingNames().join(', ')}, mixtures such as w2+fp4:10%; on WebGPU tiers that follow the text, `
        + 'such as w2+fp4@10%, or w2+fp4@10%/0.6 with a precision gate, and pools whose misses are left out, such as w2~2@25%: '
        + 'up to 2 a token, a quarter of the experts resident',
    },
    baseline: { type: 'string', value: 'MODEL', help: 'the first line of the table, experts kept; default: the first model and variant' },
    text: { type: 'string', value: 'FILE', help: 'UTF-8; default: held-out chats of the demo model' },
    context: { type: 'string', value: 'N', help: `tokens of a window, default ${DEFAULT_CONTEXT_TOKENS}` },
    stride: { type: 'string', value: 'N', help: 'tokens between the starts of windows; default: as --context' },
    scored: { type: 'string', value: 'WHICH', help: 'new: each token once (default); second-half: as llama.cpp' },
    'max-tokens': { type: 'string', value: 'N', help: 'of the text; default: all' },
    'calibration-tokens': {
      type: 'string', value: 'N',
      help: `at the start of the text, not scored; default ${DEFAULT_CALIBRATION_TOKENS} with a mixture, tier or pool, else 0`,
    },
    decode: {
      type: 'boolean',
      help: 'one token a step, as answers are made, w2 and w3 as an import stores them: shows memory and speed; tiers and pools always run so',
    },
    json: { type: 'boolean', help: 'everything as JSON' },
    markdown: { type: 'boolean', help: 'the table in Markdown' },
    ...BACKEND_OPTION,
  },
  async run(parsed, terminal, signal) {
    const entries = entriesOf(parsed);
    const { textPath, ...settings } = await settingsOf(parsed, entries);
    const backend = await openNodeBackend(backendNameOf(parsed));
    try {
      const { kind, label, adapter, fallbackReason } = backend.info;
      if (kind === 'reference' && entries.some(({ variant }) => variant.kind === 'live')) {
        throw new Error(`tiers and pools (w2+fp4@10%, w2~2@25%) need WebGPU (--backend webgpu), and this is ${label}`);
      }
      terminal.note(`${label}${kind === 'webgpu' || fallbackReason === null ? '' : `. ${fallbackReason}`}\n`);
      const rows = await evaluateEntries(entries, settings, {
        backend, signal, maxRecordingByteLength: MAX_RECORDING_BYTES, clock: () => performance.now(), onProgress: progressLine(terminal),
        ...(entries.length > 1 ? { onRow: (row: EvalRow) => terminal.note(rowNote(row)) } : {}),
      });
      if (flag(parsed, 'json')) {
        const { windows, calibrationTokens, maxTokens, decodes } = settings;
        terminal.out(`${JSON.stringify({
          text: basename(textPath), windows, calibrationTokens, maxTokens, decodes, backend: kind, adapter, baseline: entries.length > 1 ? 0 : null, rows,
        }, null, 1)}\n`);
        return;
      }
      terminal.out(flag(parsed, 'markdown') ? markdownTable(rows) : textTable(rows));
      terminal.note(noteOf(textPath, settings, rows));
    } finally {
      backend.dispose();
    }
  },
};

function rowNote({ model, experts, evaluation: { perplexity, scoredTokens }, seconds }: EvalRow): string {
  return `${model} ${experts}: perplexity ${perplexity.mean.toFixed(3)} over ${scoredTokens} tokens in ${seconds.toFixed(1)} s\n`;
}

/** Every model with every variant; a baseline of its own goes first. */
function entriesOf(parsed: ParsedCommand): EvalEntry[] {
  const models = textOptions(parsed, 'model');
  if (models.length === 0) throw new UsageError('--model is needed');
  const variants = parseVariants(textOption(parsed, 'experts') ?? 'keep');
  const entries = models.flatMap((modelPath) => variants.map((variant) => ({ modelPath, variant })));
  const baseline = textOption(parsed, 'baseline');
  if (baseline === null && entries.length > 1 && entries[0].variant.kind === 'live') {
    throw new UsageError('--experts: the other lines are compared with the first, so it can\'t have a tier or a pool, which changes as it runs');
  }
  return baseline === null ? entries : [{ modelPath: baseline, variant: { kind: 'keep', name: 'keep' } }, ...entries];
}

async function settingsOf(parsed: ParsedCommand, entries: readonly EvalEntry[]): Promise<EvalSettings & { textPath: string }> {
  const contextLength = numberOption(parsed, 'context', { ...COUNT, min: 2 }, DEFAULT_CONTEXT_TOKENS);
  const stride = numberOption(parsed, 'stride', { ...COUNT, max: contextLength }, contextLength);
  const has = (kind: ExpertVariant['kind']): boolean => entries.some(({ variant }) => variant.kind === kind);
  const calibrationTokens = numberOption(
    parsed, 'calibration-tokens', { ...COUNT, min: has('tiered') ? 1 : 0 },
    has('tiered') || has('live') ? DEFAULT_CALIBRATION_TOKENS : 0);
  const textPath = textOption(parsed, 'text') ?? DEFAULT_TEXT;
  let text: string;
  try {
    text = await readFile(textPath, 'utf8');
  } catch (error) {
    throw new Error(`${textPath} can't be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return {
    textPath, text, calibrationTokens, decodes: flag(parsed, 'decode'), windows: { contextLength, stride, scored: scoredOf(parsed) },
    maxTokens: numberOption(parsed, 'max-tokens', { ...COUNT, min: 2 }, null),
  };
}

function scoredOf(parsed: ParsedCommand): WindowOptions['scored'] {
  const name = textOption(parsed, 'scored') ?? 'new';
  if (name !== 'new' && name !== 'second-half') throw new UsageError(`--scored is new or second-half, not '${name}'`);
  return name;
}

/** How the figures were made: a table without it can't be compared with another. */
function noteOf(textPath: string, { windows, calibrationTokens, decodes }: EvalSettings, rows: readonly EvalRow[]): string {
  const { contextLength, stride } = windows;
  const timed = rows.some(({ decode }) => decode !== null);
  return [
    `${rows[0].evaluation.scoredTokens} tokens of ${basename(textPath)} scored in windows of ${contextLength} tokens, one every ${stride}, `,
    windows.scored === 'new' ? 'each token once' : 'the second half of each',
    calibrationTokens > 0 ? `, after ${calibrationTokens} for calibration` : '',
    rows.length > 1 ? '. KL divergence in nats, from the first line to each; Δ: this line less the first' : '',
    timed ? `. ${decodes ? 'One' : 'Tiers and pools: one'} token a step, which hands over all logits; tokens/s counts the steps alone` : '',
    '. ± is one standard error.\n',
  ].join('');
}

/** Progress on one terminal line; nothing where stderr is a file or a pipe. */
function progressLine(terminal: Terminal): (what: string, done: number, total: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return (what, done, total) =>
    terminal.note(`\r\x1b[K${what} ${Math.floor((100 * done) / Math.max(total, 1))} %${done >= total ? '\r\x1b[K' : ''}`);
}
