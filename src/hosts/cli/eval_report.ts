/** The table of `hotset eval`: one line a model and variant. */
import type { Estimate } from '../../engine/evaluate_stats.ts';
import type { EvalRow } from './eval_run.ts';

interface Column {
  readonly title: string;
  /** Left out where no row has it. */
  readonly optional?: boolean;
  readonly cell: (row: EvalRow) => string;
}

const MISSING = '–';

const COLUMNS: readonly Column[] = [
  { title: 'experts', cell: (row) => row.experts },
  { title: 'bits/weight', cell: ({ expertSize: size }) => size?.bitsPerWeight.toFixed(2) ?? MISSING },
  { title: 'expert MB', cell: ({ expertSize: size }) => size === null ? MISSING : (size.byteLength / 1e6).toFixed(1) },
  { title: 'relative RMS', cell: ({ expertErrors: errors }) => errors?.relativeRms.toFixed(4) ?? MISSING },
  { title: 'cosine', cell: ({ expertErrors: errors }) => errors?.cosine.toFixed(4) ?? MISSING },
  { title: 'sign bias', cell: ({ expertErrors: errors }) => errors === null ? MISSING : signed(errors.signBias, 4) },
  { title: 'mean error', cell: ({ expertErrors: errors }) => errors === null ? MISSING : signed(errors.meanError, 4) },
  { title: 'perplexity', cell: ({ evaluation }) => estimate(evaluation.perplexity, 3) },
  { title: 'ΔNLL', cell: ({ evaluation: { comparison } }) => comparison === null ? MISSING : estimate(comparison.nllDifference, 4) },
  { title: 'KL divergence', cell: ({ evaluation: { comparison } }) => comparison === null ? MISSING : estimate(comparison.kl, 4) },
  { title: 'KL median', cell: ({ evaluation: { comparison } }) => comparison?.klMedian.toPrecision(2) ?? MISSING },
  { title: 'KL 99 %', cell: ({ evaluation: { comparison } }) => comparison?.klPercentile99.toFixed(3) ?? MISSING },
  { title: 'same top-1, %', cell: ({ evaluation: { comparison } }) => comparison === null ? MISSING : estimate(comparison.topAgreement, 2, 100) },
  { title: 'Δp mean, %', cell: ({ evaluation: { comparison } }) => comparison === null ? MISSING : signed(100 * comparison.probabilityDifference.mean, 2) },
  { title: 'Δp RMS, %', cell: ({ evaluation: { comparison } }) => comparison === null ? MISSING : (100 * comparison.probabilityDifference.rms).toFixed(2) },
  { title: 'GPU MB', optional: true, cell: ({ deviceByteLength: bytes }) => bytes === null ? MISSING : (bytes / 1e6).toFixed(1) },
  { title: 'tokens/s', optional: true, cell: ({ decode }) => decode?.tokensPerSecond.toFixed(1) ?? MISSING },
  { title: 'promotions/token', optional: true, cell: ({ decode }) => decode?.promotionsPerToken?.toFixed(3) ?? MISSING },
  {
    title: 'run again, %', optional: true,
    cell: ({ decode }) => decode === null || decode.gatedShare === null ? MISSING : (100 * decode.gatedShare).toFixed(1),
  },
  { title: 'left out/token', optional: true, cell: ({ decode }) => decode?.missesPerToken?.toFixed(3) ?? MISSING },
];

function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : value > 0 ? `+${text}` : text;
}

function estimate({ mean, standardError }: Estimate, digits: number, factor = 1): string {
  const error = Number.isNaN(standardError) ? '?' : (factor * standardError).toFixed(digits);
  return `${(factor * mean).toFixed(digits)} ± ${error}`;
}

/** Cells of the table, its head first. The model's name is shown only where there are several. */
function cellsOf(rows: readonly EvalRow[]): string[][] {
  const several = new Set(rows.map(({ model }) => model)).size > 1;
  const filled = COLUMNS.filter(({ optional, cell }) => !optional || rows.some((row) => cell(row) !== MISSING));
  const columns = several ? [{ title: 'model', cell: (row: EvalRow) => row.model }, ...filled] : filled;
  return [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
}

/** A table for people, its columns aligned. */
export function textTable(rows: readonly EvalRow[]): string {
  const lines = cellsOf(rows);
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd()).join('\n') + '\n';
}

export function markdownTable(rows: readonly EvalRow[]): string {
  const [head, ...body] = cellsOf(rows);
  // A pipe in a model's name would end its cell.
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...body.map(line)].join('\n') + '\n';
}
