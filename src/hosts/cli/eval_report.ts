/** The table of `hotset eval`: one line a model and variant. */
import type { Estimate } from '../../engine/evaluate_stats.ts';
import type { EvalRow } from './eval_run.ts';

interface Column {
  readonly title: string;
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
  const columns = several ? [{ title: 'model', cell: (row: EvalRow) => row.model }, ...COLUMNS] : COLUMNS;
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
